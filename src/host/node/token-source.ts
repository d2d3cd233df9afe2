/** A token that is asked for, and asked for again before it ends or when a target refuses it. */

import type { Mistake } from '../../base/mistakes.ts'

/** One header of every request. */
export interface Credential {
  /** The lower-case name of the header, and its value. */
  header: string
  value: string
  /** The part of the value that must be in no artefact. */
  secret: string
  /** How long it lasts from when it was asked for; null if nobody says. */
  lifetimeMs: number | null
}

interface TokenSourceOptions {
  /** Asks for a new one. Rejects with an Error whose message says what went wrong. */
  obtain: () => Promise<Credential>
  /** Receives why a token could not be renewed; the run goes on with the old one. */
  onNote?: (note: string) => void
  /** Monotonic milliseconds. */
  nowMs?: () => number
}

/** A new token is asked for this long before the old one ends, or a fifth of its life if less. */
const AHEAD_MS = 30_000
/** Between two askings: a target that refuses at random must not make us flood whoever issues. */
const LEAST_BETWEEN_MS = 1_000
/** Older tokens are not looked for in what a target says: they have ended. */
const MOST_SECRETS = 8

export class TokenSource {
  readonly #options: TokenSourceOptions
  readonly #nowMs: () => number
  #current: Credential
  #secrets: readonly string[]
  #askedMs: number
  #endsMs: number
  /** A target took it. One that nobody ever took is not renewed: another would fare no better. */
  #isAccepted = false
  /** One for all who wait. */
  #renewal: Promise<boolean> | null = null

  private constructor(options: TokenSourceOptions, first: Credential, askedMs: number) {
    this.#options = options
    this.#nowMs = nowOf(options)
    this.#current = first
    this.#secrets = [first.secret]
    this.#askedMs = askedMs
    this.#endsMs = endOf(first, askedMs)
  }

  /** Asks for the first token. Rejects as `obtain` does. */
  static async open(options: TokenSourceOptions): Promise<TokenSource> {
    const askedMs = nowOf(options)()
    return new TokenSource(options, await options.obtain(), askedMs)
  }

  get current(): Credential {
    return this.#current
  }

  /** Of the present token and those before it; a new list after each renewal. */
  get secrets(): readonly string[] {
    return this.#secrets
  }

  /**
   * Renews a token that is about to end. Null if the present one can be used meanwhile; otherwise
   * resolves when there is a new one, or none can be had.
   */
  whenUsable(): Promise<unknown> | null {
    const leftMs = this.#endsMs - this.#nowMs()
    const aheadMs = Math.min(AHEAD_MS, (this.#current.lifetimeMs ?? 0) / 5)
    if (leftMs > aheadMs) return null
    const renewal = this.#renew()
    return leftMs > 0 ? null : renewal
  }

  accepted(credential: Credential): void {
    if (credential === this.#current) this.#isAccepted = true
  }

  /** A target answered 401. Resolves to whether another token is in force than the refused one. */
  async refused(credential: Credential): Promise<boolean> {
    if (credential !== this.#current) return true
    return this.#isAccepted && (await this.#renew())
  }

  #renew(): Promise<boolean> {
    if (this.#renewal !== null) return this.#renewal
    const nowMs = this.#nowMs()
    if (nowMs - this.#askedMs < LEAST_BETWEEN_MS) return Promise.resolve(false)
    this.#askedMs = nowMs
    this.#renewal = this.#options
      .obtain()
      .then(
        (next) => this.#replace(next, nowMs),
        (error: Error) => this.#keep(error),
      )
      .finally(() => (this.#renewal = null))
    return this.#renewal
  }

  #replace(next: Credential, askedMs: number): true {
    this.#current = next
    this.#secrets = [next.secret, ...this.#secrets].slice(0, MOST_SECRETS)
    this.#endsMs = endOf(next, askedMs)
    this.#isAccepted = false
    return true
  }

  #keep({ message }: Error): false {
    this.#options.onNote?.(`the token could not be renewed: ${message}`)
    return false
  }
}

function nowOf({ nowMs = () => performance.now() }: TokenSourceOptions): () => number {
  return nowMs
}

function endOf({ lifetimeMs }: Credential, askedMs: number): number {
  return lifetimeMs === null ? Infinity : askedMs + lifetimeMs
}

/** A mistake of whoever sends the same token from its start to its end, as `sender` does. */
export function fixedTokenMistakes(
  sender: string | undefined,
  given: object | undefined,
): Mistake[] {
  if (sender === undefined || given === undefined) return []
  const problem = 'cannot renew a token: give one that lasts, by CREWLOAD_TOKEN or --token-file'
  return [{ source: sender, problem }]
}
