/** The fake crew's ledger compared with the client's records; absent when the target keeps none. */
import type { ResultDocument } from '../../../result/document.ts'
import { formatCount, formatMs, plainText, plural } from '../../frame/format.ts'
import type { Block } from '../../frame/report.ts'
import { columnsOf } from '../../frame/table.ts'
import { shortId } from '../summary.ts'
import type { RunSection } from './section.ts'

type LedgerResult = NonNullable<ResultDocument['ledger']>

export const LEDGER: RunSection = {
  chapter: 'What went wrong',
  title: 'The fake crew’s ledger against the client’s records',
  blocks: ({ ledger, warmUpArrivals }) =>
    ledger === null
      ? []
      : [
          { kind: 'prose', text: agreed(ledger, warmUpArrivals), on: ['page'] },
          disagreementTable(ledger),
        ],
  furtherFacts: ({ ledger, warmUpArrivals }) =>
    ledger === null
      ? []
      : [{ name: 'Ledger', text: ledgerSentence(ledger, warmUpArrivals), on: ['terminal'] }],
}

function agreed(
  { agreed, rows, clockErrorMs, endIntervals }: LedgerResult,
  warmUp: number,
): string {
  const included = warmUp > 0 ? ', including the warm-up’s' : ''
  const { contained, checked } = endIntervals
  const ends = `${formatCount(contained)} of ${formatCount(checked)} true ends`
  return (
    `Client and ledger agree on ${formatCount(agreed)} of ` +
    `${plural(rows, 'ledger row')}${included}; ${ends} lie in the interval given ` +
    `by the polls, widened by the clock error of ${formatMs(clockErrorMs)}.`
  )
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

function ledgerSentence(
  { agreed, rows, disagreements }: LedgerResult,
  warmUpArrivals: number,
): string {
  const warmUp = warmUpArrivals > 0 ? ', warm-up included' : ''
  if (disagreements.length === 0)
    return agreed === 1
      ? 'agrees on the only execution'
      : `agrees on all ${plural(agreed, 'execution')}${warmUp}`
  const kinds = disagreements.map(({ kind, count }) => `${kind} ${count}`)
  return `agrees on ${formatCount(agreed)} of ${plural(rows, 'row')}${warmUp}; ${kinds.join(', ')}`
}
