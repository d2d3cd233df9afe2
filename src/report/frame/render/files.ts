/** The files that every report becomes, whoever wrote it. */
import { renderComment } from '../../ci/comment.ts'
import { renderSuite } from '../junit.ts'
import type { Report } from '../report.ts'
import { renderMarkdown } from './markdown.ts'
import { renderPage } from './page.ts'

/** The contents by file name. */
export function reportFiles(report: Report): Record<string, string> {
  const { title, origin, cases } = report
  const { startedAt, durationMs } = origin
  return {
    'report.html': renderPage(report),
    'summary.md': renderMarkdown(report),
    'comment.md': renderComment(report),
    'junit.xml': renderSuite({
      name: `crewload ${title}`,
      className: title,
      startedAt,
      durationMs,
      cases,
    }),
  }
}
