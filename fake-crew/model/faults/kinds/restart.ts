/**
 * A restart: every connection is cut, new ones are refused while it lasts, and what it loses is
 * gone.
 */
import { z } from 'zod'
import { oneOf } from '../../schema/quantities.ts'
import { defineFault } from '../definition.ts'

/** All that it knew; what had not ended (waiting or running); or nothing. */
const LOSES = ['all', 'running', 'none'] as const

export type RestartLoses = (typeof LOSES)[number]

export const restart = defineFault({
  kind: 'restart',
  description: 'Connections are cut, and refused while it is on; without "for" it is quick.',
  reach: 'connections',
  written: z.strictObject({
    loses: oneOf(LOSES).meta({
      description: 'All executions, those that have not ended, or none.',
    }),
  }),
  complete: z.strictObject({ kind: z.literal('restart'), loses: oneOf(LOSES) }),
  effect: () => null,
  proxyProblem: ({ loses }) =>
    loses === 'none' ? null : 'expected loses: none; a proxy has no executions',
  examples: [
    {
      name: 'restart',
      restart: { loses: 'running' },
      window: { from: '9s', for: '300ms', every: '31s' },
    },
    { name: 'amnesia', restart: { loses: 'all' }, window: { from: '61s', every: '61s' } },
  ],
})
