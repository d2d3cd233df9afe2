/** The files that every report becomes, whoever wrote it. */
import { renderComment } from './comment.ts'
import type { Report } from '../report.ts'
import { renderJUnit } from './junit.ts'
import { renderMarkdown } from './markdown.ts'
import { renderPage } from './page.ts'

/** The contents by file name. */
export function reportFiles(report: Report): Record<string, string> {
  return {
    'report.html': renderPage(report),
    'summary.md': renderMarkdown(report),
    'comment.md': renderComment(report),
    'junit.xml': renderJUnit(report),
  }
}
