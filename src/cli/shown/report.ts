/** What stdout shows of a run or a study that has ended: its document or its report. */
import { visibleJson, visibleLine } from '../../base/visible.ts'
import type { Report } from '../../report/frame/report.ts'
import { renderTerminal } from '../../report/frame/render/terminal.ts'
import { REPORT_FILE } from '../../run/reports.ts'
import type { Io } from '../io/io.ts'
import { wantsColor } from '../io/io.ts'

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
    const reportPath = folder === null || unwritten !== null ? null : `${folder}/${REPORT_FILE}`
    const options = { color: wantsColor(io, io.stdout), width: io.stdout.width, reportPath }
    io.stdout.write(renderTerminal(report, options))
  }
  if (unwritten === null) return
  io.stderr.write(
    `crewload: the reports could not be written to ${folder}: ${visibleLine(unwritten)}\n`,
  )
}
