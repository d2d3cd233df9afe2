/** What pushes reported beside polls; absent if the run listened for none. */
import { familyNamed } from '../../../../scenario/thresholds/metrics.ts'
import type { PushesResult, ResultDocument } from '../../../../result/document.ts'
import { formatCount, formatShare, plural } from '../../../../base/numbers.ts'
import { formatMetric } from '../../../../result/metrics/sentences.ts'
import type { Block } from '../../../frame/report.ts'
import type { Medium } from '../../../text/table.ts'
import { columnsOf } from '../../../text/table.ts'
import type { RunSection } from '../section.ts'
import { findMetric } from '../waits/rows.ts'

/** A terminal and Markdown have it where a threshold asks for pushes. */
export const PUSHES: RunSection = {
  chapter: 'The cost of polling',
  title: 'Pushes beside polls',
  blocks: (document) => {
    const { pushes, thresholds } = document
    if (pushes === undefined) return []
    const isAsked = thresholds.some(({ metric }) => familyNamed(metric)?.needs === 'pushes')
    const on = isAsked ? (['page', 'markdown', 'terminal'] as const) : (['page'] as const)
    return [{ kind: 'prose', text: sentence(document, pushes), on: ['page'] }, table(pushes, on)]
  },
}

function sentence(
  document: ResultDocument,
  { ends, missed, early, unheard = 0, ledger }: PushesResult,
): string {
  const gap = unheard === 0 ? [] : [`${plural(unheard, 'end')} came while nobody listened.`]
  if (ends === 0) {
    return ['No execution was seen to end, so pushes cannot be judged.', ...gap].join(' ')
  }
  const share = formatShare(missed / ends)
  const missing = `No push in time reported ${formatCount(missed)} of ${plural(ends, 'end')} (${share}).`
  const tooEarly = early === 0 ? [] : [`${plural(early, 'end')} had a push that came too early.`]
  const delay = findMetric(document, 'pushes.delay', 'p50')
  const median =
    delay === null || delay.value === null
      ? []
      : [`Half of the ends were pushed within ${formatMetric(delay)}.`]
  const sent =
    ledger === null ? [] : [`By the ledger ${formatCount(ledger.sent)} reports were sent.`]
  return [missing, ...tooEarly, ...gap, ...median, ...sent].join(' ')
}

function table(pushes: PushesResult, on: readonly Medium[]): Block {
  const { ledger, refused } = pushes
  const rows: [string, number][] = [
    ['reports received', pushes.received],
    ['ends that polls saw', pushes.ends],
    ['ends that no push reported in time', pushes.missed],
    ['ends reported too early', pushes.early],
    ...(pushes.unheard === undefined
      ? []
      : ([['ends while nobody listened, after a cut', pushes.unheard]] as [string, number][])),
    ['reports repeated', pushes.repeated],
    ['reports before the answer to the kickoff', pushes.beforeAnswer],
    ...(ledger === null
      ? []
      : ([
          ['reports sent, by the ledger', ledger.sent],
          ['reports lost on the way, by the ledger', ledger.lost],
        ] as [string, number][])),
    ...Object.entries(refused).map(([why, count]): [string, number] => [`refused: ${why}`, count]),
  ]
  return {
    kind: 'table',
    columns: columnsOf(['pushes'], ['count']),
    rows: rows.map(([name, count]) => [name, formatCount(count)]),
    empty: null,
    on,
  }
}
