/** What stdout shows of a run or a study that has ended: its document or its report. */
import { visibleJson, visibleLine } from '../../base/visible.ts'
import type { Report } from '../../report/frame/report.ts'
import { renderTerminal } from '../../report/frame/render/terminal.ts'
import { REPORT_FILE } from '../../run/reports.ts'
import type { Io, Output } from '../io/io.ts'
import { wantsColor } from '../io/io.ts'
import { runReport } from '../../report/run/report.ts'
import type { RunOutcome } from '../../run/carry.ts'
import type { MixOutcome } from '../../run/mix/carry.ts'
import { listAbandoned } from './left-behind.ts'
import { appendFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { renderAnnotation, renderComment } from '../../report/frame/render/comment.ts'
import { renderMarkdown } from '../../report/frame/render/markdown.ts'
import { utf8Length } from '../../base/utf8.ts'

export interface ShownReport {
  quiet?: boolean
  json?: boolean
}

interface ShownEnd {
  document: object
  report: Report
  folder: string | null
  /** Why the reports could not be written, or null. */
  unwritten: string | null
}

export function showReport(
  { document, report, folder, unwritten }: ShownEnd,
  { quiet = false, json = false }: ShownReport,
  io: Io,
): void {
  if (json) io.stdout.write(`${visibleJson(document)}\n`)
  else if (!quiet) {
    const path = folder === null || unwritten !== null ? null : `${folder}/${REPORT_FILE}`
    const reportPath = path === null || !showsLinks(io, io.stdout) ? path : linked(path)
    const options = { color: wantsColor(io, io.stdout), width: io.stdout.width, reportPath }
    io.stdout.write(renderTerminal(report, options))
  }
  if (unwritten === null) return
  io.stderr.write(
    `crewload: the reports could not be written to ${folder}: ${visibleLine(unwritten)}\n`,
  )
}

/** Terminals that show OSC 8 as a link, by the variables that they set; others show the path. */
const LINKING = ['VTE_VERSION', 'WT_SESSION', 'KONSOLE_VERSION', 'KITTY_WINDOW_ID', 'DOMTERM']
const LINKING_PROGRAMS = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'Tabby'])

function showsLinks({ env }: Io, { isTerminal }: Output): boolean {
  if (!isTerminal || env['TERM'] === 'dumb') return false
  const isProgram = LINKING_PROGRAMS.has(env['TERM_PROGRAM'] ?? '')
  return isProgram || LINKING.some((name) => (env[name] ?? '') !== '')
}

/** https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda */
function linked(path: string): string {
  const { href } = pathToFileURL(path)
  return `\u001B]8;;${href}\u001B\\${path}\u001B]8;;\u001B\\`
}

export async function showOutcome(
  outcome: RunOutcome | MixOutcome,
  io: Io,
  shown: ShownReport,
): Promise<void> {
  const { document } = outcome
  const report =
    document.schema === 'crewload/mix/1'
      ? (await import('../../report/mix/report.ts')).mixReport(document)
      : runReport(document)
  showReport({ ...outcome, report }, shown, io)
  listAbandoned(outcome.abandoned, outcome.folder, io)
  await tellGitHub(report, shown, io)
}

/** GitHub shows no summary of a step that has more than 1 MiB; other commands write to it too. */
const MOST_BYTES = 500_000

/**
 * Outside of GitHub Actions it does nothing. A verdict that is not good becomes an annotation: on
 * stdout, or on stderr where stdout is JSON. The summary is added to the file that
 * GITHUB_STEP_SUMMARY names; one that is too long is replaced by the text of the comment. A file
 * that cannot be written is reported on stderr and changes no exit code.
 */
export async function tellGitHub(
  report: Report,
  { json = false }: { json?: boolean },
  io: Pick<Io, 'env' | 'stdout' | 'stderr'>,
): Promise<void> {
  if (io.env['GITHUB_ACTIONS'] !== 'true') return
  const output = json ? io.stderr : io.stdout
  output.write(renderAnnotation(report))
  const file = io.env['GITHUB_STEP_SUMMARY'] ?? ''
  if (file === '') return
  const summary = renderMarkdown(report)
  const text = utf8Length(summary) > MOST_BYTES ? renderComment(report) : summary
  await appendFile(file, `${text}\n`).catch((error: NodeJS.ErrnoException) => {
    const problem = `the job summary could not be written to ${file} (${error.code})`
    io.stderr.write(`crewload: ${visibleLine(problem)}\n`)
  })
}
