// What do rate limits do to a client? The load is within the limits of `rate-limited`, goes through
// that of polls for five minutes, and comes back; the simulated quarter of an hour takes seconds:
//   crewload run rate-limit --profile rate-limited --engine virtual
// Compare with a client that asks less often: --set polling.exponential.initial=20s --set
// polling.exponential.max=40s
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'rate-limit',
  description: 'Twice as many polls as the limits allow, for five of fifteen minutes.',

  // Kickoffs stay below their own limit of 600 a minute; each of them is polled about eight times,
  // and 3,000 polls a minute are allowed.
  arrivals: {
    steps: [
      { rate: '4/s', for: '5m' },
      { rate: '9/s', for: '5m' },
      { rate: '4/s', for: '5m' },
    ],
    process: 'poisson',
  },

  inputs: ({ index }) => ({ topic: `topic ${index}`, audience: 'experts' }),

  // What clients usually do, with some patience: the report shows which of their requests were
  // refused, and what they waited for.
  polling: { exponential: { initial: '2s', factor: 1.5, max: '15s', jitter: 'equal' } },

  deadline: '20m',

  thresholds: {
    // A refused poll is asked again when the limit says so: it may cost time, never an execution.
    'outcome.completed': '>= 95%',
    'outcome.rejected': '<= 0%',
    'outcome.unreadable': '<= 0%',
    'outcome.lost': '<= 0%',
    // What it may cost: a poll in five, and a minute's window until the end is known. By value: all
    // refusals come from one stretch of five minutes, and no interval can speak for another.
    'status.error': { is: '< 20%', judge: 'value' },
    'detectionDelay.p95': { is: '< 1m', judge: 'value' },
    'contract.documented': '<= 0',
  },
})
