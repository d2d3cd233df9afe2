/** The source of an instance's arrivals: its share of the one schedule, or its closed clients. */
import type { Arrival } from '../execution/machine.ts'
import type { Random } from '../base/random.ts'
import { createSchedule } from '../scenario/arrivals/index.ts'
import type { ScheduledArrival } from '../scenario/arrivals/index.ts'
import type { Plan } from '../scenario/plan.ts'
import type { Micros } from '../base/units.ts'
import type { ArrivalSource } from './arrival-source.ts'
import { ClosedClients } from './clients.ts'
import type { InstanceShare } from './instance-share.ts'

export function arrivalsOf(plan: Plan, random: Random, share: InstanceShare): ArrivalSource {
  const { arrivals, warmUpMicros } = plan
  return arrivals.kind === 'closed'
    ? new ClosedClients(arrivals, warmUpMicros, random, share)
    : new ScheduledArrivals(plan, random, share)
}

/**
 * The arrivals of an open schedule that a former process of the run did not reach: all except these
 * indexes. Closed clients have none: who would have come next depends on ends that never happened.
 */
export function remainingArrivals(
  plan: Plan,
  random: Random,
  share: InstanceShare,
  begun: ReadonlySet<number>,
): ArrivalSource {
  return plan.arrivals.kind === 'closed'
    ? { nextDueMicros: Infinity, take: nobody, ended: () => {} }
    : new ScheduledArrivals(plan, random, share, begun)
}

function nobody(): never {
  throw new Error('there is no arrival to take')
}

/** Arrivals with index mod n = i of the schedule, read one ahead; those in `begun` are skipped. */
class ScheduledArrivals implements ArrivalSource {
  readonly #next: () => ScheduledArrival | null
  readonly #instance: number
  readonly #warmUpMicros: Micros
  #ahead: ScheduledArrival | null

  constructor(
    plan: Plan,
    random: Random,
    { instance, instances }: InstanceShare,
    begun: ReadonlySet<number> = new Set(),
  ) {
    const schedule = createSchedule(plan, random)
    this.#instance = instance
    this.#warmUpMicros = plan.warmUpMicros
    const isOthers = ({ index }: ScheduledArrival): boolean =>
      index % instances !== instance || begun.has(index)
    this.#next = () => {
      let arrival = schedule.next()
      while (arrival !== null && isOthers(arrival)) arrival = schedule.next()
      return arrival
    }
    this.#ahead = this.#next()
  }

  get nextDueMicros(): Micros {
    return this.#ahead?.intendedMicros ?? Infinity
  }

  take(): Arrival {
    const { index, intendedMicros } = this.#ahead!
    this.#ahead = this.#next()
    const warmUp = intendedMicros < this.#warmUpMicros
    return { index, instance: this.#instance, intendedMicros, warmUp }
  }

  /** An open schedule needs no notification. */
  ended(): void {}
}
