// A fixed number of clients that wait for each other: batch jobs, or ten people at ten desks. For a
// public service use a rate: here a slow crew slows its own load down, and the figures look better
// than what users experience.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'closed',
  description: 'Eight clients run one execution after another for four hours.',

  // They start one by one, pause for half a minute on average, and start the next execution. At
  // most eight are in flight at any time.
  arrivals: {
    clients: 8,
    for: '4h',
    rampUp: '4m',
    think: { exponential: { mean: '30s' } },
    warmUp: '10m',
  },

  inputs: ({ index }) => ({ topic: `topic ${index}`, audience: 'experts' }),

  thresholds: {
    'execution.p95': '< 6m',
    'execution.failed': '< 5%',
    'throughput.completed': '>= 3/m',
    'contract.documented': '<= 0',
  },
})
