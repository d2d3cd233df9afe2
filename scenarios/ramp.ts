// At which load do waits begin? The load rises slowly through the crew's capacity; the report's
// panels over time show where waiting begins.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'ramp',
  description: 'From one to ten kickoffs per minute, over two hours.',

  // The ramp is slow, because an execution takes minutes, and its wait shows only when it ends.
  arrivals: { ramp: { from: '1/m', to: '10/m' }, for: '2h', process: 'poisson' },

  inputs: ({ index }) => ({ topic: `topic ${index}`, audience: 'experts' }),

  // Above its capacity a crew queues without end. A late deadline lets the queue be measured
  // instead of cutting it off.
  deadline: '45m',

  thresholds: {
    // At any load, nothing may get lost and kickoffs must be accepted.
    'outcome.lost': '<= 0%',
    'outcome.rejected': '<= 0%',
    // Both times are judged by value: the ramp passes each rate once, and an interval says nothing
    // about another ramp.
    'kickoff.response.p95': { is: '< 500ms', judge: 'value' },
    // A ramp that can no longer meet the bound need not cost more money.
    'execution.p95': { is: '< 30m', judge: 'value', abortEarly: true },
  },
})
