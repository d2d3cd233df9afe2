// What do rate limits do to a client? The load is within the limits of `rate-limited`, exceeds that
// of polls for five minutes, and falls again; the simulated quarter of an hour takes seconds:
//   crewload run rate-limit --profile rate-limited --engine virtual
// Compare with a client that polls less often: --set polling.exponential.initial=20s --set
// polling.exponential.max=40s
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'rate-limit',
  description: 'Twice as many polls as the limits allow, for five of fifteen minutes.',

  // Kickoffs stay below their own limit of 600 per minute; each execution is polled about eight
  // times, and 3,000 polls per minute are allowed.
  arrivals: {
    steps: [
      { rate: '4/s', for: '5m' },
      { rate: '9/s', for: '5m' },
      { rate: '4/s', for: '5m' },
    ],
    process: 'poisson',
  },

  inputs: ({ index }) => ({ topic: `topic ${index}`, audience: 'experts' }),

  // A usual client with some patience: the report shows which of its requests were refused, and how
  // long it waited.
  polling: { exponential: { initial: '2s', factor: 1.5, max: '15s', jitter: 'equal' } },

  deadline: '20m',

  thresholds: {
    // A refused poll is retried when the limit allows it: it may cost time, never an execution.
    'outcome.completed': '>= 95%',
    'outcome.rejected': '<= 0%',
    'outcome.unreadable': '<= 0%',
    'outcome.lost': '<= 0%',
    // What it may cost: one poll in five, and a window of a minute until the end is known. Judged
    // by value: all refusals come from one period of five minutes, and an interval says nothing
    // about another.
    'status.error': { is: '< 20%', judge: 'value' },
    'detectionDelay.p95': { is: '< 1m', judge: 'value' },
    'contract.documented': '<= 0',
  },
})
