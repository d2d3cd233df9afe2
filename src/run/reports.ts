/**
 * Everything that a run writes besides its journal: the result, its reports, and the ledger when
 * there is one.
 */
import type { ResultDocument } from '../result/document.ts'
import type { Ledger } from '../result/ledger/reconcile.ts'
import { withoutReports } from '../result/ending/endings.ts'
import { reportFiles } from '../report/frame/render/files.ts'
import { runReport } from '../report/run/report.ts'
import { tryArtefacts } from './folder/artefacts.ts'
import { CLOCK_FILE, FAULTS_FILE, LEDGER_FILE, RESULT_FILE } from './folder/folder.ts'
import { histogramLog } from '../result/counting/histogram.ts'
import { visibleJson } from '../base/visible.ts'

export const REPORT_FILE = 'report.html'

export interface Reported {
  /** As given, or INVALID where its reports could not be written. */
  document: ResultDocument
  /** The message of the failure; null when everything was written. */
  unwritten: string | null
}

/**
 * Replaces existing files. A full disk does not discard what was measured, but nobody shall read of
 * a run that passed.
 */
export async function tryReports(
  folder: string,
  document: ResultDocument,
  ledger: Ledger | null,
): Promise<Reported> {
  // First, because nothing else has it: all others are rendered again from it and the journal.
  const lost = ledger === null ? null : await tryArtefacts(folder, () => ledgerFiles(ledger))
  const unwritten = lost ?? (await tryArtefacts(folder, () => filesOf(document)))
  return unwritten === null
    ? { document, unwritten }
    : { document: withoutReports(document, unwritten), unwritten }
}

function filesOf(document: ResultDocument): Record<string, string> {
  return {
    [RESULT_FILE]: `${visibleJson(document)}\n`,
    ...reportFiles(runReport(document)),
    'histograms.hlog': histogramLog(document),
  }
}

function ledgerFiles({ rows, clock, faults }: Ledger): Record<string, string> {
  return {
    [LEDGER_FILE]: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    [CLOCK_FILE]: `${JSON.stringify({ ...clock, rows: rows.length })}\n`,
    ...(faults === undefined ? {} : { [FAULTS_FILE]: `${JSON.stringify(faults)}\n` }),
  }
}
