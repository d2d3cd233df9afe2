/**
 * What an arrival process is: points on a line where one arrival is expected per unit of length.
 * `NAME.ts` beside this file says how it goes and how an author writes it, `NAME.schema.ts` how
 * that is checked: the engine runs inside k6 too, where zod shall not be.
 */
import type { Random } from '../../../base/random.ts'

/**
 * Gives the next point, never before the former one. Points live in *operational time*, the
 * integral of the rate: the schedule maps them to the run's clock through the inverse of that
 * integral, so that a process need not know of rates (time rescaling; Brown et al., "The
 * time-rescaling theorem and its application to neural spike train data analysis", 2002).
 */
export type NextPoint = () => number

export interface PointProcess<P extends { kind: string }, Written> {
  /** Never there: it carries the type of what an author writes. */
  readonly written?: Written
  /**
   * Begins a run: from 0 on, in the mean as many points as the line is long. All draws come from
   * `random`.
   */
  points(process: P, random: Random): NextPoint
  /**
   * How many points lie before `length`, where that is the same in every run. Default: only
   * drawing them tells.
   */
  countBefore?(length: number): number
}
