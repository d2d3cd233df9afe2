/** Parses `gamma` as an author writes it into its process. */
import { z } from 'zod'
import { number } from '../../schema/quantities.ts'
import { section } from '../../schema/shapes.ts'
import type { GammaArrivals, GammaOption } from './gamma.ts'
import type { ProcessWords } from './words.ts'

const schema = section({ gamma: section({ cv: number(0.01, 100) }) }).transform(
  ({ gamma: { cv } }): GammaArrivals => ({ kind: 'gamma', cv }),
)

export const gammaWords: ProcessWords<GammaArrivals, GammaOption> = {
  description:
    'By the coefficient of variation of the gaps: bursts with a `cv` over 1, more ' +
    'regular than chance below.',
  example: { gamma: { cv: 2 } },
  schema,
  planned: z.object({ kind: z.literal('gamma'), cv: z.number() }),
}
