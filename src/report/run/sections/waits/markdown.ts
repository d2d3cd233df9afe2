/** The table of waits in Markdown. */
import type { ResultDocument } from '../../../../result/document.ts'
import { NOTHING } from '../../../frame/format.ts'
import type { Block } from '../../../frame/report.ts'
import { cellText, intervalOf, STATISTICS, waitRows } from './rows.ts'
import type { WaitRow } from './rows.ts'

export function waitMarkdown(document: ResultDocument): Block {
  return {
    kind: 'table',
    columns: ['what users wait for', ...STATISTICS, '95 % interval of p95'].map((each) => ({
      title: each,
    })),
    rows: waitRows(document).map(cellsOf),
    empty: null,
    on: ['markdown'],
  }
}

function cellsOf(row: WaitRow): string[] {
  const times = STATISTICS.map((name) => cellText(row.cells[name]))
  const label = row.note === null ? row.label : `${row.label} (${row.note})`
  return [label, ...times, intervalOf(row, 'p95') ?? NOTHING]
}
