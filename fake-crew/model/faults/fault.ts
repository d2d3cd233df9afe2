/** A fault as a profile asks for it: what goes wrong, in which requests, and when. */
import type { Distribution } from '../../../src/base/distribution.ts'
import type { Operation } from '../../../src/crew/answer.ts'
import type { Micros } from '../../../src/base/units.ts'

export interface Fault {
  /** Unique in its crew: the ledger's mark, and what its draws are forked by. */
  name: string
  what: FaultWhat
  /** Null: every one that the kind can strike. */
  operations: readonly Operation[] | null
  /** Null for faults that no time ends. */
  time: FaultTime | null
  /** Of the requests that it could strike while it is on, it looks at the first so many alone; null: at all. */
  first: number | null
  /** Of those that it looks at, every so manyth; 1: each. */
  nth: number
  /** Of those, this share, 0 to 1. */
  chance: number
  /** Root of its draws; null: the crew's. */
  seed: number | null
}

/** Times in the crew's own time, which `speed` divides; they count from the crew's zero, or from when the fault was added. */
export type FaultTime =
  /** On from `fromMicros` for `forMicros` (null: for good), and again every `everyMicros` (null: once). */
  | { kind: 'window'; fromMicros: Micros; forMicros: Micros | null; everyMicros: Micros | null }
  /** Off, on, off, on: each length drawn. */
  | { kind: 'episodes'; off: Distribution; on: Distribution }

/** In whole or in part, what a client gets of an answer. */
export type FaultWhat =
  /** Another answer. `carriedOut`: the operation is done all the same. Null body: the words of the dialect. */
  | {
      kind: 'status'
      code: number
      body: string | null
      headers: Readonly<Record<string, string>>
      carriedOut: boolean
    }
  /** Real time, as all HTTP latency: speed leaves it alone. */
  | { kind: 'latency'; delay: Distribution }
  /** RST before the first byte, inside the body, or right behind the last. */
  | { kind: 'reset'; at: 'before' | 'during' | 'after'; carriedOut: boolean }
  /** FIN without a byte. */
  | { kind: 'empty'; carriedOut: boolean }
  /** FIN after `share` of the body, whose whole length was announced. */
  | { kind: 'truncate'; share: number }
  | { kind: 'malformed' }
  | { kind: 'contentType'; type: string }
  /** The body in `pieces`, over real time. */
  | { kind: 'drip'; pieces: number; overMicros: Micros }
  /** Never an answer. */
  | { kind: 'hang'; carriedOut: boolean }
  /** Silence after `share` of the body. */
  | { kind: 'stall'; share: number }
  /** New connections are refused; open ones go on. */
  | { kind: 'refuse' }
  /** A connection idle for `afterMicros` of real time is closed just as the next request comes. */
  | { kind: 'closeIdle'; afterMicros: Micros }
  /** An execution cannot be found for so long after its kickoff. In the crew's time. */
  | { kind: 'notFound'; for: Distribution }
  | { kind: 'stuck' }
  /** So many tasks fewer than there are completed. */
  | { kind: 'backwards'; tasks: number }
  /** An end that was told before becomes another state. */
  | { kind: 'flip'; to: 'running' | 'failed' }
  | { kind: 'noResult' }
  /** The result of an execution before it. */
  | { kind: 'swap' }
  /** Answered with an id; nothing starts. */
  | { kind: 'neverStarts' }
  /** It starts; the id told is nobody's, or that of the execution before. */
  | { kind: 'wrongId'; of: 'nobody' | 'another' }
  /** Every connection is cut, and new ones are refused while it lasts; without an end it is over at once. */
  | { kind: 'restart'; loses: RestartLoses }
  | { kind: 'denied'; why: 'revoked' | 'expired'; token: 'organization' | 'user' | 'any' }
  /** Its wall clock is ahead; below 0 it is behind. */
  | { kind: 'clockSkew'; byMicros: Micros }

/** All that it knew; what had not ended (waiting or running); or nothing. */
export type RestartLoses = 'all' | 'running' | 'none'

export type FaultKindName = FaultWhat['kind']

/** What a kind can strike: requests of these operations, or the connections themselves. */
export type FaultReach = readonly Operation[] | 'connections'

const EVERY: FaultReach = ['inputs', 'kickoff', 'status']
const KICKOFFS: FaultReach = ['kickoff']
const POLLS: FaultReach = ['status']

export const REACH: Readonly<Record<FaultKindName, FaultReach>> = {
  status: EVERY,
  latency: EVERY,
  reset: EVERY,
  empty: EVERY,
  truncate: EVERY,
  malformed: EVERY,
  contentType: EVERY,
  drip: EVERY,
  hang: EVERY,
  stall: EVERY,
  refuse: 'connections',
  closeIdle: EVERY,
  notFound: KICKOFFS,
  stuck: KICKOFFS,
  backwards: POLLS,
  flip: POLLS,
  noResult: POLLS,
  swap: POLLS,
  neverStarts: KICKOFFS,
  wrongId: KICKOFFS,
  restart: 'connections',
  denied: EVERY,
  clockSkew: EVERY,
}
