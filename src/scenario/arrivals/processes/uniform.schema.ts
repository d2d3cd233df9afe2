/** Parses `uniform` as an author writes it. */
import { z } from 'zod'
import type { UniformArrivals } from './uniform.ts'
import type { ProcessWords } from './words.ts'

export const uniformWords: ProcessWords<UniformArrivals, 'uniform'> = {
  description: 'Evenly spaced, starting immediately: the default.',
  example: 'uniform',
  schema: null,
  planned: z.object({ kind: z.literal('uniform') }),
}
