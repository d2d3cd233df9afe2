/** What is shown of a study that has ended: on the terminal, by `--json`, in CI. */
import { unwrittenReason } from '../../result/ending/endings.ts'
import type { Report } from '../../report/frame/report.ts'
import type { StudyDocument } from './envelope.ts'
import type { Study, StudyExit } from './study.ts'
import { headlineOf, INVALID, reportOf } from './study.ts'

export interface ShownStudy {
  document: StudyDocument
  report: Report
  exit: StudyExit
}

/**
 * `unwritten`: why the reports could not be written, or null. Whoever reads the folder later then
 * finds nothing, so the study must not pass where it ended; but what it found cost money, and is
 * shown.
 */
export function shownOf<Document extends StudyDocument>(
  study: Study<never, Document>,
  document: Document,
  unwritten: string | null,
): ShownStudy {
  const report = reportOf(study, document)
  if (unwritten === null) return { document, report, exit: study.exit(document) }
  const reason = unwrittenReason(unwritten)
  const { headline } = report
  const sentence =
    `The reports could not be written (${unwritten}). ` +
    `Without that: ${headline.word}. ${headline.sentence}`
  const reasons = [reason, ...document.verdict.reasons]
  return {
    document: {
      ...document,
      ...study.undecided,
      verdict: { ...document.verdict, outcome: 'invalid', sentence, reasons },
    },
    report: { ...report, headline: headlineOf(INVALID, sentence) },
    exit: 'invalid',
  }
}
