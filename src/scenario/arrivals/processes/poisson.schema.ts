/** Parses `poisson` as an author writes it. */
import { z } from 'zod'
import type { PoissonArrivals } from './poisson.ts'
import type { ProcessWords } from './words.ts'

export const poissonWords: ProcessWords<PoissonArrivals, 'poisson'> = {
  description: 'Random, as arrivals of independent users are.',
  example: 'poisson',
  schema: null,
  planned: z.object({ kind: z.literal('poisson') }),
}
