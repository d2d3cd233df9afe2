/** A run's document as each medium shows it. */
import { reportFiles } from '../../src/report/frame/render/files.ts'
import { renderTerminal } from '../../src/report/frame/render/terminal.ts'
import type { TerminalOptions } from '../../src/report/frame/render/terminal.ts'
import { RUN_SECTIONS, runReport } from '../../src/report/run/report.ts'
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

/** What a run's report advises about the polling interval; empty where nothing is known. */
export function pollingAdvice(document: ResultDocument): string {
  const blocks = RUN_SECTIONS.filter(({ chapter }) => chapter === 'The cost of polling').flatMap(
    (section) => section.blocks(document),
  )
  const advice = blocks.find((block) => block.kind === 'prose' && block.as === 'advice')
  return advice?.kind === 'prose' ? advice.text : ''
}
