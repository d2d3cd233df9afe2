/** The run over time: the timeline's columns in the document's units. */
import { MICROS_PER_MS, MICROS_PER_SECOND, optionalMs } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { Series } from '../document.ts'
import type { Timeline } from '../counting/tallies/timeline.ts'
import { quantileIn } from '../statistics/quantiles.ts'
import type { Sample } from '../statistics/sample.ts'

const HEAT_ROWS_AT_MOST = 24
/** Ratios of neighbouring edges to choose from, finest first. */
const HEAT_STEPS = [1.1, 1.15, 1.25, 1.5, 2, 3, 5, 10]

/** `bands`: the warm-up, when a limit refused, and the drain, which shade a picture. */
export function series(timeline: Timeline, warmUpMicros: number): Series {
  const seconds = timeline.intervalMicros / MICROS_PER_SECOND
  return {
    intervalMs: timeline.intervalMicros / MICROS_PER_MS,
    offered: [...timeline.offered],
    accepted: [...timeline.accepted],
    ended: [...timeline.ended],
    completed: [...timeline.completed],
    unserved: [...timeline.unserved],
    inFlight: [...timeline.inFlight],
    statusPerSecond: timeline.statusAnswers.map((count) => count / seconds),
    executionP50Ms: timeline.executions.map((sample) => quantileMs(sample, 0.5)),
    executionP95Ms: timeline.executions.map((sample) => quantileMs(sample, 0.95)),
    kickoffP95Ms: timeline.kickoffs.map((sample) => quantileMs(sample, 0.95)),
    heat: heatMap(timeline.executions),
    errors: Object.fromEntries([...timeline.errors].map(([name, counts]) => [name, [...counts]])),
    bands: [...warmUpBand(warmUpMicros), ...limitBands(timeline), ...drainBand(timeline)],
  }
}

function warmUpBand(warmUpMicros: Micros): Series['bands'] {
  if (warmUpMicros <= 0) return []
  return [{ fromMs: 0, toMs: warmUpMicros / MICROS_PER_MS, code: 'warm-up' }]
}

/**
 * After the last arrival only the longest executions are left to end: waits rise and the load
 * falls, whatever the crew does.
 */
function drainBand({ offered, intervalMicros }: Timeline): Series['bands'] {
  const last = offered.findLastIndex((count) => count > 0)
  if (last < 0 || last === offered.length - 1) return []
  const intervalMs = intervalMicros / MICROS_PER_MS
  const [fromMs, toMs] = [(last + 1) * intervalMs, offered.length * intervalMs]
  return [{ fromMs, toMs, code: 'no-more-arrivals' }]
}

/** Refusals more scattered than this are ticks, and no spans of time. */
const MOST_LIMIT_BANDS = 12
/** Shorter pauses between refusals do not part them. */
const PAUSE_INTERVALS = 2
const REFUSALS = [
  { operation: 'kickoff', status: 429 },
  { operation: 'kickoff', status: 529 },
  { operation: 'status', status: 429 },
  { operation: 'status', status: 529 },
] as const

/** When kickoffs or polls were refused with 429 or 529, interval by interval. */
function limitBands({ errors, intervalMicros }: Timeline): Series['bands'] {
  const intervalMs = intervalMicros / MICROS_PER_MS
  return REFUSALS.flatMap(({ operation, status }) => {
    const spans = refusedSpans(errors.get(`${operation} ${status}`) ?? [])
    if (spans.length > MOST_LIMIT_BANDS) return []
    return spans.map(({ from, to }) => ({
      fromMs: from * intervalMs,
      toMs: to * intervalMs,
      code: 'refused' as const,
      operation,
      status,
    }))
  })
}

function refusedSpans(counts: readonly number[]): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = []
  for (const [interval, count] of counts.entries()) {
    if (count === 0) continue
    const last = spans.at(-1)
    if (last !== undefined && interval - last.to <= PAUSE_INTERVALS) last.to = interval + 1
    else spans.push({ from: interval, to: interval + 1 })
  }
  return spans
}

/** The plain quantile of an interval, whatever its n: a line over time, not a claim. */
function quantileMs(sample: Sample, q: number): number | null {
  return optionalMs(quantileIn(sample, q))
}

function heatMap(samples: readonly Sample[]): Series['heat'] {
  const filled = samples.filter(({ n }) => n > 0)
  if (filled.length === 0) return { edgesMs: [], counts: samples.map(() => []) }
  const least = Math.max(1, Math.min(...filled.map((sample) => sample.atRank(1))))
  const most = Math.max(...filled.map((sample) => sample.atRank(sample.n)))
  const edges = heatEdges(least, most)
  return {
    edgesMs: edges.map((edge) => edge / MICROS_PER_MS),
    counts: samples.map((sample) => heatColumn(sample, edges)),
  }
}

/** Log-spaced from just below the least to above the most, at most 24 rows. */
function heatEdges(least: number, most: number): number[] {
  const rows = (step: number) => Math.floor(Math.log(most / least) / Math.log(step)) + 1
  const step = HEAT_STEPS.find((candidate) => rows(candidate) <= HEAT_ROWS_AT_MOST) ?? 100
  return Array.from({ length: rows(step) + 1 }, (_, row) => least * step ** row)
}

function heatColumn(sample: Sample, edges: readonly number[]): number[] {
  const counts = Array.from({ length: edges.length - 1 }, () => 0)
  for (const { value, count } of sample.buckets()) {
    const above = edges.findIndex((edge) => value < edge)
    const row = above === -1 ? counts.length - 1 : Math.max(0, above - 1)
    counts[row] = counts[row]! + count
  }
  return counts
}
