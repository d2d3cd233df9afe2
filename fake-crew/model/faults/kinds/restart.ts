/**
 * A restart: every connection is cut, new ones are refused while it lasts, and the executions it
 * loses are gone.
 */
import { z } from 'zod'
import { oneOf } from '../../schema/quantities.ts'
import { LOSSES, defineFault } from '../definition.ts'

export const restart = defineFault({
  kind: 'restart',
  description: 'Connections are cut, and refused while it is on; without "for" it is immediate.',
  reach: 'connections',
  written: z.strictObject({
    loses: oneOf(LOSSES).meta({
      description: 'All executions, those that have not ended, or none.',
    }),
  }),
  complete: z.strictObject({ kind: z.literal('restart'), loses: oneOf(LOSSES) }),
  effect: () => null,
  restarts: ({ loses }) => loses,
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
