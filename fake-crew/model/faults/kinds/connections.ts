/** Faults of connections: refused, or cut by a restart of the crew. */
import { z } from 'zod'
import { oneOf } from '../../schema/quantities.ts'
import { LOSSES } from '../../work/executions.ts'
import { defineFault, needsCondition, noParameters } from '../definition.ts'

export const refuse = defineFault({
  kind: 'refuse',
  description: 'New connections are refused; open ones stay usable.',
  reach: 'connections',
  mustEnd: true,
  written: noParameters,
  effect: () => null,
  examples: [{ name: 'refused', refuse: {}, window: { from: '4s', for: '200ms', every: '7s' } }],
})

/** Every connection is cut, new ones are refused while it lasts, and what it loses is gone. */
export const restart = defineFault({
  kind: 'restart',
  description: 'Connections are cut, and refused while it is on; without "for" it is immediate.',
  reach: 'connections',
  written: z.strictObject({
    loses: oneOf(LOSSES).meta({
      description: 'All executions, those that have not ended, or none.',
    }),
  }),
  effect: () => null,
  restarts: ({ loses }) => loses,
  proxyProblem: ({ loses }) =>
    loses === 'none' ? null : needsCondition('loses: none', 'a proxy has no executions'),
  examples: [
    {
      name: 'restart',
      restart: { loses: 'running' },
      window: { from: '9s', for: '300ms', every: '31s' },
    },
    { name: 'amnesia', restart: { loses: 'all' }, window: { from: '61s', every: '61s' } },
  ],
})
