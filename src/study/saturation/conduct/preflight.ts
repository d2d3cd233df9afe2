/**
 * Checks before the first rung whether the target is there and accepts our tokens, and determines
 * the request that will be sent repeatedly.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Answer } from '../../../crew/answer.ts'
import type { CrewRequest } from '../../../crew/crew-request.ts'
import type { ListedInput, Phase } from '../../../crew/observation.ts'
import { readInputs, readKickoff, readStatus } from '../../../crew/read.ts'
import { inputsRequest, kickoffRequest, statusRequest } from '../../../crew/crew-request.ts'
import { UserError } from '../../../base/mistakes.ts'
import type { CheckProbe, ProbeOptions } from '../../../run/target/probe.ts'
import { openProbe } from '../../../run/target/probe.ts'
import { TargetError } from '../../../run/errors.ts'
import { NO_FAKE } from '../../../run/target/paid.ts'
import type { OpenPlace } from '../../../run/target/open-place.ts'
import { demandUsable, noKickoffId } from '../../../run/target/preflight.ts'
import { flaggedInputsRefused, inputsOr } from '../../../run/target/refused-inputs.ts'
import type { Ways } from '../../../run/target/ways.ts'
import { waysOf } from '../../../run/target/ways.ts'
import type { Session } from '../../frame/conduct/conducting.ts'
import type { Spent } from '../../../engine/sending-budget.ts'
import type { Trial } from '../../frame/trial/trial.ts'
import type { Trials } from '../../frame/trial/trials.ts'
import type { SaturateOptions } from '../options.ts'
import type { SaturationDesign } from '../plan/plan.ts'
import { requestsNeeded } from '../plan/plan.ts'

export type SaturationSession = Session<SaturateOptions, SaturationDesign>

export type ProbedPlace = ProbeOptions & Pick<OpenPlace, 'tokens' | 'isPaid'>

export interface Preflight {
  request: CrewRequest
  /** The execution whose status is requested, and its state; null when there is none. */
  execution: { kickoffId: string; phase: Phase } | null
}

/** Right after a kickoff its execution may not be known everywhere yet. */
const KNOWN_TRIES = 10
const KNOWN_EVERY_MS = 500
/**
 * An execution on our own fake crew is followed to its end, first in short steps, then in longer
 * ones.
 */
const FOLLOW_MS = 120_000
const FOLLOW_STEPS_MS = { first: 250, factor: 2, most: 5_000 }

/** `status` needs an execution. */
export function startsOne({ endpoint, kickoffId }: SaturateOptions): boolean {
  return endpoint === 'status' && kickoffId === undefined
}

const startedSchema = z.object({ kickoffId: z.string() })

type StartedExecution = z.infer<typeof startedSchema>

/**
 * Throws TargetError when the target cannot be reached or refuses a token, UserError for inputs or
 * an execution that cannot be used. Null when the study was stopped, or its budget spent.
 */
export async function preflightSaturation(
  { options, trials, start }: SaturationSession,
  place: ProbedPlace,
): Promise<Preflight | null> {
  const scout = new Scout(options, place, `${start.id}/saturate`)
  try {
    await trials.unkept('preflight', async (trial) => scout.open(trial))
    demandRequests(place, options)
    const started = startsOne(options) ? await startedOne(scout, trials, options) : null
    if (startsOne(options) && started === null) return null
    return await trials.unkept('request', async (trial) => scout.prepare(trial, started))
  } catch (error) {
    if (error instanceof NotAsked) return null
    throw error
  } finally {
    await scout.close()
  }
}

/** Throws UserError for a deployment, which a ladder without a limit could overwhelm. */
function demandRequests({ isPaid }: ProbedPlace, { maxRequests }: SaturateOptions): void {
  if (isPaid && maxRequests === undefined) throw new UserError(requestsNeeded(NO_FAKE))
}

/**
 * The kickoff costs money, so a resumption uses the same execution. Our own fake crew has ended by
 * then.
 */
async function startedOne(
  scout: Scout,
  trials: Trials,
  { run: { profile } }: SaturateOptions,
): Promise<StartedExecution | null> {
  const start = async (trial: Trial): Promise<StartedExecution> => scout.start(trial)
  return profile === undefined
    ? trials.measured('execution', startedSchema, start)
    : trials.unkept('execution', start)
}

/** Thrown when the study was stopped, or its budget spent. */
class NotAsked extends Error {
  override name = 'NotAsked'
}

export const REQUEST = { requests: 1, kickoffs: 0 }
const KICKOFF = { requests: 1, kickoffs: 1 }

class Scout {
  readonly #options: SaturateOptions
  readonly #place: ProbedPlace
  readonly #correlation: string
  readonly #ways: Ways
  #probe: CheckProbe | null = null
  #listed: readonly ListedInput[] | null = null

  constructor(options: SaturateOptions, place: ProbedPlace, correlation: string) {
    this.#options = options
    this.#place = place
    this.#correlation = correlation
    this.#ways = waysOf(options)
  }

  /** Sends `GET /inputs` with each token; the first one's connection is kept for what follows. */
  async open(trial: Trial): Promise<true> {
    const { tokens } = this.#place
    for (const [index, token] of (tokens.length === 0 ? [null] : tokens).entries()) {
      const probe = await openProbe(this.#place, token)
      try {
        await this.#greet(trial, probe, index)
      } catch (error) {
        await probe.close()
        throw error
      }
      if (this.#probe === null) this.#probe = probe
      else await probe.close()
    }
    return true
  }

  async prepare(trial: Trial, started: StartedExecution | null): Promise<Preflight> {
    const { endpoint, kickoffId } = this.#options
    if (endpoint === 'inputs') return ready(inputsRequest(this.#correlation, this.#ways.paths))
    if (endpoint === 'kickoff') return ready(this.#kickoff())
    if (started !== null) return this.#status(trial, started.kickoffId)
    const named = kickoffId ?? ''
    const request = this.#poll(named)
    const phase = demandKnown(await this.#ask(trial, request), named)
    return ready(request, { kickoffId: named, phase })
  }

  /** The one kickoff of `saturate status`. */
  async start(trial: Trial): Promise<StartedExecution> {
    const answer = await this.#ask(trial, this.#kickoff(), KICKOFF)
    const { kickoffId, code } = readKickoff(answer)
    if (kickoffId !== null) return { kickoffId }
    if (answer.status === 422) throw flaggedInputsRefused(this.#inputs(), answer)
    throw noKickoffId(this.#place.target, String(code))
  }

  async close(): Promise<void> {
    await this.#probe?.close()
  }

  async #greet(trial: Trial, probe: CheckProbe, token: number): Promise<void> {
    const { target, tokens } = this.#place
    const { tokensFrom } = this.#options.run
    const { paths } = this.#ways
    const request = inputsRequest(this.#correlation, paths)
    const answer = await this.#ask(trial, request, REQUEST, probe)
    demandUsable(target, answer, { token, tokens: tokens.length, tokensFrom }, paths.inputs)
    const { listed } = readInputs(answer)
    if (listed === null && this.#options.endpoint === 'inputs') {
      const problem = 'GET /inputs, which is the endpoint to saturate, gives no usable answer'
      throw new TargetError(target, problem, String(answer.status))
    }
    this.#listed ??= listed
  }

  async #ask(
    trial: Trial,
    request: CrewRequest,
    cost: Spent = REQUEST,
    probe: CheckProbe | null = this.#probe,
  ): Promise<Answer> {
    if (probe === null || !(await trial.reserve(cost))) throw new NotAsked()
    trial.sent(cost)
    return probe.ask(request)
  }

  #kickoff(): CrewRequest {
    const inputs = this.#inputs(this.#options.onNote)
    return kickoffRequest({ index: 0, inputs, correlation: this.#correlation, ...this.#ways })
  }

  #inputs(onNote?: (note: string) => void): Readonly<Record<string, unknown>> {
    return inputsOr(this.#options.inputs, this.#listed ?? [], onNote)
  }

  async #status(trial: Trial, kickoffId: string): Promise<Preflight> {
    const request = this.#poll(kickoffId)
    const phase = await this.#known(trial, request)
    // Elsewhere the end may be hours away, and each request counts.
    const isOwn = this.#options.run.profile !== undefined
    const settled = isOwn ? await this.#followed(trial, request, phase) : phase
    return ready(request, { kickoffId, phase: settled })
  }

  async #known(trial: Trial, request: CrewRequest): Promise<Phase> {
    for (let tries = 1; ; tries++) {
      const { phase } = readStatus(await this.#ask(trial, request))
      if (phase !== 'not-found') return phase
      if (tries === KNOWN_TRIES) {
        const problem = 'does not know the execution that it has just started'
        throw new TargetError(this.#place.target, problem)
      }
      await delay(KNOWN_EVERY_MS)
    }
  }

  /**
   * Follows the execution to its end when that is near: answers of an ended execution are larger,
   * and a ladder must measure only one kind.
   */
  async #followed(trial: Trial, request: CrewRequest, first: Phase): Promise<Phase> {
    const { onNote } = this.#options
    const { signal } = trial
    const until = performance.now() + FOLLOW_MS
    let phase = first
    let stepMs = FOLLOW_STEPS_MS.first
    if (phase === 'running') {
      onNote?.(
        `first the execution is polled to its end, for at most ${FOLLOW_MS / 60_000} ` +
          'min: its answers change then',
      )
    }
    while ((phase === 'running' || phase === 'limited') && performance.now() < until) {
      await delay(stepMs, undefined, { signal }).catch(() => {})
      stepMs = Math.min(stepMs * FOLLOW_STEPS_MS.factor, FOLLOW_STEPS_MS.most)
      phase = readStatus(await this.#ask(trial, request)).phase
    }
    return phase
  }

  #poll(kickoffId: string): CrewRequest {
    const { paths } = this.#ways
    return statusRequest({ index: -1, kickoffId, correlation: this.#correlation, paths })
  }
}

function ready(request: CrewRequest, execution: Preflight['execution'] = null): Preflight {
  return { request, execution }
}

function demandKnown(answer: Answer, kickoffId: string): Phase {
  const { phase, code } = readStatus(answer)
  if (answer.kind === 'answer' && answer.status < 300 && phase !== 'not-found') return phase
  const problem = `its status could not be read (${code})`
  throw new UserError({ source: '--kickoff-id', found: kickoffId, problem })
}
