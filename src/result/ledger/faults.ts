/** Reports what the fake crew's faults did to this run and when, on the run's own clock. */
import { z } from 'zod'
import type { Operation } from '../../crew/answer.ts'
import { OPERATIONS } from '../../crew/answer.ts'
import type { FaultMark, FaultSpell, FaultSpells } from '../../crew/ledger.ts'
import { faultSpells, ms } from '../../crew/ledger.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { ClockMapping } from '../clock.ts'
import { toRunClock } from '../clock.ts'
import type { FaultResult } from '../disturbances.schema.ts'

/**
 * The index of the arrival that it names; null for another run's, for a request outside any
 * execution (the preflight), and for none.
 */
export function arrivalOf(correlation: string | null, runId: string): number | null {
  if (correlation === null || !correlation.startsWith(`${runId}/`)) return null
  const index = correlation.slice(runId.length + 1)
  return /^\d+$/.test(index) ? Number(index) : null
}

const faultTouches = z.object({
  fault: z.string(),
  operation: z.enum(OPERATIONS),
  /** When the requests arrived, in order. */
  at_ms: z.array(ms).readonly(),
})
type FaultTouches = z.infer<typeof faultTouches>

/**
 * The report of a fake crew about its faults, on the ledger's clock, as `faults.json` holds it.
 */
export const faultAccount = z.object({
  spells: z.array(faultSpells).readonly(),
  /** Answers of the run that they changed. */
  touches: z.array(faultTouches).readonly(),
})
export type FaultAccount = z.infer<typeof faultAccount>

/**
 * The marks on requests of this run's executions, by fault and operation; the crew may also have
 * served other clients and our preflight.
 */
export function touchesOf(marks: Iterable<FaultMark>, runId: string): FaultTouches[] {
  const found = new Map<string, { fault: string; operation: Operation; at_ms: number[] }>()
  for (const { fault, operation, at_ms, correlation } of marks) {
    if (arrivalOf(correlation, runId) === null) continue
    const key = `${operation} ${fault}`
    const touches = found.get(key)
    if (touches === undefined) found.set(key, { fault, operation, at_ms: [at_ms] })
    else touches.at_ms.push(at_ms)
  }
  return [...found.values()]
}

/** The part of the run's clock that a timeline shows, in equal intervals. */
interface ShownTimeline {
  intervalMs: number
  intervals: number
  durationMs: number
}

/** The most faults that are reported; more would not help a reader. */
const MOST_FAULTS = 100
/**
 * The most bands that are kept: a timeline has as many intervals, and with more bands a gap would
 * be shorter than an interval.
 */
const MOST_BANDS = 240

/**
 * Faults that were on during the run or changed its answers, those with the most changed answers
 * first.
 */
export function faultResults(
  { spells, touches }: FaultAccount,
  clock: ClockMapping,
  shown: ShownTimeline,
): FaultResult[] {
  const names = new Set([...spells, ...touches].map(({ fault }) => fault))
  return [...names]
    .map((name) => {
      const spelled = spells.filter(({ fault }) => fault === name)
      const touching = touches.filter(({ fault }) => fault === name)
      return faultResult(name, spelled, touching, clock, shown)
    })
    .filter(({ touched, bands }) => total(touched) > 0 || bands.length > 0)
    .sort((a, b) => total(b.touched) - total(a.touched) || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_FAULTS)
}

function faultResult(
  name: string,
  spelled: readonly FaultSpells[],
  touching: readonly FaultTouches[],
  clock: ClockMapping,
  shown: ShownTimeline,
): FaultResult {
  const toMs = (ms: number): number => toRunClock(ms, clock) / MICROS_PER_MS
  const scheduled = spelled.filter(({ always }) => !always).flatMap(({ spells }) => spells)
  const bands = bandsOf(scheduled, toMs, shown.durationMs)
  const touched: FaultResult['touched'] = { inputs: 0, kickoff: 0, status: 0 }
  const counts = Array.from({ length: shown.intervals }, () => 0)
  for (const { operation, at_ms } of touching) {
    touched[operation] = (touched[operation] ?? 0) + at_ms.length
    for (const ms of at_ms) {
      const slot = Math.floor(Math.max(0, toMs(ms)) / shown.intervalMs)
      const at = Math.min(shown.intervals - 1, slot)
      if (at >= 0) counts[at] = counts[at]! + 1
    }
  }
  const [first] = spelled
  const [kind, always] = [first?.kind ?? 'unknown', first?.always ?? true]
  return { name, kind, always, touched, times: bands.length, bands: joined(bands), counts }
}

type Band = FaultResult['bands'][number]

/** In order of time, cut to the run; periods outside it are left out. */
function bandsOf(
  spells: readonly FaultSpell[],
  toRunMs: (ms: number) => number,
  durationMs: number,
): Band[] {
  return spells
    .map(({ from_ms, to_ms }) => ({
      fromMs: Math.max(0, toRunMs(from_ms)),
      toMs: to_ms === null ? durationMs : Math.min(durationMs, toRunMs(to_ms)),
    }))
    .filter(({ fromMs, toMs }) => toMs >= fromMs && fromMs < durationMs)
    .sort((a, b) => a.fromMs - b.fromMs)
}

/** Joins the periods with the shortest gaps between them until there are few enough. */
function joined(bands: readonly Band[]): Band[] {
  const gaps = bands.slice(1).map(({ fromMs }, i) => ({ after: i, ms: fromMs - bands[i]!.toMs }))
  const shortest = gaps.toSorted((a, b) => a.ms - b.ms).slice(0, bands.length - MOST_BANDS)
  const closed = new Set(shortest.map(({ after }) => after))
  if (bands.length <= MOST_BANDS) return [...bands]
  const kept: Band[] = []
  for (const [i, band] of bands.entries()) {
    const last = kept.at(-1)
    if (last !== undefined && closed.has(i - 1)) last.toMs = Math.max(last.toMs, band.toMs)
    else kept.push({ ...band })
  }
  return kept
}

function total({ inputs, kickoff, status, resume = 0 }: FaultResult['touched']): number {
  return inputs + kickoff + status + resume
}
