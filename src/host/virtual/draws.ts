/** What the network does to one request or one connection, drawn for each from a stream of its own. */
import type { CrewRequest, Operation } from '../../crew/answer.ts'
import type { Distribution } from '../../distribution.ts'
import { draw } from '../../distribution.ts'
import type { Random } from '../../random.ts'
import type { Micros } from '../../units.ts'
import type { Network } from './network.ts'

/** Whole microseconds each way. */
export interface Trip {
  thereMicros: Micros
  backMicros: Micros
  lost: 'no' | 'there' | 'back'
}

export interface SetUp {
  takesMicros: Micros
  lost: boolean
}

export class NetworkDraws {
  readonly #network: Network
  readonly #requests: Readonly<Record<Operation, (execution: number) => Random>>
  readonly #connections: (number: number) => Random
  #connectionsDrawn = 0

  constructor(network: Network, random: Random) {
    this.#network = network
    const requests = random.fork('requests')
    this.#requests = {
      inputs: requests.forks('inputs'),
      kickoff: requests.forks('kickoff'),
      status: requests.forks('status'),
    }
    this.#connections = random.fork('connections').forks('connection')
  }

  /** The same for the same execution's request of the same time, whatever the others do. */
  trip({ operation, execution }: CrewRequest, sentMicros: Micros): Trip {
    const { roundTrip, requestShare, loss } = this.#network
    const random = this.#requests[operation](execution).fork('sent', sentMicros)
    const lot = random.next()
    const takesMicros = drawMicros(roundTrip[operation], random)
    const thereMicros = Math.round(takesMicros * requestShare)
    const backMicros = takesMicros - thereMicros
    const lost = lot < loss.request ? 'there' : lot < loss.request + loss.answer ? 'back' : 'no'
    return { thereMicros, backMicros, lost }
  }

  setUp(): SetUp {
    const random = this.#connections(this.#connectionsDrawn++)
    const lost = random.next() < this.#network.loss.connection
    return { lost, takesMicros: drawMicros(this.#network.setUp, random) }
  }
}

function drawMicros(distribution: Distribution, random: Random): Micros {
  return Math.max(0, Math.round(draw(distribution, random)))
}
