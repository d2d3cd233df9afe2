/** Which arrival an iteration serves: the schedule's of its number, or the next of the closed client that the VU is. */
import { ClosedClients } from '../../engine/clients.ts'
import type { Arrival } from '../../execution/machine.ts'
import type { ExecutionRecord } from '../../execution/record.ts'
import { createRandom } from '../../base/random.ts'
import { createSchedule } from '../../scenario/arrivals/index.ts'
import type { ArrivalPlan, Plan } from '../../scenario/plan.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'

type Scheduled = Pick<Plan, 'arrivals' | 'seed'>

/** The intended times of all arrivals, in order; none where closed clients come as the target lets them. */
export function intendedTimes({ arrivals, seed }: Scheduled): Micros[] {
  if (arrivals.kind === 'closed') return []
  const schedule = createSchedule({ arrivals }, createRandom(seed))
  const times: Micros[] = []
  for (let next = schedule.next(); next !== null; next = schedule.next()) {
    times.push(next.intendedMicros)
  }
  return times
}

/** How many arrivals there will be at most; null where only time ends them. */
export function arrivalsOf(arrivals: ArrivalPlan, scheduled: number): number | null {
  return arrivals.kind === 'closed' ? arrivals.iterations : scheduled
}

export interface Turns {
  /** The arrival that iteration `number` serves; null when there is none left for it. */
  take(number: number): Arrival | null
  ended(record: ExecutionRecord): void
  /** From this point on no VU has anything to do; null where iterations that serve nobody end by themselves. */
  readonly overMicros: Micros | null
}

/** `times` are the schedule's. `client` is that of the VU, from 0. */
export function turnsOf(
  plan: Pick<Plan, 'arrivals' | 'seed' | 'warmUpMicros'>,
  times: readonly Micros[],
  client: number,
): Turns {
  const { arrivals, warmUpMicros, seed } = plan
  if (arrivals.kind !== 'closed') return scheduledTurns(times, warmUpMicros)
  const share = { instance: client, instances: arrivals.clients }
  const own = new ClosedClients(arrivals, warmUpMicros, createRandom(seed), share)
  return {
    take: () => (own.nextDueMicros === Infinity ? null : { ...own.take(), instance: 0 }),
    ended: (record) => own.ended(record),
    overMicros: arrivals.iterations === null ? arrivals.forMicros + MICROS_PER_SECOND : null,
  }
}

function scheduledTurns(times: readonly Micros[], warmUpMicros: Micros): Turns {
  return {
    take: (index) => {
      const intendedMicros = times[index]
      if (intendedMicros === undefined) return null
      return { index, instance: 0, intendedMicros, warmUp: intendedMicros < warmUpMicros }
    },
    ended: () => {},
    overMicros: null,
  }
}
