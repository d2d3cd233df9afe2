/**
 * What a kind of fault does to the requests that it strikes: the few points at which it can take
 * effect.
 */
import type { DialectName } from '../../../src/crew/wire.ts'
import type { Random } from '../../../src/base/random.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { Demand } from '../work/demand.ts'
import type { Content, Delivery } from '../exchange.ts'
import type { ExecutionView } from '../work/execution-view.ts'
import type { Call, Tokens } from '../call.ts'
import type { Refusal } from '../refusal.ts'

/** The facts about the crew that effects may use. */
export interface FaultStage {
  readonly dialect: DialectName
  /** Null: the target of a proxy knows which are valid. */
  readonly tokens: Tokens | null
  /** Wall clock at the model's time zero, Unix milliseconds. */
  readonly anchorUnixMs: number
  /** Every ordinal has an id, including ordinals that no execution has. */
  idOf(ordinal: number): string
  /** Null for an execution that is forgotten, or that a real target has. */
  view(ordinal: number, nowMicros: Micros): ExecutionView | null
  /** The status answer about an execution. */
  tell(view: ExecutionView, nowMicros: Micros): Content
  refuse(refusal: Refusal): Content
}

/** One request that a fault may strike. */
export interface Scene {
  readonly call: Call
  readonly stage: FaultStage
  /** The random stream of this fault and this request. */
  readonly random: Random
}

/** The points a request passes, in order; a kind takes effect at one or two of them. */
export interface Effect {
  /**
   * Whether there is anything to strike. Called for every request in scope, struck or not. Default:
   * always true.
   */
  applies?(scene: Scene): boolean
  /** Answers in place of the operation, which is not performed. */
  instead?(scene: Scene): Content
  /** Kickoffs: changes the resources the execution will need. */
  demand?(demand: Demand): Demand
  /** Kickoffs: the request is accepted as valid but not performed. */
  startsNothing?: true
  /** Kickoffs: the id that the answer reports; `ordinal` is 0 if nothing starts. */
  kickoffId?(ordinal: number, scene: Scene): string
  /** Kickoffs: how long the execution cannot be found, in wall time. */
  hiddenMicros?(scene: Scene): Micros
  /** Polls: a changed view of the execution; undefined leaves it unchanged. */
  view?(view: ExecutionView): ExecutionView | undefined
  /** Changes the finished answer. */
  content?(content: Content, scene: Scene): Content
  /** Real time added to the answer's delay. */
  delayMicros?(scene: Scene): Micros
  /** The execution can no longer be asked for. */
  forget?(ordinal: number): void
  /** Returns how the answer reaches the client. */
  delivery?(content: Content): Delivery
}
