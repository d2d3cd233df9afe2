/** The fake crew's ledger compared with the client's records; absent when the target keeps none. */
import type { LedgerResult, ResultDocument } from '../../../result/document.ts'
import { formatCount, formatMs, plural } from '../../../base/numbers.ts'
import { plainText, shortId } from '../../text/format.ts'
import type { Block, Fact } from '../../frame/report.ts'
import { columnsOf } from '../../text/table.ts'
import { sentencesOf } from './section.ts'
import type { RunSection } from './section.ts'

export const LEDGER: RunSection = {
  chapter: 'What went wrong',
  title: 'The fake crew’s ledger against the client’s records',
  blocks: (document) =>
    document.ledger === null
      ? []
      : [...sentencesOf(ledgerFacts(document)), disagreementTable(document.ledger)],
  furtherFacts: ledgerFacts,
}

function disagreementTable({ disagreements }: LedgerResult): Block {
  return {
    kind: 'table',
    columns: [...columnsOf(['kind'], ['count']), { title: 'examples', kind: 'code' }],
    rows: disagreements.map(({ kind, count, examples }) => [
      kind,
      formatCount(count),
      examples.map(({ kickoffId, detail }) => `${shortId(kickoffId)} ${plainText(detail)}`),
    ]),
    empty: null,
    on: ['page', 'markdown'],
  }
}

function ledgerFacts({ ledger, warmUpArrivals }: ResultDocument): Fact[] {
  if (ledger === null) return []
  const { agreed, rows, disagreements, clockErrorMs, endIntervals } = ledger
  const warmUp = warmUpArrivals > 0 ? ', warm-up included' : ''
  const { contained, checked } = endIntervals
  // A kickoff that got no usable answer may have started a row, which contradicts nobody.
  const contradicted = disagreements
    .filter(({ kind }) => kind !== 'lost')
    .reduce((sum, { count }) => sum + count, 0)
  const unknown = rows - agreed - contradicted
  const text = [
    `agrees on ${formatCount(agreed)} of ${plural(rows, 'row')}${warmUp}`,
    ...disagreements.map(({ kind, count }) => `${kind} ${count}`),
    ...(unknown > 0 ? [`${plural(unknown, 'row')} of kickoffs without a usable answer`] : []),
    `polls bracket ${formatCount(contained)} of ${plural(checked, 'end')}, within the clock error ` +
      `of ${formatMs(clockErrorMs)}`,
  ].join('; ')
  return [{ name: 'Ledger', text, on: ['terminal'] }]
}
