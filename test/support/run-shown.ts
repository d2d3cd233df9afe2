/** A run's document as each medium shows it. */
import { reportFiles } from '../../src/report/frame/render/files.ts'
import { renderTerminal } from '../../src/report/frame/render/terminal.ts'
import type { TerminalOptions } from '../../src/report/frame/render/terminal.ts'
import { runReport } from '../../src/report/run/report.ts'
import type { ResultDocument } from '../../src/result/document.ts'

export function runTerminal(document: ResultDocument, options: TerminalOptions): string {
  return renderTerminal(runReport(document), options)
}

export function runFile(
  document: ResultDocument,
  name: 'report.html' | 'summary.md' | 'comment.md' | 'junit.xml',
): string {
  return reportFiles(runReport(document))[name]!
}
