// Is the crew the same in the evening as in the morning? A comfortable load for a long time finds
// leaks, full disks and expired tokens.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'soak',
  description: 'Half of the capacity for eight hours.',

  arrivals: { rate: '4/m', for: '8h', process: 'poisson', warmUp: '15m' },

  // Entries are drawn at random by their weights; tags break results down, here by size.
  inputs: {
    list: [
      { inputs: { topic: 'honey bees', audience: 'children' }, weight: 3, tags: { size: 'small' } },
      { inputs: { topic: 'the bond market', audience: 'experts' }, tags: { size: 'large' } },
    ],
    order: 'weighted',
  },

  deadline: '30m',

  // Every long run has disturbances: what counts is that nothing is lost and nothing grows.
  thresholds: {
    'execution.p95': '< 6m',
    'execution.failed': '< 5%',
    'outcome.lost': '<= 0%',
    'outcome.unreadable': '<= 0%',
    'status.error': '< 0.1%',
    'contract.documented': '<= 0',
  },
})
