/** The time series of a sample document, counted from its simulated executions. */
import type { Series } from '../../../src/result/document.ts'
import type { Simulated } from './sample-executions.ts'
import { errorCount, quantile } from './sample-numbers.ts'

export function seriesOf(runs: readonly Simulated[], durationMs: number): Series {
  const intervalMs = Math.max(1_000, Math.ceil(durationMs / 120_000) * 1_000)
  const length = Math.ceil(durationMs / intervalMs)
  const slots = Array.from({ length }, (_, slot) => slot)
  const slotOf = (micros: number): number =>
    Math.min(length - 1, Math.floor(micros / 1_000 / intervalMs))
  const endedIn = slots.map((slot) =>
    runs.filter(({ record }) => slotOf(record.endedMicros) === slot),
  )
  const lasted = endedIn.map((ended) =>
    ended
      .map(({ record }) => (record.endedMicros - record.intendedMicros) / 1_000)
      .sort((a, b) => a - b),
  )
  const edgesMs = Array.from({ length: 15 }, (_, edge) => 10_000 * 1.35 ** edge)
  const count = (pick: (run: Simulated) => number): number[] =>
    slots.map((slot) => runs.filter((run) => slotOf(pick(run)) === slot).length)
  const kickoffs = count(({ record }) => record.intendedMicros)
  return {
    intervalMs,
    offered: kickoffs,
    accepted: count(({ record }) => record.acceptedMicros ?? 0),
    ended: endedIn.map((ended) => ended.length),
    inFlight: slots.map((slot) => {
      const at = (slot + 1) * intervalMs * 1_000
      return runs.filter(({ record }) => record.intendedMicros <= at && record.endedMicros > at)
        .length
    }),
    statusPerSecond: slots.map(() => 0.3),
    executionP50Ms: lasted.map((values) => quantile(values, 0.5).value),
    executionP95Ms: lasted.map((values) => quantile(values, 0.95).value),
    kickoffP95Ms: kickoffs.map((started) => (started === 0 ? null : 4.2)),
    heat: {
      edgesMs,
      counts: lasted.map((values) =>
        edgesMs
          .slice(1)
          .map((to, at) => values.filter((ms) => ms >= (edgesMs[at] ?? 0) && ms < to).length),
      ),
    },
    errors:
      errorCount(runs) === 0
        ? {}
        : { 'status 503': slots.map((slot) => (slot % 13 === 3 ? 1 : 0)) },
    bands: [],
  }
}
