/** How an author writes an arrival process, and how that is checked. */
import { z } from 'zod'
import { number, section } from '../quantities.ts'
import type { ArrivalProcess, ProcessOption } from './processes.ts'

interface ProcessWords<Process extends { kind: string }> {
  /** How arrivals come, in the line of a report that says the load. */
  word: string
  /** One sentence for the documentation. */
  description: string
  example: ProcessOption
  /**
   * Parses the author's section into the process; null for a process without parameters, which is
   * written as its name alone.
   */
  schema: { kind: Process['kind'] } extends Process ? null : z.ZodType<Process>
  /** The shape of the process in a plan. */
  planned: z.ZodType<Process>
}

export const PROCESS_WORDS: {
  [K in ArrivalProcess['kind']]: ProcessWords<Extract<ArrivalProcess, { kind: K }>>
} = {
  uniform: {
    word: 'evenly spaced',
    description: 'Evenly spaced, starting immediately: the default.',
    example: 'uniform',
    schema: null,
    planned: z.object({ kind: z.literal('uniform') }),
  },
  poisson: {
    word: 'Poisson',
    description: 'Random, as arrivals of independent users are.',
    example: 'poisson',
    schema: null,
    planned: z.object({ kind: z.literal('poisson') }),
  },
  gamma: {
    word: 'in bursts',
    description:
      'By the coefficient of variation of the gaps: bursts with a `cv` over 1, more ' +
      'regular than chance below.',
    example: { gamma: { cv: 2 } },
    schema: section({ gamma: section({ cv: number(0.01, 100) }) }).transform(
      ({ gamma: { cv } }) => ({
        kind: 'gamma',
        cv,
      }),
    ),
    planned: z.object({ kind: z.literal('gamma'), cv: z.number() }),
  },
}

/** The shape of a process in a plan. */
export const processes: z.ZodType<ArrivalProcess> = z.union(
  Object.values(PROCESS_WORDS).map(({ planned }) => planned),
)
