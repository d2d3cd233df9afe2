/**
 * The interface of an arrival process: points on a line where one arrival is expected per unit of
 * length. `NAME.ts` beside this file defines its behaviour and how an author writes it,
 * `NAME.schema.ts` how that is checked: the engine also runs inside k6, whose bundle must not
 * contain zod.
 */
import type { Random } from '../../../base/random.ts'

/**
 * Returns the next point, never before the previous one. Points are in *operational time*, the
 * integral of the rate: the schedule maps them to the run's clock by the inverse of that integral,
 * so a process need not know the rate (time rescaling; Brown et al., "The time-rescaling theorem
 * and its application to neural spike train data analysis", 2002).
 */
export type NextPoint = () => number

export interface PointProcess<P extends { kind: string }, Written> {
  /** Never set: it carries the type of what an author writes. */
  readonly written?: Written
  /**
   * Begins a run: points from 0 on, on average one per unit of length. All draws come from
   * `random`.
   */
  points(process: P, random: Random): NextPoint
  /**
   * How many points are before `length`, when that is the same in every run. Default: unknown until
   * they are drawn.
   */
  countBefore?(length: number): number
}
