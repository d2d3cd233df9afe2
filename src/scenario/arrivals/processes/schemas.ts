/**
 * The list of how arrival processes are written and checked; the compiler requires an entry for
 * each process.
 */
import { z } from 'zod'
import { gammaWords } from './gamma.schema.ts'
import type { ArrivalProcess, ProcessOption } from './index.ts'
import { poissonWords } from './poisson.schema.ts'
import { uniformWords } from './uniform.schema.ts'
import type { ProcessWords } from './words.ts'

type ProcessKind = ArrivalProcess['kind']

export const PROCESS_WORDS: {
  [K in ProcessKind]: ProcessWords<Extract<ArrivalProcess, { kind: K }>, ProcessOption<K>>
} = {
  uniform: uniformWords,
  poisson: poissonWords,
  gamma: gammaWords,
}

/** The shape of a process in a plan. */
export const processes: z.ZodType<ArrivalProcess> = z.union(
  Object.values(PROCESS_WORDS).map(({ planned }) => planned),
)
