/**
 * Parses `exponential` as an author writes it into its policy; times are still those of the author.
 */
import { MAX_FACTOR, jitter as jitterWords } from '../schema/backoff.ts'
import { number, positiveDuration } from '../schema/quantities.ts'
import { section } from '../schema/shapes.ts'
import type { ExponentialOption, ExponentialPolling } from './exponential.ts'
import type { PollingWords } from './words.ts'

const schema = section({
  exponential: section({
    initial: positiveDuration(),
    factor: number(1, MAX_FACTOR).default(1.5),
    max: positiveDuration(),
    jitter: jitterWords.default('equal'),
  }).refine(({ initial, max }) => initial <= max, { error: 'expected initial <= max' }),
}).transform(({ exponential: { initial, factor, max, jitter } }): ExponentialPolling => {
  return { kind: 'exponential', initialMicros: initial, factor, maxMicros: max, jitter }
})

export const exponentialWords: PollingWords<ExponentialPolling, ExponentialOption> = {
  description: 'Increasing intervals up to a maximum, with jitter.',
  example: { exponential: { initial: '2s', factor: 1.5, max: '15s', jitter: 'equal' } },
  schema,
}
