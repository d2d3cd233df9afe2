/** The evidence of one operation as a picture: what was sent when, accepted or refused. */
import type { Chart, Line, Mark } from '../../../report/charts/chart.ts'
import { formatCount, formatMs, plural } from '../../../base/numbers.ts'
import type { LimitedOperation, OperationLimit } from '../document.ts'
import { limitWords } from '../sentences/verdict.ts'

/** Requests sent together stand above each other; of recorded runs, those that came close. */
export function evidenceChart(
  operation: LimitedOperation,
  limit: OperationLimit,
  isRecorded: boolean,
): Chart {
  const { replay } = limit
  const bursts = burstsOf(limit.evidence, isRecorded)
  const marks = { accepted: [] as Mark[], refused: [] as Mark[], failed: [] as Mark[] }
  const used = limitCounter(limit)
  for (const burst of bursts) {
    for (const [i, { atMs, answer }] of burst.entries()) {
      const tip = `${answer} ${formatMs(atMs)} after the first request`
      marks[answer].push({ x: atMs, y: used.count(i, atMs, answer), low: null, high: null, tip })
    }
  }
  const highest = Math.max(0, ...Object.values(marks).flatMap((all) => all.map(({ y }) => y)))
  const line = limitLine(limit, highest, Math.max(0, ...limit.evidence.map(({ atMs }) => atMs)))
  const together = isRecorded ? `within ${formatMs(CLOSE_MS)} of each other` : 'together'
  const failed = marks.failed.length === 0 ? '' : ', and grey ones failed'
  const predicted =
    replay.of === 0
      ? ''
      : ` The limit that is named predicts ${formatCount(replay.predicted)} of ` +
        `${plural(replay.of, 'group')} of answers.`
  return {
    id: `evidence-${operation}`,
    heading: `${operation}: ${limitWords(limit)}`,
    caption:
      `Each point is a request; those that were sent ${together} stand above each other. Full ` +
      `points were accepted, hollow ones refused${failed}.${line.note}${predicted}`,
    x: { title: 'time', kind: 'elapsed' },
    panels: [
      {
        y: { title: used.title, kind: 'count' },
        lines: line.lines,
        names: 'above',
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

interface LimitCounter {
  title: string
  /** The height of a request: with it, so much of the limit is used. */
  count: (inBurst: number, atMs: number, answer: EvidenceShown[number]['answer']) => number
}

/** Refused requests use nothing here, though they may count. */
function limitCounter({ kind, windowMs, ratePerSecond }: OperationLimit): LimitCounter {
  const isWindow = kind === 'sliding-log' || kind === 'sliding-counter'
  if (isWindow && windowMs !== null) {
    const accepted: number[] = []
    const count: LimitCounter['count'] = (_, atMs, answer) => {
      const before = accepted.filter((at) => at > atMs - windowMs.value).length
      if (answer === 'accepted') accepted.push(atMs)
      return before + 1
    }
    return { title: `Requests within ${formatMs(windowMs.value)}`, count }
  }
  if ((kind === 'token-bucket' || kind === 'leaky-bucket') && ratePerSecond !== null) {
    let [level, lastMs] = [0, 0]
    const count: LimitCounter['count'] = (_, atMs, answer) => {
      level = Math.max(0, level - ((atMs - lastMs) * ratePerSecond.value) / MS_PER_SECOND)
      lastMs = atMs
      const height = level + 1
      if (answer === 'accepted') level = height
      return height
    }
    return { title: 'Of the burst in use', count }
  }
  return { title: 'Requests at once', count: (inBurst) => inBurst + 1 }
}

const MS_PER_SECOND = 1_000
/** A line much above every request would flatten them. */
const MOST_ABOVE = 3

/** The inferred limit as a level; one that headers claim, and nobody tested, is amber. */
function limitLine(
  limit: OperationLimit,
  highest: number,
  endMs: number,
): { lines: Line[]; note: string } {
  const level = (limit.capacity ?? limit.concurrency ?? limit.limit)?.value
  if (level === undefined || limit.kind === 'none' || limit.kind === 'unknown') {
    return { lines: [], note: '' }
  }
  const isClaimed = limit.headers?.usedUp === false
  const name = `${isClaimed ? 'claimed' : 'limit'} ${formatCount(level)}`
  if (level > MOST_ABOVE * highest) {
    return { lines: [], note: ` The limit, ${formatCount(level)}, lies far above the picture.` }
  }
  const points = [0, endMs].map((x) => ({ x, y: level }))
  const color = isClaimed ? 'response' : 'ink'
  return { lines: [{ name, color, dash: '6 4', points }], note: '' }
}

/** Nothing shows which requests of a run were meant to be sent at once. */
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
