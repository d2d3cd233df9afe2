// What `crewload demo` runs, in a time-lapse at speed 120: one second represents two minutes, and
// an hour passes in half a minute. The times in this file are the crew's own; the report shows wall
// times.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'demo',
  description: 'Fifty-six minutes of a crew with ten workers, half of them busy.',

  // Independent users arrive in clusters: even at half of the capacity some of them wait for a
  // worker. The report shows it.
  arrivals: { rate: '4/m', for: '56m', process: 'poisson', warmUp: '4m' },

  inputs: ({ index, random }) => ({
    topic: `topic ${index}`,
    audience: random.pick(['experts', 'children']),
  }),
  tags: ({ inputs }) => ({ audience: inputs.audience }),

  checks: {
    'mentions the topic': ({ inputs, output }) => output.includes(inputs.topic),
  },

  thresholds: {
    // The 90th percentile, because some 200 executions are too few to be sure of a p95. The plan
    // (`crewload run demo --dry-run`) says how many executions each bound needs.
    'kickoff.response.p90': '< 500ms',
    'execution.p90': '< 8m',
    // A poll every 15 s would suffice for half of this bound, but HTTP takes its real time, which
    // counts 120-fold here.
    'detectionDelay.p90': '< 1m',
    'checks.mentions the topic': '>= 100%',
    'contract.documented': '<= 0',
  },

  // On a first try other programs are usually open: 50 ms of lateness are little compared with
  // executions of seconds. A serious measurement keeps the default of 10 ms, on a machine of its
  // own.
  validity: { lateness: '50ms' },
})
