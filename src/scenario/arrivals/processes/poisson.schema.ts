/** Parses `poisson` as an author writes it. */
import type { PoissonArrivals } from './poisson.ts'
import type { ProcessWords } from './words.ts'

export const poissonWords: ProcessWords<PoissonArrivals, 'poisson'> = {
  description: 'Random, as arrivals of independent users are.',
  example: 'poisson',
  schema: null,
}
