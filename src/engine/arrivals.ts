/** The source of an instance's arrivals: its share of the one schedule, or its closed clients. */
import type { DueArrival } from '../execution/machine.ts'
import type { Random } from '../base/random.ts'
import { createSchedule } from '../scenario/arrivals/index.ts'
import type { ScheduledArrival } from '../scenario/arrivals/index.ts'
import type { Plan, ArrivalPlan } from '../scenario/plan.ts'
import type { Micros } from '../base/units.ts'
import type { ArrivalSource } from './arrival-source.ts'
import type { InstanceShare } from './instance-share.ts'
import { draw } from '../base/distribution.ts'
import { isUnsent } from '../execution/machine.ts'
import type { ExecutionRecord } from '../execution/record/record.ts'
import { DueHeap } from '../base/collections/heap.ts'
import { MICROS_PER_SECOND } from '../base/units.ts'

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

  take(): DueArrival {
    const { index, intendedMicros } = this.#ahead!
    this.#ahead = this.#next()
    const warmUp = intendedMicros < this.#warmUpMicros
    return { index, instance: this.#instance, intendedMicros, warmUp }
  }

  /** An open schedule needs no notification. */
  ended(): void {}
}

type ClosedPlan = Extract<ArrivalPlan, { kind: 'closed' }>

/**
 * A client whose kickoff was never sent pauses at least this long: without a think time it would
 * return immediately, in an endless loop.
 */
const NEVER_SENT_PAUSE_MICROS = MICROS_PER_SECOND

/**
 * The intended time of an arrival is when its client was ready: one think time after it learned of
 * the previous end. Client c of m starts at c/m of the ramp-up and belongs to instance c mod n.
 * Indexes are assigned in the order of arrival, those with index mod n = i to instance i, where n
 * counts the instances that have a client; `iterations` limits them over all clients and instances.
 * No client starts at or after `forMicros`.
 */
class ClosedClients implements ArrivalSource {
  readonly #plan: ClosedPlan
  readonly #warmUpMicros: Micros
  readonly #random: Random
  readonly #instance: number
  readonly #stride: number
  readonly #ready = new DueHeap<null>()
  #nextIndex: number

  constructor(plan: ClosedPlan, warmUpMicros: Micros, random: Random, share: InstanceShare) {
    this.#plan = plan
    this.#warmUpMicros = warmUpMicros
    this.#random = random.fork('think')
    this.#instance = share.instance
    this.#stride = Math.min(share.instances, plan.clients)
    this.#nextIndex = share.instance
    for (let client = share.instance; client < plan.clients; client += share.instances) {
      this.#comeAt(Math.round((plan.rampUpMicros * client) / plan.clients))
    }
  }

  get nextDueMicros(): Micros {
    const spent = this.#nextIndex >= (this.#plan.iterations ?? Infinity)
    return spent ? Infinity : this.#ready.nextDue
  }

  take(): DueArrival {
    const intendedMicros = this.#ready.nextDue
    const index = this.#nextIndex
    this.#ready.pop()
    this.#nextIndex += this.#stride
    const warmUp = intendedMicros < this.#warmUpMicros
    return { index, instance: this.#instance, intendedMicros, warmUp }
  }

  ended(record: ExecutionRecord): void {
    const think = draw(this.#plan.think, this.#random.fork('execution', record.index))
    const least = isUnsent(record.outcome) ? NEVER_SENT_PAUSE_MICROS : 0
    this.#comeAt(record.endedMicros + Math.max(Math.round(think), least))
  }

  #comeAt(readyMicros: Micros): void {
    if (readyMicros < this.#plan.forMicros) this.#ready.push(readyMicros, null)
  }
}
