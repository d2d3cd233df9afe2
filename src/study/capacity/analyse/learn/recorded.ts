/** Makes a load out of a past run of the same crew, which costs nothing more. */
import type { CrewPlace } from '../../../../execution/record/crew-place.ts'
import type { PlanDocument } from '../../../../scenario/plan.schema.ts'
import { MICROS_PER_HOUR } from '../model/system.ts'
import type { AppliedLoad, LoadSeen, Seen } from '../seen.ts'
import { hasRun, inCrewOf } from '../seen.ts'

export interface Recorded {
  /** The folder of the run. */
  run: string
  /** Null if its journal does not say it. */
  place: CrewPlace | null
  seen: LoadSeen
  /** Whether arrivals did not depend on the crew, so that they can be replayed. */
  isOpen: boolean
}

/**
 * Whether no arrival waited for another execution: there were neither closed clients nor a maximum
 * in flight; false without a plan.
 */
export function isOpen(plan: PlanDocument | null): boolean {
  return plan !== null && plan.arrivals.kind !== 'closed' && plan.admission.maxInFlight === null
}

/**
 * Cuts a run that was stopped at the first arrival whose end it did not wait for, because the
 * missing ends are no failure of the crew. The arrivals before do not depend on those after.
 * `executions` are in the order of their arrival.
 */
export function untilStopped(executions: readonly Seen[]): Seen[] {
  const stopped = executions.findIndex(({ outcome }) => outcome === 'aborted')
  return executions.slice(0, Math.min(MOST, stopped === -1 ? executions.length : stopped))
}

/** The most executions of one run: more would not change any result. */
const MOST = 20_000

/**
 * Describes a run as a load: clients that never pause are a rung of a ladder; any other load is
 * open, with the mean rate.
 */
export function loadOf(plan: PlanDocument | null, executions: readonly Seen[]): AppliedLoad {
  const size = executions.length
  const arrivals = plan?.arrivals
  if (arrivals?.kind === 'closed' && arrivals.rampUpMicros === 0) {
    const { think, clients } = arrivals
    if (think.kind === 'constant' && think.value === 0) {
      return { kind: 'closed', clients, executions: size }
    }
  }
  const spanMicros = (executions.at(-1)?.intended ?? 0) - (executions[0]?.intended ?? 0)
  const perHour = spanMicros === 0 ? 0 : ((size - 1) * MICROS_PER_HOUR) / spanMicros
  return { kind: 'open', perHour, executions: size }
}

/** The most executions that were in the crew at once, waiting or running. */
export function mostInLoad({ executions }: LoadSeen): number {
  return inCrewOf(executions.filter(hasRun)).most
}
