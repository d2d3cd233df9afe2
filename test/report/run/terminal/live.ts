/** A run in progress, as its meters see it. */
import type { LiveProgress } from '../../../../src/report/run/terminal/progress.ts'

export const LIVE: LiveProgress = {
  scenario: 'steady',
  place: { kind: 'fake', profile: 'default', target: 'http://127.0.0.1:41377', own: true },
  seed: 42,
  speed: 1,
  load: '2/min',
  phase: { kind: 'running' },
  elapsedMs: 47_000,
  share: 0.26,
  leftMs: 133_000,
  started: 94,
  expected: 360,
  inFlight: 2,
  queued: 0,
  outcomes: { completed: 90, failed: 2 },
  kickoff: { p50Ms: 3.1, p95Ms: 8.8 },
  status: { perSecond: 41, p95Ms: 4 },
  lateness: { p99Ms: 0.6, exceededMs: null },
}
