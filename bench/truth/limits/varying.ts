/** Tries limiters in front of a target with long answers of varying length. */
import type { Random } from '../../../src/base/random.ts'
import type { Conclusion } from '../../../src/study/limits/analyse/infer/interface.ts'
import type { Drawn } from './draw.ts'
import type { Judged } from './judge.ts'
import { judge } from './judge.ts'
import { inferIn } from './trial.ts'
import { World } from './world.ts'

interface Service {
  /** Draws a service time, in milliseconds. */
  draw(random: Random): number
  medianMs: number
  /** The difference between the 90th and the 10th percentile of service times, in milliseconds. */
  spreadMs: number
}

/** The standard normal quantiles of 0.95 and 0.9. */
const Z95 = 1.645
const Z90 = 1.282
const MEDIAN_MS = 80
const P95_MS = 250
const SIGMA = Math.log(P95_MS / MEDIAN_MS) / Z95

export const SERVICES = {
  '200 to 400 ms, uniform': {
    draw: (random) => 200 + 200 * random.next(),
    medianMs: 300,
    spreadMs: 160,
  },
  'p50 80 ms, p95 250 ms, lognormal': {
    draw: (random) => MEDIAN_MS * Math.exp(SIGMA * random.normal()),
    medianMs: MEDIAN_MS,
    spreadMs: MEDIAN_MS * (Math.exp(SIGMA * Z90) - Math.exp(-SIGMA * Z90)),
  },
} satisfies Record<string, Service>

export type ServiceName = keyof typeof SERVICES

/** The jitter in each direction, in milliseconds; limiters get them in turn. */
const JITTERS_MS: readonly number[] = [1, 4, 10, 30]

export interface Varied {
  drawn: Drawn
  conclusion: Conclusion
  judged: Judged
}

/** Infers a drawn limiter in front of such a target. */
export function inferVaried(limiter: Drawn, name: ServiceName): Varied {
  const service: Service = SERVICES[name]
  const { medianMs, spreadMs } = service
  const jitterMs = JITTERS_MS.at(limiter.seed % JITTERS_MS.length)!
  const drawn = { ...limiter, jitterMs, serviceMs: medianMs, spreadMs }
  const { seed, limit, anchorUnixMs } = drawn
  const limits = limit === null ? [] : [limit]
  const serviceMs = (_: number, random: Random): number => service.draw(random)
  const { conclusion } = inferIn(
    new World({ seed, limits, anchorUnixMs, jitterMs, serviceMs }),
    seed,
  )
  return { drawn, conclusion, judged: judge(drawn, conclusion) }
}

/** Whether the question is answered, and if so, whether all of the answer is right. */
export type Answer = 'right' | 'wrong' | 'open'

export function answerIn({ conclusion: { outcome, rateLimit }, judged }: Varied): Answer {
  if (outcome !== 'settled' || rateLimit.kind === 'unknown') return 'open'
  const { kindRight, limitExact, claimClose, covered } = judged
  const isInterval = rateLimit.open.some((name) => name === 'limit' || name === 'capacity')
  const limitRight = isInterval ? covered !== false : limitExact !== false
  return kindRight && limitRight && claimClose !== false ? 'right' : 'wrong'
}
