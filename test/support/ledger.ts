/** The ledger in a run folder. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LedgerRow } from '../../src/crew/ledger.ts'

export async function readLedger(folder: string): Promise<LedgerRow[]> {
  const text = await readFile(join(folder, 'ledger.ndjson'), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LedgerRow)
}
