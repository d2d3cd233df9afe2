/** What goes on with a study that was cut, as the list of studies gives it. */
import { UserError } from '../../../base/mistakes.ts'
import { version } from '../../../run/environment/version.ts'
import type { ResumeOptions } from '../../../run/resume/options.ts'
import type { LeftBehind } from '../trial/series.ts'
import type { StudyOutcome } from './conduct.ts'
import type { StudyDocument } from '../envelope.ts'
import type { StudyRecipe } from './recipe.ts'

/** Tokens, header values and certificates are stored nowhere: they are given again. */
export interface ResumeStudyOptions extends Pick<
  ResumeOptions,
  'tokens' | 'headers' | 'tls' | 'env' | 'target' | 'onNote' | 'onTrouble' | 'onStart'
> {
  /**
   * The scenario, where it is not where it was; it must make the same plan. Default: the one that
   * was run.
   */
  scenario?: string
  /** A line about each trial as it ends. */
  tell?: (line: string) => void
}

interface ResumedStudy extends StudyOutcome<StudyDocument> {
  /** By run; each of these executions may go on costing money. */
  leftBehind: readonly LeftBehind[]
}

/**
 * Throws UserError where another version began it, or headers are missing: neither would be the
 * same study.
 */
export function demandSameStudy(
  folder: string,
  { crewload, headers }: StudyRecipe,
  given: Pick<ResumeStudyOptions, 'headers'>,
): void {
  const mistake = (problem: string): UserError =>
    new UserError({ source: folder, path: '', problem })
  if (crewload !== version()) {
    throw mistake(
      `was begun by crewload ${crewload}, and this is ${version()}: its trials could not be compared; begin it anew`,
    )
  }
  const missing = headers.filter((name) => !(name in (given.headers ?? {})))
  if (missing.length === 0) return
  const names = missing.map((name) => `--header '${name}: ...'`).join(' ')
  throw mistake(`was begun with headers whose values are stored nowhere: give ${names}`)
}

/**
 * Goes on with the trials that are missing, and ends with the document of a study that was never
 * cut. Throws UserError for the user's mistakes, a folder at work, and a scenario or profile that
 * has changed; TargetError as the study does.
 */
export type ResumeStudy = (
  folder: string,
  recipe: StudyRecipe,
  options: ResumeStudyOptions,
) => Promise<ResumedStudy>
