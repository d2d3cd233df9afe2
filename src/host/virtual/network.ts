/**
 * The network between client and crew: how long each direction takes, the cost of opening a
 * connection, and losses.
 */
import { unreachable } from '../../base/assert.ts'
import type { DocumentedOperation, Operation } from '../../crew/answer.ts'
import type { CrewRequest } from '../../crew/crew-request.ts'
import type { Distribution } from '../../base/distribution.ts'
import { UserError, nearTo } from '../../base/mistakes.ts'
import { formatDuration, formatDurations, formatShare } from '../../base/numbers.ts'
import { sampler } from '../../base/distribution.ts'
import type { Random } from '../../base/random.ts'
import { forks, forksBriefly } from '../../base/random.ts'
import type { Micros } from '../../base/units.ts'

/** All times in microseconds of wall time: a time-lapse does not shorten the network. */
export interface Network {
  /**
   * The name of a preset, or of the run from which it was learned: `run smoke-20261121T100000Z`.
   */
  name: string
  /** The source of the figures, as a sentence without a full stop. */
  source: string
  /**
   * First byte sent to last byte received, without the server's time if `serverTime` is `profile`.
   */
  roundTrip: Readonly<Record<DocumentedOperation, Distribution>>
  /**
   * The part of the round trip, 0 to 1, after which the crew sees the request and reads its clock.
   */
  requestShare: number
  /** Opening a connection, in addition to the first round trip on it: TCP, and TLS if used. */
  setUp: Distribution
  /**
   * `profile`: the HTTP latency (and the HTTP pool) of the profile is added; `included`: the round
   * trip already contains it.
   */
  serverTime: 'profile' | 'included'
  loss: NetworkLoss
}

/** Shares, 0 to 1. */
interface NetworkLoss {
  /**
   * The share of connections being opened that get no answer: `connect-timeout`, at the plan's
   * limit.
   */
  connection: number
  /** The share of requests whose connection is reset on the way there: the crew never sees them. */
  request: number
  /**
   * The share of requests whose connection is reset on the way back: the crew has performed the
   * operation.
   */
  answer: number
}

const NO_LOSS: NetworkLoss = { connection: 0, request: 0, answer: 0 }
const AT_ONCE: Distribution = { kind: 'constant', value: 0 }
const HALF_WAY = 0.5

/** The presets by name. */
export const NETWORKS = {
  none: preset('none', {
    source: 'by definition: bytes arrive instantly',
    roundTrip: AT_ONCE,
    setUp: AT_ONCE,
  }),
  loopback: preset('loopback', {
    // The Node host with a fake crew without latency of its own.
    source: 'measured on a busy two-core machine',
    roundTrip: { kind: 'lognormal', median: 1_000, p95: 3_500, cap: 20_000 },
    setUp: { kind: 'lognormal', median: 630, p95: 1_300, cap: 8_000 },
  }),
  lan: preset('lan', {
    source:
      'published values between zones of one cloud region are 0.8 to 1.1 ms; the ' +
      'tail is our assumption',
    roundTrip: { kind: 'lognormal', median: 1_000, p95: 2_000, cap: 50_000 },
    setUp: { kind: 'lognormal', median: 2_000, p95: 4_000, cap: 100_000 },
  }),
  wan: preset('wan', {
    source: 'our assumption: a client elsewhere on the same continent',
    roundTrip: { kind: 'lognormal', median: 40_000, p95: 90_000, cap: 1_000_000 },
    setUp: { kind: 'lognormal', median: 80_000, p95: 180_000, cap: 2_000_000 },
    loss: { connection: 0.001, request: 0.000_1, answer: 0.000_1 },
  }),
} as const satisfies Record<string, Network>

export const DEFAULT_NETWORK_NAME = 'loopback' satisfies keyof typeof NETWORKS

interface Preset {
  source: string
  roundTrip: Distribution
  setUp: Distribution
  loss?: NetworkLoss
}

function preset(name: string, { source, roundTrip, setUp, loss = NO_LOSS }: Preset): Network {
  return {
    name,
    source,
    roundTrip: { inputs: roundTrip, kickoff: roundTrip, status: roundTrip },
    requestShare: HALF_WAY,
    setUp,
    serverTime: 'profile',
    loss,
  }
}

/** Throws UserError for a name that is not a preset. */
export function networkNamed(name: string): Network {
  const networks: Readonly<Record<string, Network>> = NETWORKS
  if (Object.hasOwn(networks, name)) return networks[name]!
  const names = Object.keys(networks)
  throw new UserError({
    source: '--network',
    found: JSON.stringify(name),
    problem: `expected ${names.join(', ')}, or the folder of a run to learn from`,
    ...nearTo(name, names),
  })
}

/**
 * Describes a network for reports, in one line that begins like `loopback: round trip median 1.00
 * ms, p95 3.50 ms; connection set-up ...`.
 */
export function describeNetwork(network: Network): string {
  return `${network.name}: ${networkWords(network)}`
}

/** What it does, without its name. */
export function networkWords({ roundTrip, setUp, loss, serverTime, source }: Network): string {
  const parts = [
    roundTripWords(roundTrip),
    `connection set-up ${distributionWords(setUp)}`,
    lossWords(loss),
    serverTime === 'profile'
      ? "plus the profile's HTTP latency"
      : 'the HTTP latency of the server is in the round trip',
  ]
  return `${parts.join('; ')} (${source})`
}

function roundTripWords({ kickoff, status }: Network['roundTrip']): string {
  const [ofKickoff, ofStatus] = [distributionWords(kickoff), distributionWords(status)]
  if (ofKickoff === ofStatus) return `round trip ${ofStatus}`
  return `round trip of a kickoff ${ofKickoff}, of a status ${ofStatus}`
}

function lossWords({ connection, request, answer }: NetworkLoss): string {
  const parts = [
    [connection, 'of new connections'],
    [request, 'of requests'],
    [answer, 'of answers'],
  ] as const
  const lost = parts.filter(([share]) => share > 0)
  if (lost.length === 0) return 'nothing lost'
  return `lost: ${lost.map(([share, what]) => `${formatShare(share)} ${what}`).join(', ')}`
}

function distributionWords(distribution: Distribution): string {
  switch (distribution.kind) {
    case 'constant':
      return formatDuration(distribution.value)
    case 'uniform':
      return formatDurations(distribution.min, distribution.max)
    case 'lognormal':
      return (
        `median ${formatDuration(distribution.median)}, p95 ` + formatDuration(distribution.p95)
      )
    case 'gamma':
      return `mean ${formatDuration(distribution.mean)}, cv ${distribution.cv}`
    case 'quantiles':
      return (
        `median ${valueAt(distribution.points, 0.5)}, p95 ` + valueAt(distribution.points, 0.95)
      )
    default:
      return unreachable(distribution)
  }
}

/** The first point at or beyond `q`. */
function valueAt(points: readonly { q: number; value: number }[], q: number): string {
  return formatDuration(points.find((point) => point.q >= q)?.value ?? 0)
}

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
  readonly #pushes: (number: number) => Random
  readonly #connections: (number: number) => Random
  #connectionsDrawn = 0

  constructor(network: Network, random: Random) {
    this.#network = network
    const requests = random.fork('requests')
    const of = (operation: Operation): OperationDraws => ({
      stream: forksBriefly(requests, operation, 'sent'),
      roundTrip: sampler(network.roundTrip[operation === 'resume' ? 'kickoff' : operation]),
    })
    this.#requests = {
      inputs: of('inputs'),
      kickoff: of('kickoff'),
      status: of('status'),
      resume: of('resume'),
    }
    this.#setUp = sampler(network.setUp)
    this.#pushes = forks(random.fork('pushes'), 'push')
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

  /** The way of the crew's n-th push to the client, and of the answer back: as of a poll. */
  push(number: number): Pick<Trip, 'thereMicros' | 'backMicros'> {
    const takesMicros = drawMicros(this.#requests.status.roundTrip, this.#pushes(number))
    const thereMicros = Math.round(takesMicros * this.#network.requestShare)
    return { thereMicros, backMicros: takesMicros - thereMicros }
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
