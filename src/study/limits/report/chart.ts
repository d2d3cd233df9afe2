/** The evidence of one operation as a picture: what was sent when, accepted or refused. */
import type { Chart, Mark } from '../../../report/charts/chart.ts'
import { formatCount, formatMs, plural } from '../../../base/numbers.ts'
import type { LimitedOperation, OperationLimit } from '../document.ts'
import { limitWords } from '../analyse/words.ts'

/** Requests sent together stand above each other; of recorded runs, those that came close. */
export function evidenceChart(
  operation: LimitedOperation,
  limit: OperationLimit,
  isRecorded: boolean,
): Chart {
  const { replay } = limit
  const bursts = burstsOf(limit.evidence, isRecorded)
  const marks = { accepted: [] as Mark[], refused: [] as Mark[], failed: [] as Mark[] }
  for (const burst of bursts) {
    for (const [i, { atMs, answer }] of burst.entries()) {
      const tip = `${answer} ${formatMs(atMs)} after the first request`
      marks[answer].push({ x: atMs, y: i + 1, low: null, high: null, tip })
    }
  }
  const together = isRecorded ? `within ${formatMs(CLOSE_MS)} of each other` : 'together'
  const failed = marks.failed.length === 0 ? '' : ', and grey ones failed'
  const predicted =
    replay.of === 0
      ? ''
      : ` The limit that is named predicts ${formatCount(replay.predicted)} of ` +
        `${plural(replay.of, 'group')} of answers.`
  return {
    id: `evidence-${operation}`,
    finding: `${operation}: ${limitWords(limit)}`,
    caption:
      `Each point is a request; those that were sent ${together} stand above each other. Full ` +
      `points were accepted, hollow ones refused${failed}.${predicted}`,
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
      rows: bursts.map(burstRow),
    },
  }
}

/** Nothing tells which requests of a run were meant to be sent at once. */
const CLOSE_MS = 100

type EvidenceShown = OperationLimit['evidence']

/** From the first request of its own experiments on. */
function burstsOf(evidence: EvidenceShown, isRecorded: boolean): EvidenceShown[] {
  const bursts: EvidenceShown[] = []
  for (const one of evidence.filter(({ atMs }) => atMs >= 0)) {
    const last = bursts.at(-1)
    const first = last?.[0]
    const isTogether =
      first !== undefined &&
      (isRecorded
        ? one.atMs - first.atMs < CLOSE_MS
        : one.burstMs !== undefined && one.burstMs === first.burstMs)
    if (isTogether) last!.push(one)
    else bursts.push([one])
  }
  return bursts
}

function burstRow(burst: EvidenceShown): string[] {
  const of = (answer: EvidenceShown[number]['answer']): number =>
    burst.filter((each) => each.answer === answer).length
  return [
    formatMs(burst[0]!.atMs),
    formatMs(burst.at(-1)!.atMs),
    formatCount(burst.length),
    formatCount(of('accepted')),
    formatCount(of('refused')),
    formatCount(of('failed')),
  ]
}
