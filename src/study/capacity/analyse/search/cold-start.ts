/** Simulates a load that begins on the fewest workers, until the crew has grown and caught up. */
import { sumBy } from '../../../../result/statistics/moments.ts'
import { DueHeap } from '../../../../base/collections/heap.ts'
import type { Random } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import { MICROS_PER_MS } from '../../../../base/units.ts'
import { quantileOf } from '../../../../result/statistics/quantiles.ts'
import { MICROS_PER_HOUR } from '../model/system.ts'
import type { Scaling } from '../scaling/scaling.ts'
import type { CapacityDocument } from '../../document.ts'
import type { CapacitySearch } from './search.ts'

export interface ColdStart {
  /** When all workers are there and nobody waits; the median of all repetitions. */
  caughtUpMicros: Micros
  /** The stays in the crew of executions that come until then, in rising order. */
  stays: Float64Array
}

interface Starting {
  scaling: Scaling
  perHour: number
  /** Service times, of which each execution draws one. */
  services: Float64Array
  random: Random
}

const REPETITIONS = 200
/** The most executions of a repetition; a rate near saturation may take long to catch up. */
const MOST = 2_000

/** Null if the crew does not catch up within 2,000 executions in most repetitions. */
export function coldStartOf(starting: Starting): ColdStart | null {
  const ran = Array.from({ length: REPETITIONS }, (_, i) =>
    new Start({ ...starting, random: starting.random.fork('repetition', i) }).run(),
  )
  const times = Float64Array.from(ran, ({ caughtUp }) => caughtUp).sort()
  const caughtUpMicros = quantileOf(times, 0.5) ?? Infinity
  if (caughtUpMicros === Infinity) return null
  return { caughtUpMicros, stays: Float64Array.from(ran.flatMap(({ stays }) => stays)).sort() }
}

/** One repetition, event by event. A number of workers grows while an execution waits. */
class Start {
  readonly #starting: Starting
  readonly #stepMicros: ReadonlyMap<number, Micros>
  readonly #ends = new DueHeap<null>()
  readonly #waiting: Micros[] = []
  readonly #stays: number[] = []
  #workers: number
  #waitingSince = Infinity

  constructor(starting: Starting) {
    this.#starting = starting
    this.#workers = starting.scaling.from
    this.#stepMicros = new Map(starting.scaling.steps.map((step) => [step.atWork, step.micros]))
  }

  run(): { caughtUp: Micros; stays: number[] } {
    const { perHour, random } = this.#starting
    let arrival = 0
    for (let come = 0; come < MOST;) {
      const now = Math.min(arrival, this.#ends.nextDue, this.#growsAt)
      if (now === this.#growsAt) this.#grow(now)
      else if (now === this.#ends.nextDue) this.#ends.pop()
      else {
        come++
        this.#waiting.push(now)
        arrival = now + (random.exponential() * MICROS_PER_HOUR) / perHour
      }
      this.#serve(now)
      const isGrown = this.#workers === this.#starting.scaling.to
      if (isGrown && this.#waiting.length === 0) return { caughtUp: now, stays: this.#stays }
    }
    return { caughtUp: Infinity, stays: this.#stays }
  }

  get #growsAt(): Micros {
    if (this.#workers >= this.#starting.scaling.to) return Infinity
    return this.#waitingSince + (this.#stepMicros.get(this.#workers) ?? 0)
  }

  #grow(now: Micros): void {
    this.#workers++
    this.#waitingSince = now
  }

  #serve(now: Micros): void {
    const { services, random } = this.#starting
    while (this.#waiting.length > 0 && this.#ends.size < this.#workers) {
      const service = services[random.int(services.length)]!
      this.#stays.push(now + service - this.#waiting.shift()!)
      this.#ends.push(now + service, null)
    }
    if (this.#waiting.length === 0) this.#waitingSince = Infinity
    else if (this.#waitingSince === Infinity) this.#waitingSince = now
  }
}

type Scaled = NonNullable<CapacityDocument['scaling']>

/** Null if the number of workers was not seen to grow. */
export function scaledOf(search: CapacitySearch): Scaled | null {
  const { scaling } = search.learned
  if (scaling === null) return null
  const { from, to, stands, steps } = scaling
  const tookMs = sumBy(steps, ({ micros }) => micros) / MICROS_PER_MS
  return { from, to, stands, tookMs, coldStart: stands ? coldStart(search, scaling) : null }
}

/** Null without a rate, or if a crew near saturation hardly ever catches up. */
function coldStart(search: CapacitySearch, scaling: Scaling): Scaled['coldStart'] {
  const { estimate, learned, criteria } = search
  if (estimate?.solution.kind !== 'rate') return null
  const { perHour } = estimate.solution
  const random = search.randomOf('cold start')
  const started = coldStartOf({ scaling, perHour, services: learned.full.micros, random })
  if (started === null) return null
  const { caughtUpMicros, stays } = started
  const { kickoffs, detection } = estimate.system
  const times = stays.map((stay, i) => {
    const place = i % kickoffs.micros.length
    const accepted = kickoffs.micros[place]!
    return accepted + detection.knownMicros(kickoffs.admitted[place]! + stay - accepted, i)
  })
  times.sort()
  const promise = criteria.find(({ boundMicros }) => boundMicros !== null)
  const late = times.filter((time) => time >= (promise?.boundMicros ?? Infinity)).length
  return {
    caughtUpMs: caughtUpMicros / MICROS_PER_MS,
    p95Ms: quantileOf(times, 0.95)! / MICROS_PER_MS,
    broken: promise === undefined ? null : { promise: promise.text, share: late / times.length },
  }
}
