/** `poisson` as an author writes it. */
import type { PoissonArrivals } from './poisson.ts'
import type { ProcessWords } from './words.ts'

export const poissonWords: ProcessWords<PoissonArrivals, 'poisson'> = {
  description: 'At random, as independent users come.',
  example: 'poisson',
  schema: null,
}
