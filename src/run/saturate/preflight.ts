/** Before the first rung: is the target there, does it take our tokens, and what exactly is the request that will be sent over and over? */
import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, CrewRequest } from '../../crew/answer.ts'
import type { Phase } from '../../crew/observation.ts'
import { readInputs, readKickoff, readStatus } from '../../crew/read.ts'
import { inputsRequest, kickoffRequest, statusRequest } from '../../crew/request.ts'
import { UserError } from '../../mistakes.ts'
import type { Probe, ProbeOptions } from '../check/probe.ts'
import { openProbe } from '../check/probe.ts'
import { TargetError } from '../errors.ts'
import { refused, unreachableTarget } from '../preflight.ts'
import { sampleInputs } from '../sample-inputs.ts'
import type { SaturateOptions } from './options.ts'

export interface Preflight {
  request: CrewRequest
  spent: { requests: number; kickoffs: number }
  /** How the execution that is asked about stood; null where none is. */
  phase: Phase | null
}

/** Right after a kickoff its execution may not be known everywhere yet. */
const KNOWN_TRIES = 10
const KNOWN_EVERY_MS = 500

/** Throws TargetError when the target cannot be reached or refuses a token, UserError for inputs or an execution that will not do. */
export async function preflightSaturation(
  options: SaturateOptions,
  place: ProbeOptions & { tokens: readonly string[] },
  runId: string,
): Promise<Preflight> {
  const scout = new Scout(options, place, `${runId}/saturate`)
  try {
    await scout.open()
    return await scout.prepare()
  } finally {
    await scout.close()
  }
}

/** Asks for how it stands once more, after the ladder. */
export async function phaseAfter(
  place: ProbeOptions & { tokens: readonly string[] },
  request: CrewRequest,
): Promise<Phase> {
  const probe = await openProbe(place, place.tokens[0] ?? null)
  try {
    return readStatus(await probe.ask(request)).phase
  } finally {
    await probe.close()
  }
}

class Scout {
  readonly #options: SaturateOptions
  readonly #place: ProbeOptions & { tokens: readonly string[] }
  readonly #correlation: string
  readonly #spent = { requests: 0, kickoffs: 0 }
  #probe: Probe | null = null
  #expected: readonly string[] | null = null

  constructor(
    options: SaturateOptions,
    place: ProbeOptions & { tokens: readonly string[] },
    correlation: string,
  ) {
    this.#options = options
    this.#place = place
    this.#correlation = correlation
  }

  /** `GET /inputs` with each token; the first one's connection is kept for what follows. */
  async open(): Promise<void> {
    const { tokens } = this.#place
    for (const [index, token] of (tokens.length === 0 ? [null] : tokens).entries()) {
      const probe = await openProbe(this.#place, token)
      try {
        await this.#greet(probe, tokens.length > 1 ? ` ${index + 1} of ${tokens.length}` : '')
      } catch (error) {
        await probe.close()
        throw error
      }
      if (this.#probe === null) this.#probe = probe
      else await probe.close()
    }
  }

  async prepare(): Promise<Preflight> {
    const { endpoint } = this.#options
    if (endpoint === 'inputs') return this.#ready(inputsRequest(this.#correlation), null)
    if (endpoint === 'kickoff') return this.#ready(this.#kickoff(), null)
    return this.#status()
  }

  async close(): Promise<void> {
    await this.#probe?.close()
  }

  async #greet(probe: Probe, which: string): Promise<void> {
    const { target } = this.#place
    const answer = await this.#ask(inputsRequest(this.#correlation), probe)
    if (answer.kind === 'failure') throw unreachableTarget(target, answer.class, answer.detail)
    if (answer.status === 401 || answer.status === 403) throw refused(target, answer.status, which)
    const { names } = readInputs(answer)
    if (names === null && this.#options.endpoint === 'inputs') {
      const problem = 'GET /inputs, which is to be saturated, gives no good answer'
      throw new TargetError(target, problem, String(answer.status))
    }
    this.#expected ??= names
  }

  async #ask(request: CrewRequest, probe: Probe | null = this.#probe): Promise<Answer> {
    const { maxRequests } = this.#options
    if (probe === null || (maxRequests !== undefined && this.#spent.requests >= maxRequests)) {
      const problem = 'is spent before the first rung'
      throw new UserError({
        source: '--max-requests',
        path: '',
        found: String(maxRequests),
        problem,
      })
    }
    this.#spent.requests++
    return probe.ask(request)
  }

  #ready(request: CrewRequest, phase: Phase | null): Preflight {
    return { request, spent: this.#spent, phase }
  }

  #kickoff(): CrewRequest {
    const inputs = this.#options.inputs ?? sampleInputs(this.#expected ?? [])
    const missing = (this.#expected ?? []).filter((name) => !Object.hasOwn(inputs, name))
    if (missing.length === 0) {
      return kickoffRequest({ index: 0, inputs, correlation: this.#correlation })
    }
    const names = missing.map((name) => JSON.stringify(name)).join(', ')
    const problem = `the crew also expects ${names}, and every kickoff would get 422`
    throw new UserError({ source: '--inputs', path: '', found: JSON.stringify(inputs), problem })
  }

  async #status(): Promise<Preflight> {
    const { kickoffId } = this.#options
    if (kickoffId !== undefined) {
      const request = this.#poll(kickoffId)
      return this.#ready(request, demandKnown(await this.#ask(request), kickoffId))
    }
    const request = this.#poll(await this.#start())
    for (let tries = 1; ; tries++) {
      const { phase } = readStatus(await this.#ask(request))
      if (phase !== 'not-found') return this.#ready(request, phase)
      if (tries === KNOWN_TRIES) {
        const problem = 'does not know the execution that it has just started'
        throw new TargetError(this.#place.target, problem)
      }
      await delay(KNOWN_EVERY_MS)
    }
  }

  #poll(kickoffId: string): CrewRequest {
    return statusRequest({ index: -1, kickoffId, correlation: this.#correlation })
  }

  /** The one kickoff of `saturate status`. */
  async #start(): Promise<string> {
    const request = this.#kickoff()
    this.#spent.kickoffs++
    const { kickoffId, code } = readKickoff(await this.#ask(request))
    if (kickoffId !== null) return kickoffId
    const problem = 'the kickoff that status needs gave no id'
    throw new TargetError(this.#place.target, problem, String(code))
  }
}

function demandKnown(answer: Answer, kickoffId: string): Phase {
  const { phase, code } = readStatus(answer)
  if (answer.kind === 'answer' && answer.status < 300 && phase !== 'not-found') return phase
  const problem = `no status is told of it (${code})`
  throw new UserError({ source: '--kickoff-id', path: '', found: kickoffId, problem })
}
