/** The network's effect on one request or one connection, drawn from a separate stream for each. */
import type { CrewRequest, Operation } from '../../crew/answer.ts'
import { sampler } from '../../base/distribution.ts'
import type { Random } from '../../base/random.ts'
import { forks, forksBriefly } from '../../base/random.ts'
import type { Micros } from '../../base/units.ts'
import type { Network } from './network.ts'

/** Whole microseconds in each direction. */
export interface Trip {
  thereMicros: Micros
  backMicros: Micros
  lost: 'no' | 'there' | 'back'
}

export interface SetUp {
  takesMicros: Micros
  lost: boolean
}

type SampleOf = (random: Random) => number

/** The numbers that are drawn for the requests of one operation. */
interface OperationDraws {
  stream: (execution: number, sentMicros: Micros) => Random
  roundTrip: SampleOf
}

export class NetworkDraws {
  readonly #network: Network
  readonly #requests: Readonly<Record<Operation, OperationDraws>>
  readonly #setUp: SampleOf
  readonly #connections: (number: number) => Random
  #connectionsDrawn = 0

  constructor(network: Network, random: Random) {
    this.#network = network
    const requests = random.fork('requests')
    const of = (operation: Operation): OperationDraws => ({
      stream: forksBriefly(requests, operation, 'sent'),
      roundTrip: sampler(network.roundTrip[operation]),
    })
    this.#requests = { inputs: of('inputs'), kickoff: of('kickoff'), status: of('status') }
    this.#setUp = sampler(network.setUp)
    this.#connections = forks(random.fork('connections'), 'connection')
  }

  /** The same for the same execution's request at the same time, whatever the others do. */
  trip({ operation, execution }: CrewRequest, sentMicros: Micros): Trip {
    const { requestShare, loss } = this.#network
    const { stream, roundTrip } = this.#requests[operation]
    const random = stream(execution, sentMicros)
    const lot = random.next()
    const takesMicros = drawMicros(roundTrip, random)
    const thereMicros = Math.round(takesMicros * requestShare)
    const backMicros = takesMicros - thereMicros
    const lost = lot < loss.request ? 'there' : lot < loss.request + loss.answer ? 'back' : 'no'
    return { thereMicros, backMicros, lost }
  }

  setUp(): SetUp {
    const random = this.#connections(this.#connectionsDrawn++)
    const lost = random.next() < this.#network.loss.connection
    return { lost, takesMicros: drawMicros(this.#setUp, random) }
  }
}

function drawMicros(sample: SampleOf, random: Random): Micros {
  return Math.max(0, Math.round(sample(random)))
}
