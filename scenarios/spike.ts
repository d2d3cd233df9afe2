// A mail goes out, and everybody comes at once. Does the crew withstand it, and how long does it
// take to recover?
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'spike',
  description: 'A quiet base, five times the load for five minutes, and an hour to recover.',

  // The base before the spike shows what is normal here; the base after it must return to that.
  arrivals: {
    spike: { base: '4/m', peak: '20/m', after: '20m', for: '5m' },
    for: '90m',
    process: 'poisson',
  },

  inputs: ({ index }) => ({ topic: `topic ${index}`, audience: 'experts' }),

  // Executions that queue behind the spike must not reach the deadline, or the spike looks like a
  // failure.
  deadline: '45m',

  thresholds: {
    'outcome.lost': '<= 0%',
    'outcome.stuck': '<= 0%',
    // Judged by value: one spike is one observation, and an interval over the executions that
    // queued behind it says nothing about another spike.
    'execution.p50': { is: '< 5m', judge: 'value' },
    'execution.p95': { is: '< 20m', judge: 'value' },
  },
})
