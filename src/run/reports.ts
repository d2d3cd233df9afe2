/**
 * Everything that a run writes besides its journal: the result, its reports, and the ledger when
 * there is one.
 */
import type { ResultDocument } from '../result/document.ts'
import type { SampledExecutions } from '../result/execution-row.ts'
import type { Ledger } from '../result/ledger/reconcile.ts'
import { invalidWithoutReports } from '../result/validity/validity.ts'
import { reportFiles } from '../report/frame/render/files.ts'
import { runReport } from '../report/run/report.ts'
import { tryArtefacts } from './folder/artefacts.ts'
import { CLOCK_FILE, FAULTS_FILE, LEDGER_FILE, RESULT_FILE } from './folder/folder.ts'
import { histogramLog } from '../result/counting/histogram.ts'
import { browserScript } from './environment/package.ts'
import { deflateSync } from 'node:zlib'
import { visibleJson } from '../base/visible.ts'

export const REPORT_FILE = 'report.html'

export interface Reported<Document> {
  /** As given, or INVALID where its reports could not be written. */
  document: Document
  /** The message of the failure; null when everything was written, or nothing was to be. */
  unwritten: string | null
}

interface ReportSources {
  /** To be written beside the reports; null for none, or for one that is there. */
  ledger: Ledger | null
  /** For the page; null lists none. */
  executions: SampledExecutions | null
}

/** Replaces existing files, as `reported` does. */
export async function tryReports(
  folder: string | null,
  document: ResultDocument,
  { ledger, executions }: ReportSources,
): Promise<Reported<ResultDocument>> {
  return reported(folder, document, {
    ledgers: () => (ledger === null ? {} : ledgerFiles(ledger)),
    reports: () => filesOf(document, executions),
    spoilt: invalidWithoutReports,
  })
}

type FileTexts = () => Readonly<Record<string, string>>

interface ReportedFiles<Document> {
  ledgers: FileTexts
  reports: FileTexts
  /** The document where they could not be written. */
  spoilt: (document: Document, unwritten: string) => Document
}

/**
 * Writes nothing without a folder. The ledgers are first, because nothing else has them: all
 * reports are rendered again from them and the journal. A full disk does not discard what was
 * measured, but nobody shall read of a run that passed.
 */
export async function reported<Document>(
  folder: string | null,
  document: Document,
  { ledgers, reports, spoilt }: ReportedFiles<Document>,
): Promise<Reported<Document>> {
  const unwritten =
    folder === null
      ? null
      : ((await tryArtefacts(folder, ledgers)) ?? (await tryArtefacts(folder, reports)))
  return { document: unwritten === null ? document : spoilt(document, unwritten), unwritten }
}

function filesOf(
  document: ResultDocument,
  executions: SampledExecutions | null,
): Record<string, string> {
  const listed = executions && { ...executions, script: browserScript('report'), deflated }
  return {
    [RESULT_FILE]: `${visibleJson(document)}\n`,
    ...reportFiles(runReport(document, listed)),
    'histograms.hlog': histogramLog(document),
  }
}

function deflated(text: string): string {
  return deflateSync(text).toString('base64')
}

export function ledgerFiles({ rows, clock, faults }: Ledger): Record<string, string> {
  return {
    [LEDGER_FILE]: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    [CLOCK_FILE]: `${JSON.stringify({ ...clock, rows: rows.length })}\n`,
    ...(faults === undefined ? {} : { [FAULTS_FILE]: `${JSON.stringify(faults)}\n` }),
  }
}
