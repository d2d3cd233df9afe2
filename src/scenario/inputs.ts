/** What each arrival passes to the crew, and its tags, as an author writes them. */
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

export type TagsOption<R extends InputRecord = InputRecord> =
  | Readonly<Record<string, string>>
  | TagsFunction<R>

/** Written as a method, so that a scenario with specific inputs is still a `Scenario`. */
type TagsFunction<R extends InputRecord> = {
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
        : I extends InputRecord
          ? I
          : InputRecord

type RecordOf<E> = E extends { inputs: infer R }
  ? R extends InputRecord
    ? R
    : E
  : E extends InputRecord
    ? E
    : InputRecord
