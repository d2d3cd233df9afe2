// What `crewload demo` runs, in a time-lapse at speed 120: a second stands for two minutes, and an
// hour passes in half a minute. The thresholds are written in the crew's own time; the report shows
// what they come to.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'demo',
  description: 'Fifty-six minutes of a crew of ten workers, half of them occupied.',

  // Independent users come in clumps: even at half of the capacity some of them wait for a worker.
  // Look for it in the report.
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
    // Nine in ten, for some 200 executions are too few to be sure of a p95: the plan (`crewload run
    // demo --dry-run`) says how many each bound takes.
    'kickoff.response.p90': '< 500ms',
    'execution.p90': '< 8m',
    // A poll every 15 s would be enough for half of it; but HTTP takes its real time, which counts
    // 120-fold here.
    'detectionDelay.p90': '< 1m',
    'checks.mentions the topic': '>= 100%',
    'contract.documented': '<= 0',
  },

  // Whoever looks for the first time has other programs open: 50 ms of lateness are little against
  // executions of seconds. A measurement that counts keeps the default of 10 ms, and has the
  // machine to itself.
  validity: { lateness: '50ms' },
})
