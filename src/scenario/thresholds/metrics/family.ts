/** What a family of metrics is: everything about it but how it is measured. */
import type { Operation } from '../../../crew/answer.ts'

/**
 * `micros` are integer microseconds; a `share` runs from 0 to 1; `perSecond` is a rate over the
 * measured window; a `flag` is 1 or 0.
 */
export type MetricUnit = 'micros' | 'share' | 'count' | 'perSecond' | 'flag'

export interface MetricFamily {
  /** Names it in code. */
  kind: string
  /**
   * The names in it: `<operation>.error` is three. What stands in angle brackets is a word of
   * `Words`, or one of the words given.
   */
  pattern: string
  unit: MetricUnit
  /**
   * `crew`: its time runs `speed` times as fast in a time-lapse, so a bound is divided (a rate
   * multiplied); `real`: it does not.
   */
  time: 'crew' | 'real'
  /** A sentence or more: for documents, and for `crewload schema metrics`. */
  meaning: string
  /** What each of the words given in `pattern` means, where `meaning` does not say. */
  each?: Readonly<Record<string, string>>
  /** What one observation is; null for what is no count of single ones. */
  observation: 'execution' | 'request' | null
  /** What every result holds it of: the whole run alone, or the arrivals of each tag too. */
  of: 'run' | 'tags'
  /** What to look at first, when a threshold on it is missed. */
  hint: string
}

/** `p95` is `{ kind: 'quantile', q: 0.95 }`; any `p<number>` with 0 < number < 100 is one. */
export type Statistic =
  | { kind: 'quantile'; q: number }
  | { kind: 'min' }
  | { kind: 'max' }
  | { kind: 'mean' }

type StatisticName = 'min' | 'max' | 'mean' | `p${number}`

/** How an execution can end; the same words as the outcomes of a record. */
export const OUTCOME_NAMES = [
  'completed',
  'failed',
  'rejected',
  'unknown',
  'lost',
  'stuck',
  'unreadable',
  'dropped',
  'notReached',
  'aborted',
] as const
type OutcomeName = (typeof OUTCOME_NAMES)[number]

/** The words that a pattern can ask for: as written, and as read. */
interface Words {
  operation: { written: Operation; read: Operation }
  statistic: { written: StatisticName; read: Statistic }
  outcome: { written: OutcomeName; read: OutcomeName }
  /** Anything: one of the scenario's checks, by its name. */
  name: { written: string; read: string }
}

/** Every name of a pattern: what an editor completes. */
export type NameIn<Pattern> = Pattern extends `${infer Head}<${infer Slot}>${infer Tail}`
  ? `${Head}${Written<Slot>}${NameIn<Tail>}`
  : Pattern & string

/** What a name of the family says: the family, and a field for each slot of its pattern. */
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

/** Words that a pattern gives itself are in the field `which`. */
type FieldOf<Slot> = Slot extends keyof Words ? Slot : Slot extends string ? 'which' : never

type Read<Field, Pattern> = Field extends keyof Words
  ? Words[Field]['read']
  : OneOf<Exclude<SlotIn<Pattern>, keyof Words>>

type Written<Slot> = Slot extends keyof Words ? Words[Slot]['written'] : OneOf<Slot>

type OneOf<Slot> = Slot extends `${infer First}|${infer Rest}` ? First | OneOf<Rest> : Slot & string
