/** Documents of saturations to look at, through the analysis that makes the real ones. */
import type { SaturationFacts } from '../../../src/study/saturation/analyse/analyse.ts'
import { saturationDocument } from '../../../src/study/saturation/analyse/analyse.ts'
import type {
  SaturationDocument,
  SaturationPlan,
  SaturationRung,
} from '../../../src/study/saturation/document.ts'
import type { RungCounts } from '../../../src/study/saturation/analyse/rung.ts'
import { measureRung } from '../../../src/study/saturation/analyse/rung.ts'
import { createRandom } from '../../../src/base/random.ts'
import { exactSample } from '../../analysis/samples.ts'
import { saturationFacts } from './ladders.ts'

const SECONDS = 5

/** Service times spread around their mean, and seconds that are not all alike, from a seed. */
function livelyRung(
  connections: number,
  perSecond: number,
  changes: Partial<RungCounts> = {},
): SaturationRung {
  const random = createRandom(7).fork('rung', connections)
  const mean = (connections / perSecond) * 1e6
  const n = Math.round(perSecond * SECONDS)
  const times = Array.from({ length: n }, () =>
    Math.round(mean * (0.55 - 0.45 * Math.log(1 - random.next()))),
  )
  const latency = exactSample(times)
  return measureRung({
    connections,
    windowMicros: SECONDS * 1e6,
    latency,
    errors: {},
    busyMicros: latency.sum,
    slices: Array.from(
      { length: 10 * SECONDS },
      () => (perSecond / 10) * (0.88 + 0.24 * random.next()),
    ),
    utilisation: Math.min(0.85, perSecond / 12_000),
    reconnects: 0,
    endedBy: 'time',
    sent: n + connections,
    ...changes,
  })
}

function saturation(
  rungs: readonly SaturationRung[],
  plan: Partial<SaturationPlan> = {},
  rest: Partial<SaturationFacts> = {},
): SaturationDocument {
  const pollingMs = [2_000, 5_000, 10_000, 15_000, 30_000]
  const requests = rungs.reduce((sum, { sent }) => sum + sent, 1)
  return saturationDocument(
    saturationFacts(rungs, { pollingMs, ...plan }, { requests, kickoffs: 1, ...rest }),
  )
}

/** Linear, then flat. */
export function flatSaturation(): SaturationDocument {
  return saturation([
    livelyRung(1, 152),
    livelyRung(2, 301),
    livelyRung(4, 590),
    livelyRung(8, 1_080),
    livelyRung(16, 1_120),
    livelyRung(32, 1_105),
  ])
}

/** It collapses, with errors from 32 connections on, and its connections do not last. */
export function collapsingSaturation(): SaturationDocument {
  return saturation(
    [
      livelyRung(1, 40, { reconnects: 20 }),
      livelyRung(2, 79, { reconnects: 40 }),
      livelyRung(4, 141),
      livelyRung(8, 160),
      livelyRung(16, 96),
      livelyRung(32, 40, { errors: { 503: 310, timeout: 12 }, busyMicros: 155e6 }),
    ],
    {
      endpoint: 'kickoff',
      budget: { requests: null, kickoffs: 5_000 },
      profile: null,
      target: 'https://crew.example',
    },
    { profile: null, target: 'https://crew.example', requests: 3_120, kickoffs: 3_119 },
  )
}

/** The last rung is the best, this process busy, and the execution ended meanwhile. */
export function openSaturation(): SaturationDocument {
  return saturation(
    [livelyRung(1, 900), livelyRung(2, 1_750), livelyRung(4, 3_300, { utilisation: 0.94 })],
    { ladder: [1, 2, 4], endpoint: 'status' },
    {
      reasons: [
        {
          code: 'mixed',
          message:
            'the polled execution went from running to completed during the ladder, so that ' +
            'answers of both kinds were measured',
          remedy: 'poll this one again: --kickoff-id 0d5a1e3c-7a61-4a7c-9f3e-0f4b8f6f2f10',
        },
      ],
    },
  )
}

/** Linear over rungs that are far apart. */
export function steepSaturation(): SaturationDocument {
  const rungs = [
    livelyRung(1, 100),
    livelyRung(8, 780),
    livelyRung(64, 6_000),
    livelyRung(96, 6_000),
  ]
  return saturation(rungs, { ladder: [1, 8, 64, 96] })
}

/** Everything comes in two bursts. */
function wildRung(connections: number, perSecond: number): SaturationRung {
  const slices = Array.from({ length: 50 }, (_, i) => (i % 25 === 0 ? 2.5 * perSecond : 0))
  return livelyRung(connections, perSecond, { slices })
}

/** So uneven that the rungs cannot be told apart. */
export function roughSaturation(): SaturationDocument {
  const rungs = [wildRung(1, 3_000), wildRung(2, 2_700), wildRung(4, 2_500), wildRung(8, 4_500)]
  return saturation(rungs, { ladder: [1, 2, 4, 8] })
}

/** A limiter answers from the first rung on. */
export function limitedSaturation(): SaturationDocument {
  const rungs = [livelyRung(1, 10, { errors: { 429: 4_000, 503: 2, 502: 1, timeout: 1 } })]
  return saturation(rungs, { endpoint: 'inputs' }, { ended: 'errors' })
}

/** Interrupted before anything was measured; foreign text everywhere. */
export function emptySaturation(): SaturationDocument {
  const place = {
    target: 'http://127.0.0.1:8000/<script>alert(1)</script>|\u202E',
    profile: 'fake crew "<b>&"',
  }
  const command = "crewload saturate inputs --header 'x: `***`'"
  return saturation([], place, { ...place, ended: 'interrupted', command })
}
