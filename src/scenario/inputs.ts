/** What each arrival passes to the crew, and its tags: as an author writes it, and in a plan. */
import type { Random } from '../base/random.ts'

/** Names and values as the crew accepts them: `{ topic: 'bees', audience: 'children' }`. */
export type InputRecord = Readonly<Record<string, unknown>>

export type InputsOption =
  /** The same for every arrival. */
  | InputRecord
  /** Used in order, starting again from the first when all have been used. */
  | readonly (InputRecord | InputEntry)[]
  /**
   * A list with an order: `'in-order'` (default), `'random'`, or `'weighted'` by each entry's
   * `weight`.
   */
  | {
      list: readonly (InputRecord | InputEntry)[]
      order?: 'in-order' | 'random' | 'weighted'
    }
  /**
   * The rows of a CSV file (first line: names) or a JSON file (an array of objects), relative to
   * the scenario file's folder.
   */
  | { rows: string; order?: 'in-order' | 'random' }
  /**
   * Makes new inputs for each arrival; draw from `random`, so that the same seed gives the same
   * inputs.
   */
  | ((arrival: ArrivalContext) => InputRecord)

/**
 * What the compiler accepts as inputs: also an `interface`, which TypeScript never takes for a
 * record, because it has no index signature. What is none of `InputsOption` is refused when the
 * scenario is read.
 */
export type AnyInputs = InputsOption | object

export interface InputEntry {
  inputs: InputRecord
  /** The relative weight, over 0. Default: 1. It is used in a list of order `'weighted'`. */
  weight?: number
  /** Labels by which results are broken down. */
  tags?: Readonly<Record<string, string>>
}

export interface ArrivalContext {
  /** The index of the arrival in the whole schedule, from 0. */
  index: number
  /** This arrival's own random stream. */
  random: Random
}

export type TagsOption<R extends object = InputRecord> =
  | Readonly<Record<string, string>>
  | TagsFunction<R>

/** Written as a method, so that a scenario with specific inputs is still a `Scenario`. */
type TagsFunction<R extends object> = {
  tags(arrival: { index: number; inputs: R }): Readonly<Record<string, string>>
}['tags']

/** The inputs that an `inputs` option makes. */
export type InputsOf<I> = I extends (arrival: never) => infer R
  ? RecordOf<R>
  : I extends readonly (infer E)[]
    ? RecordOf<E>
    : I extends { rows: string }
      ? Readonly<Record<string, string>>
      : I extends { list: readonly (infer E)[] }
        ? RecordOf<E>
        : I extends object
          ? I
          : InputRecord

type RecordOf<E> = E extends { inputs: infer R }
  ? R extends object
    ? R
    : E
  : E extends object
    ? E
    : InputRecord

/**
 * Further members of the kickoff's body beside `inputs`, the same for every arrival or made for
 * each: `meta`, `taskWebhookUrl`, `stepWebhookUrl`, `crewWebhookUrl`, `webhooks`, and any others.
 */
export type KickoffOption<R extends object = InputRecord> = InputRecord | KickoffFunction<R>

/** Written as a method, so that a scenario with specific inputs is still a `Scenario`. */
type KickoffFunction<R extends object> = {
  members(arrival: ArrivalContext & { inputs: R }): InputRecord
}['members']

export interface ArrivalInputs {
  inputs: Readonly<Record<string, unknown>>
  tags: Readonly<Record<string, string>>
  /** Members of the kickoff's body beside `inputs`; missing if the scenario has none. */
  members?: InputRecord
}

/** A group of executions is named `name=value` by its tag; zod leaves the other name out. */
export function isTagName(name: string): boolean {
  return name !== '__proto__' && !name.includes('=')
}

/**
 * The inputs of arrival `index`: they depend only on index and seed, not on the caller or the order
 * of calls. The user's code may throw.
 */
export interface InputSource {
  (index: number): ArrivalInputs
  /** A description for people: `3 entries, in order`. */
  readonly description?: string
  /** The source of the inputs, from which they can be made again elsewhere. */
  readonly material?: InputMaterial
}

export interface InputMaterial {
  inputs: InputsOption
  /** Missing if the body has no members beside `inputs`. */
  kickoff?: KickoffOption
  tags: TagsOption
  /** Rows of the file that `inputs` names; empty when it names none. */
  rows: readonly InputRecord[]
}
