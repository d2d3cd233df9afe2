/** The verdict of a run whose reports could not be written. */
import type { Reason, ResultDocument } from '../document.ts'

/** The reason of a run, or of a study. */
export function unwrittenReason(why: string): Reason & { code: 'reports-unwritten' } {
  return {
    code: 'reports-unwritten',
    message: `the reports could not be written: ${why}`,
    remedy: 'make room, or free the folder',
  }
}

/**
 * Whoever reads the folder later finds nothing, or the reports of before: the run must not pass
 * where it ended.
 */
export function withoutReports(document: ResultDocument, why: string): ResultDocument {
  const { verdict } = document
  const reason = unwrittenReason(why)
  // Unlike those of a study, they are rendered again from the journal.
  reason.remedy += ', and write them with crewload report render'
  return {
    ...document,
    verdict: {
      ...verdict,
      outcome: 'invalid',
      valid: false,
      problems: 0,
      reasons: [reason, ...verdict.reasons],
      sentence: `The reports could not be written: ${why}.`,
    },
  }
}
