// The everyday question: does the crew keep its promise at the load we expect? Start here, and copy
// it.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'steady',
  description: 'The expected load for four hours, as independent users bring it.',

  // Four a minute is half of what the fake crew's ten workers can do. An open rate does not slow
  // down when the crew does: neither do users. The first ten minutes fill the crew and do not
  // count. Nearer to its capacity a crew is congested for long stretches, and hours would not be
  // enough to know its p95: the plan says how many executions a bound takes.
  arrivals: { rate: '4/m', for: '4h', process: 'poisson', warmUp: '10m' },

  // A function makes new inputs for every arrival, so that no cache flatters the result. Draw from
  // `random`: the same seed gives the same inputs.
  inputs: ({ index, random }) => ({
    topic: `topic ${index}`,
    audience: random.pick(['experts', 'children']),
  }),

  // Tags break the result down: here, how long each audience waits.
  tags: ({ inputs }) => ({ audience: inputs.audience }),

  // Nobody waits longer. What runs on beyond it counts as stuck, so give slow executions their
  // time.
  deadline: '30m',

  // The fake crew repeats its inputs in its output; a mixed-up result would not mention the topic.
  checks: {
    'mentions the topic': ({ inputs, output }) => output.includes(inputs.topic),
  },

  thresholds: {
    'kickoff.response.p95': '< 500ms',
    'execution.p95': '< 6m',
    'execution.failed': '< 5%',
    // Whoever is not served at all: rejected, lost, stuck or unreadable. Without this line 5 % are
    // promised.
    'outcome.unserved': '< 2%',
    'detectionDelay.p95': '< 20s',
    'checks.mentions the topic': '>= 100%',
    'contract.documented': '<= 0',
  },
})
