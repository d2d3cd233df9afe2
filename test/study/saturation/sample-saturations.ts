/** Documents of saturations to look at, through the analysis that makes the real ones. */
import type { SaturationFacts } from '../../../src/study/saturation/analyse/analyse.ts'
import { saturationDocument } from '../../../src/study/saturation/analyse/analyse.ts'
import type {
  SaturationDocument,
  SaturationPlan,
  SaturationVisit,
} from '../../../src/study/saturation/document.ts'
import { REASONS } from '../../../src/study/saturation/sentences.ts'
import type { VisitCounts } from '../../../src/study/saturation/analyse/visit.ts'
import { visitOrder } from '../../../src/study/saturation/plan/plan.ts'
import { reasonOf } from '../../../src/result/sentence-tables.ts'
import { createRandom } from '../../../src/base/random.ts'
import { exactSample } from '../../result/samples.ts'
import { saturationFacts, visit } from './ladders.ts'

const SECONDS = 3

type Changes = (pass: number) => Partial<VisitCounts>

/** The connections of a rung, its throughput, and what else its visits counted. */
type Curve = readonly [connections: number, perSecond: number, changes?: Changes][]

/** Service times spread around their mean, and slices that are not all alike, from a seed. */
function livelyVisit(
  [connections, perSecond, changes]: Curve[number],
  pass: number,
  noise: number,
): SaturationVisit {
  const random = createRandom(7).fork('rung', connections).fork('pass', pass)
  const rate = perSecond * Math.exp(noise * random.normal())
  const mean = (connections / rate) * 1e6
  const n = Math.round(rate * SECONDS)
  const times = Array.from({ length: n }, () =>
    Math.round(mean * (0.55 - 0.45 * Math.log(1 - random.next()))),
  )
  const latency = exactSample(times)
  const shares = Array.from({ length: 10 * SECONDS }, () => 0.88 + 0.24 * random.next())
  const counts = {
    windowMicros: SECONDS * 1e6,
    latency,
    busyMicros: latency.sum,
    slices: shares.map((share) => (rate / 10) * share),
    utilisation: Math.min(0.85, rate / 12_000),
    stolen: 0.002,
    sent: n + connections,
  }
  return visit(connections, perSecond, { ...counts, ...changes?.(pass) }, pass)
}

interface Sampled extends Partial<SaturationPlan> {
  /** The standard deviation between visits, as a share of their mean. */
  noise?: number
}

function saturation(
  curve: Curve,
  { noise = 0.01, ...plan }: Sampled = {},
  rest: Partial<SaturationFacts> = {},
): SaturationDocument {
  const ladder = curve.map(([connections]) => connections)
  const { repeats = 6 } = plan
  const visits = visitOrder(ladder, repeats, 42).map(({ connections, pass }) =>
    livelyVisit(
      curve.find(([each]) => each === connections)!,
      pass,
      noise,
    ),
  )
  const pollingMs = [2_000, 5_000, 10_000, 15_000, 30_000]
  const requests = visits.reduce((sum, { sent }) => sum + sent, 1)
  return saturationDocument(
    saturationFacts(
      visits,
      { pollingMs, repeats, rungMs: 1_000 * SECONDS, warmUpMs: 500, ladder, ...plan },
      { requests, kickoffs: 1, durationMs: 148_100, ...rest },
    ),
  )
}

/** Linear, then flat; 8 connections may reach the plateau, or just not. */
export function flatSaturation(): SaturationDocument {
  return saturation([
    [1, 152],
    [2, 301],
    [4, 590],
    [8, 1_066],
    [16, 1_120],
    [32, 1_105],
  ])
}

/**
 * It collapses, with errors from 32 connections on, and its connections do not last. Kickoffs are
 * visited once.
 */
export function collapsingSaturation(): SaturationDocument {
  return saturation(
    [
      [1, 40, () => ({ reconnects: 20 })],
      [2, 79, () => ({ reconnects: 40 })],
      [4, 141],
      [8, 160],
      [16, 96],
      [32, 40, () => ({ errors: { 503: 310, timeout: 12 }, busyMicros: 93e6 })],
    ],
    {
      repeats: 1,
      endpoint: 'kickoff',
      budget: { requests: null, kickoffs: 5_000 },
      place: { kind: 'deployment', target: 'https://crew.example' },
    },
    {
      place: { kind: 'deployment', target: 'https://crew.example' },
      requests: 2_120,
      kickoffs: 2_119,
    },
  )
}

/** The last rung is the best, this process busy, and the execution ended meanwhile. */
export function openSaturation(): SaturationDocument {
  return saturation(
    [
      [1, 900],
      [2, 1_750],
      [4, 3_300, () => ({ utilisation: 0.94 })],
    ],
    { repeats: 3, endpoint: 'status' },
    {
      reasons: [
        reasonOf(REASONS, 'mixed', {
          before: 'running',
          after: 'completed',
          kickoffId: '0d5a1e3c-7a61-4a7c-9f3e-0f4b8f6f2f10',
        }),
      ],
    },
  )
}

/** Linear over rungs that are far apart. */
export function steepSaturation(): SaturationDocument {
  return saturation(
    [
      [1, 100],
      [8, 780],
      [64, 6_000],
      [96, 6_000],
    ],
    { repeats: 3 },
  )
}

/** So uneven that the rungs cannot be told apart. */
export function roughSaturation(): SaturationDocument {
  return saturation(
    [
      [1, 3_000],
      [2, 2_700],
      [4, 2_500],
      [8, 4_500],
    ],
    { repeats: 4, noise: 0.5 },
  )
}

/** Other machines took the processor away during some visits, of 8 connections during most. */
export function stolenSaturation(): SaturationDocument {
  return saturation(
    [
      [1, 400],
      [2, 780],
      [4, 800, (pass) => ({ stolen: pass === 2 ? 0.12 : 0.01 })],
      [8, 700, (pass) => ({ stolen: pass === 1 ? 0.01 : 0.3 })],
    ],
    { repeats: 4, endpoint: 'inputs', noise: 0.002 },
  )
}

/** A limiter answers from the first rung on. */
export function limitedSaturation(): SaturationDocument {
  const errors = { 429: 4_000, 503: 2, 502: 1, timeout: 1 }
  return saturation(
    [[1, 10, () => ({ errors })]],
    { repeats: 1, endpoint: 'inputs', ladder: [1, 2, 4, 8, 16, 32] },
    { ended: 'errors' },
  )
}

/** Interrupted before anything was measured; foreign text everywhere. */
export function emptySaturation(): SaturationDocument {
  const place = {
    kind: 'fake',
    profile: '<b>&',
    target: 'http://127.0.0.1:8000/<script>alert(1)</script>|\u202E',
    own: false,
  } as const
  const command = "crewload saturate inputs --header 'x: `***`'"
  return saturation(
    [],
    { place, ladder: [1, 2, 4, 8, 16, 32] },
    { place, ended: 'interrupted', command },
  )
}
