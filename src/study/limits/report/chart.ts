/** The evidence of one operation as a picture: what was sent when, accepted or refused. */
import type { Chart, Mark } from '../../../report/charts/chart.ts'
import { formatCount, formatMs, plural } from '../../../report/frame/format.ts'
import type { LimitedOperation, OperationLimit } from '../document.ts'
import { limitWords } from '../analyse/words.ts'

/** Requests sent together stand above each other. */
export function evidenceChart(operation: LimitedOperation, limit: OperationLimit): Chart {
  const { replay } = limit
  const evidence = limit.evidence.filter(({ atMs }) => atMs >= 0)
  const marks = { accepted: [] as Mark[], refused: [] as Mark[], failed: [] as Mark[] }
  let burstMs = -Infinity
  let height = 0
  for (const { atMs, answer } of evidence) {
    height = atMs - burstMs < TOGETHER_MS ? height + 1 : 1
    if (height === 1) burstMs = atMs
    const tip = `${answer} ${formatMs(atMs)} after the first request`
    marks[answer].push({ x: atMs, y: height, low: null, high: null, tip })
  }
  const predicted =
    replay.of === 0
      ? ''
      : ` The limit that is named predicts ${formatCount(replay.predicted)} of ` +
        `${plural(replay.of, 'group')} of answers.`
  return {
    id: `evidence-${operation}`,
    finding: `${operation}: ${limitWords(limit)}`,
    caption:
      'Each point is a request; those that were sent together stand above each other. Full ' +
      `points were accepted, hollow ones refused.${predicted}`,
    x: { title: 'time', kind: 'elapsed' },
    panels: [
      {
        y: { title: 'Requests at once', kind: 'count' },
        lines: [],
        points: [
          { color: 'endToEnd', points: marks.accepted },
          { color: 'error', points: marks.refused.map((mark) => ({ ...mark, hollow: true })) },
          { color: 'grey', points: marks.failed },
        ],
        height: { narrow: 160, wide: 220 },
      },
    ],
    table: {
      columns: ['from', 'to', 'sent', 'accepted', 'refused', 'failed'],
      rows: burstRows(evidence),
    },
  }
}

const TOGETHER_MS = 100

function burstRows(evidence: OperationLimit['evidence']): string[][] {
  const bursts: { from: number; to: number; accepted: number; refused: number; failed: number }[] =
    []
  for (const { atMs, answer } of evidence) {
    const last = bursts.at(-1)
    const burst =
      last !== undefined && atMs - last.to < TOGETHER_MS
        ? last
        : { from: atMs, to: atMs, accepted: 0, refused: 0, failed: 0 }
    if (burst !== last) bursts.push(burst)
    burst.to = atMs
    burst[answer]++
  }
  return bursts.map(({ from, to, accepted, refused, failed }) => [
    formatMs(from),
    formatMs(to),
    formatCount(accepted + refused + failed),
    formatCount(accepted),
    formatCount(refused),
    formatCount(failed),
  ])
}
