/** Ladders with known curves: what a rung counted, made from its throughput. */
import type { SaturationRun, SaturationRung } from '../../../src/study/saturation/document.ts'
import type { RungCounts } from '../../../src/study/saturation/analyse/rung.ts'
import { measureRung } from '../../../src/study/saturation/analyse/rung.ts'
import { exactSample } from '../../analysis/samples.ts'

const SECONDS = 5
const SLICES = 10 * SECONDS

/**
 * A rung of five seconds in which every second brought `perSecond` good answers, each after connections / perSecond seconds, as Little's law
 * wants it.
 */
export function rungCounts(
  connections: number,
  perSecond: number,
  changes: Partial<RungCounts> = {},
): RungCounts {
  const tookMicros = (connections / perSecond) * 1e6
  const n = perSecond * SECONDS
  return {
    connections,
    windowMicros: SECONDS * 1e6,
    latency: exactSample(Array.from({ length: n }, () => tookMicros)),
    errors: {},
    busyMicros: tookMicros * n,
    slices: Array.from({ length: SLICES }, () => perSecond / 10),
    utilisation: 0.3,
    reconnects: 0,
    endedBy: 'time',
    sent: n,
    ...changes,
  }
}

export function rung(
  connections: number,
  perSecond: number,
  changes?: Partial<RungCounts>,
): SaturationRung {
  return measureRung(rungCounts(connections, perSecond, changes))
}

/** Five seconds of slices: of each half second the good answers a second. */
export function halfSeconds(...perSecond: number[]): number[] {
  return perSecond.flatMap((rate) => Array.from({ length: 5 }, () => rate / 10))
}

/** 1, 2, 4 ... connections with these throughputs. */
export function ladder(...perSecond: number[]): SaturationRung[] {
  return perSecond.map((rate, step) => rung(2 ** step, rate))
}

export function saturationRun(changes: Partial<SaturationRun> = {}): SaturationRun {
  return {
    id: '0badcafe',
    endpoint: 'status',
    target: 'http://127.0.0.1:8000',
    profile: 'fake crew "default"',
    ladder: [1, 2, 4, 8, 16, 32],
    rungMs: 5_000,
    warmUpMs: 1_000,
    timeoutMs: 10_000,
    pollingMs: [2_000, 10_000],
    budget: { requests: null, kickoffs: null },
    ended: 'complete',
    startedAt: '2026-11-21T08:15:00.000Z',
    durationMs: 36_100,
    command: 'crewload saturate status --profile default',
    node: '20.20.2',
    ...changes,
  }
}
