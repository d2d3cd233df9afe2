/** The definition of a family of metrics: everything except how it is measured. */
import type { Outcome } from '../../outcomes.ts'
import type { Operation } from '../../../crew/answer.ts'

/**
 * `micros` are integer microseconds; a `share` runs from 0 to 1; `perSecond` is a rate over the
 * measured window; a `flag` is 1 or 0.
 */
export type MetricUnit = 'micros' | 'share' | 'count' | 'perSecond' | 'flag'

export interface MetricFamily {
  /** The name of the family in code. */
  kind: string
  /**
   * The names in the family: `<operation>.error` has three. The part in angle brackets is a word of
   * `Words`, or one of the words listed there.
   */
  pattern: string
  unit: MetricUnit
  /**
   * `crew`: its time runs `speed` times as fast in a time-lapse, so a bound is divided (a rate
   * multiplied); `real`: it does not.
   */
  time: 'crew' | 'real'
  /** One or more sentences for the documentation and for `crewload schema metrics`. */
  meaning: string
  /** The meaning of each word listed in `pattern`, when `meaning` does not explain it. */
  each?: Readonly<Record<string, string>>
  /** What one observation is; null for a metric that is not a count of observations. */
  observation: 'execution' | 'request' | null
  /**
   * The parts of a result that contain it: only the whole run, or also the arrivals of each tag.
   */
  of: 'run' | 'tags'
  /** What to look at first when a threshold on it is missed. */
  hint: string
}

/**
 * `p95` is `{ kind: 'quantile', q: 0.95 }`; any `p<number>` with 0 < number < 100 is a quantile.
 */
export type Statistic =
  | { kind: 'quantile'; q: number }
  | { kind: 'min' }
  | { kind: 'max' }
  | { kind: 'mean' }

type StatisticName = 'min' | 'max' | 'mean' | `p${number}`

/** The words that a pattern can contain: as written, and as parsed. */
interface Words {
  operation: { written: Operation; read: Operation }
  statistic: { written: StatisticName; read: Statistic }
  outcome: { written: Outcome; read: Outcome }
  /** Any text: the name of one of the scenario's checks. */
  name: { written: string; read: string }
}

/** Every name of a pattern, which an editor can complete. */
export type NameIn<Pattern> = Pattern extends `${infer Head}<${infer Slot}>${infer Tail}`
  ? `${Head}${Written<Slot>}${NameIn<Tail>}`
  : Pattern & string

/** The meaning of a name of the family: the family, and a field for each slot of its pattern. */
export type ReferenceTo<Family> = Family extends { kind: infer Kind; pattern: infer Pattern }
  ? {
      [Field in FieldOf<SlotIn<Pattern>> | 'kind']: Field extends 'kind'
        ? Kind
        : Read<Field, Pattern>
    }
  : never

type SlotIn<Pattern> = Pattern extends `${string}<${infer Slot}>${infer Tail}`
  ? Slot | SlotIn<Tail>
  : never

/** Words listed in the pattern itself are in the field `which`. */
type FieldOf<Slot> = Slot extends keyof Words ? Slot : Slot extends string ? 'which' : never

type Read<Field, Pattern> = Field extends keyof Words
  ? Words[Field]['read']
  : OneOf<Exclude<SlotIn<Pattern>, keyof Words>>

type Written<Slot> = Slot extends keyof Words ? Words[Slot]['written'] : OneOf<Slot>

type OneOf<Slot> = Slot extends `${infer First}|${infer Rest}` ? First | OneOf<Rest> : Slot & string
