/** What the run of a mix writes besides its journal. */
import { visibleJson } from '../../base/visible.ts'
import { reportFiles } from '../../report/frame/render/files.ts'
import { mixReport } from '../../report/mix/report.ts'
import type { Ledger } from '../../result/ledger/reconcile.ts'
import { invalidWithoutReports } from '../../result/validity/validity.ts'
import type { MixDocument } from '../../result/mix.ts'
import { mixVerdict } from '../../result/mix.ts'
import { RESULT_FILE } from '../folder/folder.ts'
import type { Reported } from '../reports.ts'
import { ledgerFiles, reported } from '../reports.ts'

interface MixSources {
  /** Of each part; those of one crew have the same rows. */
  ledgers: readonly (Ledger | null)[]
  /** Of each part, the number of its crew. */
  crews: readonly number[]
}

/** Replaces existing files, as `reported` does. */
export async function tryMixReports(
  folder: string | null,
  document: MixDocument,
  { ledgers, crews }: MixSources,
): Promise<Reported<MixDocument>> {
  return reported(folder, document, {
    ledgers: () => filesOfLedgers(ledgers, crews),
    reports: () => ({
      [RESULT_FILE]: `${visibleJson(document)}\n`,
      ...reportFiles(mixReport(document)),
    }),
    spoilt: spoiltMix,
  })
}

function spoiltMix(document: MixDocument, unwritten: string): MixDocument {
  const parts = document.parts.map((each) => ({
    ...each,
    result: invalidWithoutReports(each.result, unwritten),
  }))
  return { ...document, verdict: mixVerdict(parts), parts }
}

/** What the names of the files of a crew begin with: nothing for the first. */
export function ledgerPrefix(crew: number): string {
  return crew === 0 ? '' : `crew-${crew + 1}.`
}

function filesOfLedgers(
  ledgers: MixSources['ledgers'],
  crews: MixSources['crews'],
): Record<string, string> {
  const files: Record<string, string> = {}
  for (const [i, ledger] of ledgers.entries()) {
    const crew = crews[i]!
    if (ledger === null || crews.indexOf(crew) !== i) continue
    const { faults: _, ...common } = ledger
    for (const [name, content] of Object.entries(ledgerFiles({ ...common, rows: ledger.rows }))) {
      files[ledgerPrefix(crew) + name] = content
    }
  }
  return files
}
