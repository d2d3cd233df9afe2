/**
 * What a kind of fault does to the requests that it strikes: the few places where it can take hold.
 */
import type { Dialect } from '../../../src/crew/wire.ts'
import type { Random } from '../../../src/base/random.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { Demand } from '../work/demand.ts'
import type { Content, Delivery } from '../exchange.ts'
import { jsonContent } from '../exchange.ts'
import type { ExecutionView } from '../work/execution-view.ts'
import type { Call, Tokens } from '../gates.ts'
import type { Refusal } from '../refusal.ts'

/** What effects may know of the crew around them. */
export interface Stage {
  readonly dialect: Dialect
  readonly speed: number
  readonly tokens: Tokens
  /** Wall clock at the model's zero, Unix milliseconds. */
  readonly anchorUnixMs: number
  /** Any ordinal has an id, also those that no execution has. */
  idOf(ordinal: number): string
  /** Null where the executions are those of a target that is not modelled. */
  readonly truth: Truth | null
  refuse(refusal: Refusal): Content
}

/** What has become of the executions, and how that is told. */
interface Truth {
  /** Null for one that is forgotten. */
  view(ordinal: number, nowMicros: Micros): ExecutionView | null
  /** The status answer about it. */
  tell(view: ExecutionView, nowMicros: Micros): Content
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
  /**
   * Whether there is anything to strike; asked of every request within reach, struck or not.
   * Default: always.
   */
  applies?(scene: Scene): boolean
  /** Answers in place of the operation, which is not done. */
  instead?(scene: Scene): Content
  /** Of kickoffs: changes what the execution will need. */
  demand?(demand: Demand): Demand
  /** Of kickoffs: what is asked is found good, and not done. */
  startsNothing?: true
  /** Of kickoffs: the id that is told; `ordinal` is 0 where nothing starts. */
  kickoffId?(ordinal: number, scene: Scene): string
  /** Of kickoffs: how long the execution cannot be found, in wall time. */
  hiddenMicros?(scene: Scene): Micros
  /** Of polls: the execution, told otherwise than it is; undefined leaves it. */
  view?(view: ExecutionView): ExecutionView | undefined
  /** Changes the finished answer. */
  content?(content: Content, scene: Scene): Content
  /** Real time on top of the answer's delay. */
  delayMicros?(scene: Scene): Micros
  /** Nobody can ask for this execution any more. */
  forget?(ordinal: number): void
  /** How the answer reaches the client. */
  delivery?(content: Content): Delivery
}

/** An execution as it is: the one that a poll asks about, if no other is named; null for none. */
export function viewOf(
  { call, stage }: Scene,
  ordinal: number | undefined = call.ordinal,
): ExecutionView | null {
  if (ordinal === undefined || stage.truth === null) return null
  return stage.truth.view(ordinal, call.nowMicros)
}

/** Ordinals from here on are those of no execution: half of what an id can name. */
const NOBODYS = 2 ** 47

/** An id that looks like any other, and names nothing. */
export function strangeId({ stage, random }: Scene): string {
  return stage.idOf(NOBODYS + random.fork('id').bits())
}

/** `result` of a status answer, in either dialect; null for none. */
export function resultOf({ json }: Content): unknown {
  return isObject(json) ? (json['result'] ?? null) : null
}

/** A status answer with another result; other answers as they are. */
export function withResult(content: Content, result: unknown): Content {
  const { status, headers, json } = content
  if (!isObject(json) || !('result' in json)) return content
  return jsonContent(status, { ...json, result }, headers)
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
