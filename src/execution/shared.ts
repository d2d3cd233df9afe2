/** Holds what all executions of one engine share. */
import { createRandom } from '../base/random.ts'
import type { Random } from '../base/random.ts'
import { StatusReadings } from '../crew/readings.ts'
import type { ResumeForm } from '../crew/request.ts'
import type { Plan } from '../scenario/plan.ts'
import { CircuitBreaker } from '../scenario/circuit.ts'
import { RequestMemory } from './request-log.ts'
import { RetryBudget } from '../scenario/retry.ts'

export interface SharedState {
  readonly plan: Plan
  readonly runId: string
  /** Forked per execution, never drawn from. */
  readonly random: Random
  readonly retryBudget: RetryBudget
  readonly circuit: CircuitBreaker
  /** Holds the requests of the executions in flight. */
  readonly requests: RequestMemory
  /** Reads the status answers, each different one once. */
  readonly readings: Pick<StatusReadings, 'read'>
  /** The wall clock, Unix milliseconds. */
  readonly unixMs: () => number
  /** An answer has arrived, whatever it said: the target is warm. */
  answered: boolean
  /** How answers for people name their ids; null while only the dialect says. */
  resumeForm: ResumeForm | null
}

/** `unixMs`: the host's; without it, dates of answers that have no `Date` are not read. */
export function createShared(
  plan: Plan,
  runId: string,
  unixMs: () => number = () => Number.NaN,
): SharedState {
  return {
    plan,
    runId,
    random: createRandom(plan.seed),
    retryBudget: new RetryBudget(plan.retry.budget),
    circuit: new CircuitBreaker(plan.circuit),
    requests: new RequestMemory(),
    readings: new StatusReadings(),
    unixMs,
    answered: false,
    resumeForm: plan.people?.form ?? null,
  }
}
