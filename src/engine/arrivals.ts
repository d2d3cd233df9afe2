/** The source of an instance's arrivals: its share of the one schedule, or its closed clients. */
import type { DueArrival } from '../execution/machine.ts'
import type { Random } from '../base/random.ts'
import { createSchedule } from '../scenario/arrivals/index.ts'
import type { ScheduledArrival } from '../scenario/arrivals/index.ts'
import type { Plan, ArrivalPlan } from '../scenario/plan.ts'
import type { Micros } from '../base/units.ts'
import type { ArrivalSource, InstanceShare } from './interface.ts'
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

/**
 * Arrivals of which the first is sent alone: whether the crew needs inputs that the scenario does
 * not give, only the answer to a kickoff shows, and one refused kickoff is enough to learn it.
 */
export class FirstAlone implements ArrivalSource {
  readonly #source: ArrivalSource
  readonly #isClosed: boolean
  #first: DueArrival | null = null
  #releasedMicros: Micros | null = null

  /**
   * An open schedule continues later by the time for which it was held, so that no arrival is late;
   * closed clients only wait, because they come again when their executions end.
   */
  constructor(source: ArrivalSource, kind: 'open' | 'closed') {
    this.#source = source
    this.#isClosed = kind === 'closed'
  }

  /** Whether the first arrival is on its way and the others wait for it. */
  get isWaiting(): boolean {
    return this.#first !== null && this.#releasedMicros === null
  }

  get nextDueMicros(): Micros {
    return this.isWaiting ? Infinity : this.#moved(this.#source.nextDueMicros)
  }

  take(): DueArrival {
    const arrival = this.#source.take()
    this.#first ??= arrival
    return { ...arrival, intendedMicros: this.#moved(arrival.intendedMicros) }
  }

  ended(record: ExecutionRecord): void {
    this.release(record.endedMicros)
    this.#source.ended(record)
  }

  /** Lets the others go; further calls have no effect. */
  release(atMicros: Micros): void {
    this.#releasedMicros ??= atMicros
  }

  #moved(dueMicros: Micros): Micros {
    const released = this.#releasedMicros
    if (released === null || this.#first === null) return dueMicros
    if (this.#isClosed) return Math.max(dueMicros, released)
    return dueMicros + Math.max(0, released - this.#first.intendedMicros)
  }
}
