/**
 * Before the first rung: is the target there, does it take our tokens, and what exactly is the
 * request that will be sent over and over?
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, CrewRequest } from '../../../crew/answer.ts'
import type { Phase } from '../../../crew/observation.ts'
import { readInputs, readKickoff, readStatus } from '../../../crew/read.ts'
import { inputsRequest, kickoffRequest, statusRequest } from '../../../crew/request.ts'
import { UserError } from '../../../base/mistakes.ts'
import type { Probe, ProbeOptions } from '../../../run/check/probe.ts'
import { openProbe } from '../../../run/check/probe.ts'
import { TargetError } from '../../../run/errors.ts'
import { demandCrew, refused, unreachableTarget } from '../../../run/target/preflight.ts'
import { sampleInputs } from '../../../run/target/sample-inputs.ts'
import type { SaturateOptions } from '../plan/options.ts'

export interface Preflight {
  request: CrewRequest
  spent: { requests: number; kickoffs: number }
  /** The execution that is asked about, and how it stood; null where none is. */
  execution: { kickoffId: string; phase: Phase } | null
}

/** Right after a kickoff its execution may not be known everywhere yet. */
const KNOWN_TRIES = 10
const KNOWN_EVERY_MS = 500
/**
 * An execution of a fake crew of our own is followed to its end, first by short steps, then by
 * longer ones.
 */
const FOLLOW_MS = 120_000
const FOLLOW_STEPS_MS = { first: 250, factor: 2, most: 5_000 }

/**
 * Throws TargetError when the target cannot be reached or refuses a token, UserError for inputs or
 * an execution that will not do.
 */
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
    if (endpoint === 'inputs') return this.#ready(inputsRequest(this.#correlation))
    if (endpoint === 'kickoff') return this.#ready(this.#kickoff())
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
    demandCrew(target, answer)
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

  #ready(request: CrewRequest, execution: Preflight['execution'] = null): Preflight {
    return { request, spent: this.#spent, execution }
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
    const { kickoffId: named, profile } = this.#options
    const kickoffId = named ?? (await this.#start())
    const request = this.#poll(kickoffId)
    if (named !== undefined) {
      const phase = demandKnown(await this.#ask(request), kickoffId)
      return this.#ready(request, { kickoffId, phase })
    }
    const phase = await this.#known(request)
    // Elsewhere an end may be hours away, and each question counts.
    const settled = profile === undefined ? phase : await this.#followed(request, phase)
    return this.#ready(request, { kickoffId, phase: settled })
  }

  async #known(request: CrewRequest): Promise<Phase> {
    for (let tries = 1; ; tries++) {
      const { phase } = readStatus(await this.#ask(request))
      if (phase !== 'not-found') return phase
      if (tries === KNOWN_TRIES) {
        const problem = 'does not know the execution that it has just started'
        throw new TargetError(this.#place.target, problem)
      }
      await delay(KNOWN_EVERY_MS)
    }
  }

  /**
   * To its end, where that is near: answers of an execution that has ended are larger, and a ladder
   * must measure one kind alone.
   */
  async #followed(request: CrewRequest, first: Phase): Promise<Phase> {
    const { signal, onNote } = this.#options
    const until = performance.now() + FOLLOW_MS
    let phase = first
    let stepMs = FOLLOW_STEPS_MS.first
    if (phase === 'running') {
      onNote?.(
        `the execution is followed to its end first, for at most ${FOLLOW_MS / 60_000} min: its answers change then`,
      )
    }
    while ((phase === 'running' || phase === 'limited') && performance.now() < until) {
      if (signal?.aborted === true) break
      await delay(stepMs, undefined, signal === undefined ? {} : { signal }).catch(() => {})
      stepMs = Math.min(stepMs * FOLLOW_STEPS_MS.factor, FOLLOW_STEPS_MS.most)
      phase = readStatus(await this.#ask(request)).phase
    }
    return phase
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
