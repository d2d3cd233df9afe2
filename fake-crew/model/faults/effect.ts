/** What a kind of fault does to the requests that it strikes: the few places where it can take hold. */
import type { Dialect } from '../../../src/crew/wire.ts'
import type { Random } from '../../../src/random.ts'
import type { Micros } from '../../../src/units.ts'
import type { Content, Delivery } from '../exchange.ts'
import type { Call } from '../gates.ts'

/** What effects may know of the crew around them. */
export interface Stage {
  readonly dialect: Dialect
}

/** One request that a fault may strike. */
export interface Scene {
  readonly call: Call
  readonly stage: Stage
  /** A stream of this fault and this very request. */
  readonly random: Random
}

/** Places in the order in which a request passes them; a kind takes hold in one or two. */
export interface Effect {
  /** Whether there is anything to strike; asked of every request within reach, struck or not. Default: always. */
  applies?(scene: Scene): boolean
  /** Answers in place of the operation, which is not done. */
  instead?(scene: Scene): Content
  /** Changes the finished answer. */
  content?(content: Content, scene: Scene): Content
  /** Real time on top of the answer's delay. */
  delayMicros?(scene: Scene): Micros
  /** How the answer reaches the client. */
  delivery?(content: Content): Delivery
}
