// The everyday question: does the crew keep its promise at the expected load? Start here, and copy
// this file.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'steady',
  description: 'The expected load for four hours, as independent users bring it.',

  // Four per minute is half of what the fake crew's ten workers can do. An open rate does not slow
  // down when the crew does, and neither do users. The first ten minutes fill the crew and do not
  // count. Nearer to its capacity a crew is congested for long periods, and hours would not be
  // enough to know its p95: the plan says how many executions a bound needs.
  arrivals: { rate: '4/m', for: '4h', process: 'poisson', warmUp: '10m' },

  // A function makes new inputs for every arrival, so that caches do not improve the result. Draw
  // from `random`: the same seed gives the same inputs.
  inputs: ({ index, random }) => ({
    topic: `topic ${index}`,
    audience: random.pick(['experts', 'children']),
  }),

  // Tags break results down: here, how long each audience waits.
  tags: ({ inputs }) => ({ audience: inputs.audience }),

  // The longest time that anybody waits. Executions that take longer count as stuck, so allow
  // enough time for slow ones.
  deadline: '30m',

  // The fake crew repeats its inputs in its output; a mixed-up result would not mention the topic.
  checks: {
    'mentions the topic': ({ inputs, output }) => output.includes(inputs.topic),
  },

  thresholds: {
    'kickoff.response.p95': '< 500ms',
    'execution.p95': '< 6m',
    'execution.failed': '< 5%',
    // Arrivals that are not served at all: rejected, lost, stuck or unreadable. Without this line
    // the default promise of 5 % applies.
    'outcome.unserved': '< 2%',
    'detectionDelay.p95': '< 20s',
    'checks.mentions the topic': '>= 100%',
    'contract.documented': '<= 0',
  },
})
