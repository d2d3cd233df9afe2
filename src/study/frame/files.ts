/** The files that a study writes into its folder. */
import { visibleJson } from '../../base/visible.ts'
import { briefOfReport } from '../../report/ci/brief.ts'
import { renderComment } from '../../report/ci/comment.ts'
import { renderSuite } from '../../report/frame/junit.ts'
import type { Report } from '../../report/frame/report.ts'
import { renderReportMarkdown } from '../../report/frame/render/markdown.ts'
import { renderReportPage } from '../../report/frame/render/page.ts'
import type { StudyDocument } from './envelope.ts'
import type { Study } from './study.ts'
import { reportOf } from './study.ts'

/** The contents by file name. */
export function studyFiles<Plan, Document extends StudyDocument>(
  study: Pick<Study<Plan, Document>, 'name' | 'report'>,
  document: Document,
): Record<string, string> {
  const shown = reportOf(study, document)
  return {
    [`${study.name}.json`]: `${visibleJson(document)}\n`,
    'report.html': renderReportPage(shown),
    'summary.md': renderReportMarkdown(shown),
    'comment.md': renderComment(briefOfReport(shown)),
    'junit.xml': junitOf(shown),
  }
}

function junitOf({ title, origin, cases }: Report): string {
  const { startedAt, durationMs } = origin
  return renderSuite({ name: `crewload ${title}`, className: title, startedAt, durationMs, cases })
}
