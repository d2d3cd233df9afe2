/** How far a study is: one value, and its words, for the terminal and for the page that watches. */
import { formatCount } from '../../base/numbers.ts'
import { visibleLine } from '../../base/visible.ts'
import type { BudgetLimits, Spent } from '../../engine/sending-budget.ts'
import type { LiveProgress } from '../../report/run/terminal/progress.ts'
import { clock, leftWords } from '../../report/run/terminal/progress.ts'

/** How far a study is. */
export interface StudyProgress {
  study: string
  /** What is tried. */
  trial: string
  /** Of the trial; counts from 1. */
  number: number
  /** The number of trials; null while it is not known. */
  of: number | null
  /** Whether `of` is an estimate. */
  isAbout: boolean
  /** Sent so far, the current run included. */
  spent: Spent
  budget: BudgetLimits
  /** Of all its processes, on the wall clock. */
  elapsedMs: number
  /** Until the end, by the mean time of the trials so far; null while it is not known. */
  leftMs: number | null
  /** The answer as it stands, in the study's words: `360 to 400/h`. */
  soFar: string | null
  /** The progress of the current run; null when there is none. */
  run: LiveProgress | null
}

/**
 * For example `capacity`, `step 3 of ~5: confirm 1: 381 per hour, 1,000 executions`,
 * `kickoffs 1,847/20,000`, `4:05`, `about 6 min left`, `so far: 360 to 400/h`.
 */
export function studyParts(progress: StudyProgress): string[] {
  const { study, trial, number, of, isAbout, spent, budget, run, soFar } = progress
  const steps = of === null ? '' : ` of ${isAbout ? '~' : ''}${formatCount(of)}`
  const parts = [
    study,
    `step ${formatCount(number)}${steps}: ${visibleLine(trial)}`,
    spentWords('kickoffs', spent.kickoffs, budget.kickoffs),
    // The requests of a run in progress are not counted before its end.
    run === null ? spentWords('requests', spent.requests, budget.requests) : '',
    clock(progress.elapsedMs),
    leftWords(progress.leftMs),
    soFar === null ? '' : `so far: ${soFar}`,
  ]
  return parts.filter((part) => part !== '')
}

function spentWords(what: string, spent: number, most: number | null): string {
  return most === null || most === 0 ? '' : `${what} ${formatCount(spent)}/${formatCount(most)}`
}
