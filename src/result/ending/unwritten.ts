/** The verdict of a run whose reports could not be written. */
import type { ResultDocument } from '../document.ts'

/**
 * Whoever reads the folder later finds nothing, or the reports of before: the run must not pass
 * where it ended.
 */
export function withoutReports(document: ResultDocument, why: string): ResultDocument {
  const { verdict } = document
  const reason = {
    code: 'reports-unwritten' as const,
    message: `the reports could not be written: ${why}`,
    remedy: 'make room, or free the folder, and write them with crewload report render',
  }
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
