/** A token that is asked for, and asked for again before it ends or when a target refuses it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Mistake } from '../../base/mistakes.ts'
import { demandSendable } from '../headers.ts'
import { LONGEST_SLEEP_MS } from './clock.ts'

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
  /**
   * Asks for a new one. Rejects with an Error whose message says what went wrong. `signal` is
   * aborted when nobody needs it any more.
   */
  obtain: (signal: AbortSignal) => Promise<Credential>
  /** Receives why a token could not be renewed; the run goes on with the old one. */
  onNote?: (note: string) => void
  /** Monotonic milliseconds. */
  nowMs?: () => number
  /**
   * How long requests wait for a new token. After that they carry the old one, so that a target
   * that refuses it is known to do so. Default 20 s, less than a request may take.
   */
  patienceMs?: number
}

/** A new token is asked for this long before the old one ends, or a fifth of its life if less. */
const AHEAD_MS = 30_000
/** Between two askings: a target that refuses at random must not make us flood whoever issues. */
const LEAST_BETWEEN_MS = 1_000
const PATIENCE_MS = 20_000
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
  /** The last asking failed: the present token is used, and nobody waits for another. */
  #hasFailed = false
  /** One for all who wait. */
  #renewal: { result: Promise<boolean>; stop: AbortController } | null = null
  #hosts = 0
  #timer: NodeJS.Timeout | undefined

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
    const first = await obtained(options, new AbortController().signal)
    return new TokenSource(options, first, askedMs)
  }

  /**
   * A host sends these tokens: from now on they are renewed before they end, until all hosts have
   * left.
   */
  enter(): () => void {
    this.#hosts++
    this.#arm()
    return () => {
      if (--this.#hosts === 0) this.#rest()
    }
  }

  get current(): Credential {
    return this.#current
  }

  /** Of the present token and those before it; a new list after each renewal. */
  get secrets(): readonly string[] {
    return this.#secrets
  }

  /**
   * Renews a token that is about to end. Null if the present one is to be used meanwhile; otherwise
   * resolves when there is a new one, or none can be had.
   */
  whenUsable(): Promise<unknown> | null {
    if (this.#nowMs() < this.#renewMs) return null
    const renewal = this.#renew()
    return this.#hasFailed || this.#nowMs() < this.#endsMs ? null : renewal
  }

  accepted(credential: Credential): void {
    if (credential === this.#current) this.#isAccepted = true
  }

  /** A target answered 401. Resolves to whether another token is in force than the refused one. */
  async refused(credential: Credential): Promise<boolean> {
    if (credential !== this.#current) return true
    if (!this.#isAccepted) return false
    const renewal = this.#renew()
    return !this.#hasFailed && (await renewal)
  }

  #renew(): Promise<boolean> {
    if (this.#renewal !== null) return this.#renewal.result
    const nowMs = this.#nowMs()
    if (nowMs - this.#askedMs < LEAST_BETWEEN_MS) return Promise.resolve(false)
    this.#askedMs = nowMs
    const stop = new AbortController()
    const result = obtained(this.#options, stop.signal).then(
      (next) => !stop.signal.aborted && this.#replace(next, nowMs),
      (error: Error) => !stop.signal.aborted && this.#keep(error),
    )
    const { patienceMs = PATIENCE_MS } = this.#options
    const late = sleep(patienceMs, false, { ref: false })
    this.#renewal = { result: Promise.race([result, late]), stop }
    return this.#renewal.result
  }

  #replace(next: Credential, askedMs: number): true {
    this.#current = next
    this.#secrets = [next.secret, ...this.#secrets].slice(0, MOST_SECRETS)
    this.#endsMs = endOf(next, askedMs)
    this.#isAccepted = false
    this.#settle(false)
    return true
  }

  #keep({ message }: Error): false {
    this.#options.onNote?.(`the token could not be renewed: ${message}`)
    this.#settle(true)
    return false
  }

  #settle(hasFailed: boolean): void {
    this.#hasFailed = hasFailed
    this.#renewal = null
    this.#arm()
  }

  /** Renews it by a timer, so that no request waits. */
  #arm(): void {
    clearTimeout(this.#timer)
    if (this.#hosts === 0 || this.#endsMs === Infinity) return
    const dueMs = Math.max(this.#renewMs, this.#askedMs + LEAST_BETWEEN_MS)
    const sleepMs = Math.min(Math.max(1, Math.ceil(dueMs - this.#nowMs())), LONGEST_SLEEP_MS)
    this.#timer = setTimeout(() => {
      void this.whenUsable()
      if (this.#renewal === null) this.#arm()
    }, sleepMs).unref()
  }

  get #renewMs(): number {
    return this.#endsMs - Math.min(AHEAD_MS, (this.#current.lifetimeMs ?? 0) / 5)
  }

  /** What was being asked for is for nobody; the next host may ask at once. */
  #rest(): void {
    clearTimeout(this.#timer)
    if (this.#renewal === null) return
    this.#renewal.stop.abort()
    this.#renewal = null
    this.#askedMs = -Infinity
  }
}

/** Rejects with UserError for a header that HTTP cannot carry, or sets itself. */
async function obtained({ obtain }: TokenSourceOptions, signal: AbortSignal): Promise<Credential> {
  const credential = await obtain(signal)
  demandSendable({ headers: { [credential.header]: credential.value }, tokens: [] })
  return credential
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
