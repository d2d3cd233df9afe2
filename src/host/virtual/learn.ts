/** Learns a network from a finished run: what its clients saw, as distributions to draw from. */
import { unreachable } from '../../base/assert.ts'
import type { Distribution } from '../../base/distribution.ts'
import type { AnswerCode } from '../../crew/observation.ts'
import type { ExecutionRecord, RequestColumns } from '../../execution/record/record.ts'
import { requestsIn } from '../../execution/record/request.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Random } from '../../base/random.ts'
import type { Micros } from '../../base/units.ts'
import { quantileOf } from '../../result/statistics/quantiles.ts'
import type { Network } from './network.ts'

export interface LearnOptions {
  /** The run's name, used for the network's own: `steady-20261121T100000Z`. */
  run: string
  /** Selects which of more than 20,000 values are kept. */
  random: Random
}

/** With fewer answers of one operation, a distribution would be a guess. */
const LEAST_ANSWERS = 20

/**
 * Report the connections that were opened in advance, add every record of the run, then ask for the
 * network.
 *
 * A learned round trip is the service time of an answer, from the first byte sent to the last
 * received, whatever the answer said. It includes the server's own time, so that the profile's HTTP
 * latency is left out (`serverTime: 'included'`), and it does not grow with load. No client can
 * know at which point the server read its clock: half-way is assumed, which is wrong by half a
 * round trip at most. A request that timed out counts with the time for which it was waited for,
 * and so times out again under the same limit.
 *
 * The time to open a connection is the wait of a request that was the first on its connection; if
 * the run was at its limit of connections, this includes the wait in the queue. Connections reset,
 * closed or cut are losses. It is not known whether the request or the answer was lost, so half of
 * the losses are assigned to each direction.
 */
export class NetworkLearner {
  readonly #options: LearnOptions
  readonly #kickoffs: Reservoir<Micros>
  readonly #polls: Reservoir<Micros>
  readonly #setUps: Reservoir<{ sentMicros: Micros; waitMicros: Micros }>
  readonly #firstSent: Micros[] = []
  #preOpened = 0
  #requests = 0
  #lost = 0
  #opened = 0
  #unopened = 0

  constructor(options: LearnOptions) {
    const { random } = options
    this.#options = options
    this.#kickoffs = new Reservoir(random.fork('kickoffs'))
    this.#polls = new Reservoir(random.fork('polls'))
    this.#setUps = new Reservoir(random.fork('set-ups'))
  }

  /**
   * An instance of the run opened this many connections in advance: the first requests on them say
   * nothing about opening one.
   */
  openedAhead(connections: number): void {
    this.#preOpened += connections
  }

  add({ intendedMicros, kickoff, polls }: ExecutionRecord): void {
    this.#addColumns(kickoff, intendedMicros, this.#kickoffs)
    this.#addColumns(polls, intendedMicros, this.#polls)
  }

  /** Throws UserError if the run has too few answers. */
  network(): Network {
    const { run } = this.#options
    const kickoff = this.#quantiles(this.#kickoffs, 'kickoffs')
    const status = this.#quantiles(this.#polls, 'status requests')
    const half = this.#requests === 0 ? 0 : this.#lost / this.#requests / 2
    return {
      name: `run ${run}`,
      source: `learned from ${this.#requests} requests of the run ${run}`,
      roundTrip: { inputs: status, kickoff, status },
      requestShare: 0.5,
      setUp: this.#setUp(status),
      serverTime: 'included',
      loss: {
        connection: this.#unopened === 0 ? 0 : this.#unopened / (this.#unopened + this.#opened),
        request: half,
        answer: half,
      },
    }
  }

  #addColumns(columns: RequestColumns, intendedMicros: Micros, into: Reservoir<Micros>): void {
    for (const request of requestsIn(columns, intendedMicros)) {
      const { answer, fresh, sentMicros, serviceMicros, waitMicros } = request
      const fate = fateOf(answer, serviceMicros >= 0)
      if (fate === 'unopened') this.#unopened++
      if (fate === 'answered' || fate === 'lost') this.#requests++
      if (fate === 'lost') this.#lost++
      if (fate === 'answered') into.add(serviceMicros)
      if (fresh === 1) this.#addConnection(sentMicros, waitMicros)
    }
  }

  #addConnection(sentMicros: Micros, waitMicros: Micros): void {
    this.#opened++
    this.#setUps.add({ sentMicros, waitMicros })
    const first = this.#firstSent
    if (first.length === this.#preOpened && sentMicros >= (first.at(-1) ?? -Infinity)) return
    first.push(sentMicros)
    first.sort((a, b) => a - b)
    if (first.length > this.#preOpened) first.pop()
  }

  /** If every connection was opened in advance, the shortest round trip is used. */
  #setUp(status: Distribution & { kind: 'quantiles' }): Distribution {
    const lastPreOpened = this.#firstSent.at(-1) ?? -Infinity
    const waits = this.#setUps.values
      .filter(({ sentMicros }) => sentMicros > lastPreOpened)
      .map(({ waitMicros }) => waitMicros)
    if (waits.length > 0) return quantiles(waits)
    return { kind: 'constant', value: status.points[0]!.value }
  }

  #quantiles({ values }: Reservoir<Micros>, what: string): Distribution & { kind: 'quantiles' } {
    if (values.length >= LEAST_ANSWERS) return quantiles(values)
    throw new UserError({
      source: '--network',
      found: `${values.length}`,
      problem:
        `the run ${this.#options.run} has too few answered ${what} to learn a network ` +
        `from: ${LEAST_ANSWERS} are needed`,
    })
  }
}

type RequestFate = 'answered' | 'lost' | 'unopened' | 'neither'

function fateOf(code: AnswerCode, sent: boolean): RequestFate {
  if (typeof code === 'number') return 'answered'
  switch (code) {
    case 'refused':
    case 'dns':
    case 'tls':
    case 'connect-timeout':
    case 'unreachable':
      return 'unopened'
    case 'reset':
    case 'closed':
    case 'truncated':
      return sent ? 'lost' : 'unopened'
    case 'timeout':
      return sent ? 'answered' : 'neither'
    case 'malformed-http':
    case 'too-large':
    case 'not-json':
    case 'wrong-shape':
    case 'unknown-state':
    case 'no-id':
    case 'wrong-type':
      return 'answered'
    case 'cancelled':
    case 'other':
      return 'neither'
    default:
      return unreachable(code)
  }
}

const KEPT_MAX = 20_000

/**
 * A fair sample of a stream of any length: J. S. Vitter, "Random sampling with a reservoir" (1985),
 * algorithm R.
 */
class Reservoir<T> {
  readonly values: T[] = []
  readonly #random: Random
  #seen = 0

  constructor(random: Random) {
    this.#random = random
  }

  add(value: T): void {
    this.#seen++
    if (this.values.length < KEPT_MAX) this.values.push(value)
    else {
      const place = this.#random.int(this.#seen)
      if (place < KEPT_MAX) this.values[place] = value
    }
  }
}

/**
 * Every percentile, with more points in the tail, from the least value at 0 to the greatest at 1:
 * values are drawn by interpolation between them.
 */
const QUANTILES = [...Array.from({ length: 100 }, (_, i) => i / 100), 0.995, 0.999, 1]

function quantiles(values: readonly number[]): Distribution & { kind: 'quantiles' } {
  const rising = values.toSorted((a, b) => a - b)
  return {
    kind: 'quantiles',
    points: QUANTILES.map((q) => ({ q, value: quantileOf(rising, q)! })),
  }
}
