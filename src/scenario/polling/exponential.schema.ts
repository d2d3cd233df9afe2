/**
 * Parses `exponential` as an author writes it into its policy; times are still those of the author.
 */
import { z } from 'zod'
import { unreachable } from '../../base/assert.ts'
import { formatDuration } from '../../base/numbers.ts'
import { JITTER_FLOOR_MICROS, JITTERS } from '../backoff.ts'
import {
  MAX_FACTOR,
  jitter as jitterWords,
  HINT,
  hinted,
  pollingSection,
  geometric,
  neat,
  secondsText,
} from './definition.ts'
import { number, positiveDuration, section } from '../quantities.ts'
import type { ExponentialPolling } from './index.ts'
import type { PollingWords } from './definition.ts'

const schema = pollingSection({
  exponential: section({
    initial: positiveDuration(),
    factor: number(1, MAX_FACTOR).default(1.5),
    max: positiveDuration(),
    jitter: jitterWords.default('equal'),
  }).refine(({ initial, max }) => initial <= max, { error: 'expected initial <= max' }),
}).transform((value): ExponentialPolling => {
  const { initial, factor, max, jitter } = value.exponential
  return {
    kind: 'exponential',
    initialMicros: initial,
    factor,
    maxMicros: max,
    jitter,
    ...hinted(value),
  }
})

export const exponentialWords: PollingWords<ExponentialPolling> = {
  description: 'Increasing intervals up to a maximum, with jitter.',
  example: { exponential: { initial: '2s', factor: 1.5, max: '15s', jitter: 'equal' } },
  schema,
  planned: z.object({
    kind: z.literal('exponential'),
    initialMicros: z.number(),
    factor: z.number(),
    maxMicros: z.number(),
    jitter: z.enum(JITTERS),
    ...HINT,
  }),
  tell: ({ initialMicros, maxMicros, factor, jitter }) => {
    const growth = jitter === 'decorrelated' ? 'growing' : `growing x${factor}`
    const [first, last] = [initialMicros, maxMicros].map(formatDuration)
    const drawn = jitter === 'none' ? 'without jitter' : `with ${jitter} jitter`
    return `after ${first}, ${growth} up to ${last}, ${drawn}`
  },
  tried: ({ meanMicros }) =>
    geometric(meanMicros / 100, meanMicros / 2, 1.8).flatMap((initialMicros) =>
      LONGEST.flatMap((times) =>
        JITTERS.flatMap((jitter) =>
          // Decorrelated jitter grows by itself.
          (jitter === 'decorrelated' ? FACTORS.slice(1, 2) : FACTORS).map(
            (factor): ExponentialPolling => ({
              kind: 'exponential',
              initialMicros,
              factor,
              maxMicros: neat(initialMicros * times),
              jitter,
            }),
          ),
        ),
      ),
    ),
  loop: { typescript: typescriptBody, python: pythonBody },
}

const FACTORS = [1.25, 1.5, 2]
/** Multiples of the first interval. */
const LONGEST = [4, 16, 64]

function typescriptBody({ initialMicros, factor, maxMicros, jitter }: ExponentialPolling): string {
  const [initial, max] = [secondsText(initialMicros), secondsText(maxMicros)]
  const base = `  const base = Math.min(${max}, ${initial} * ${factor} ** polls)`
  switch (jitter) {
    case 'none':
      return `${base}
  return base`
    case 'full':
      return `${base}
  return Math.max(${secondsText(JITTER_FLOOR_MICROS)}, base * Math.random())`
    case 'equal':
      return `${base}
  return (base / 2) * (1 + Math.random())`
    case 'decorrelated':
      return `  const top = 3 * Math.max(previous, ${initial})
  return Math.min(${max}, ${initial} + (top - ${initial}) * Math.random())`
    default:
      return unreachable(jitter)
  }
}

function pythonBody({ initialMicros, factor, maxMicros, jitter }: ExponentialPolling): string {
  const [initial, max] = [secondsText(initialMicros), secondsText(maxMicros)]
  const base = `    base = min(${max}, ${initial} * ${factor} ** min(polls, 100))`
  switch (jitter) {
    case 'none':
      return `${base}
    return base`
    case 'full':
      return `${base}
    return max(${secondsText(JITTER_FLOOR_MICROS)}, base * random.random())`
    case 'equal':
      return `${base}
    return base / 2 * (1 + random.random())`
    case 'decorrelated':
      return `    top = 3 * max(previous, ${initial})
    return min(${max}, ${initial} + (top - ${initial}) * random.random())`
    default:
      return unreachable(jitter)
  }
}
