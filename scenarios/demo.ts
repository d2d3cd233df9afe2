// What `crewload demo` runs, in a time-lapse at speed 60: a second stands for a minute, and half an hour passes in half a
// minute. The thresholds are written in the crew's own time; the report shows what they come to.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'demo',
  description: 'Twenty-four minutes of a busy crew: ten workers, three quarters of them occupied.',

  // Independent users come in clumps. At three quarters of the capacity some of them wait for a worker: look for it in the report.
  arrivals: { rate: '5.5/m', for: '24m', process: 'poisson', warmUp: '2m' },

  inputs: ({ index, random }) => ({
    topic: `topic ${index}`,
    audience: random.pick(['experts', 'children']),
  }),
  tags: ({ inputs }) => ({ audience: inputs.audience }),

  checks: {
    'mentions the topic': ({ inputs, output }) => output.includes(inputs.topic),
  },

  thresholds: {
    'kickoff.response.p95': '< 500ms',
    'execution.p95': '< 8m',
    'execution.failed': '< 10%',
    // At 15 s between polls nobody should wait longer; HTTP takes its real time, which counts sixtyfold here.
    'detectionDelay.p95': '< 30s',
    'checks.mentions the topic': '>= 100%',
    'contract.documented': '<= 0',
  },

  // Whoever looks for the first time has other programs open: 50 ms of lateness are little against executions of seconds. A measurement
  // that counts keeps the default of 10 ms, and has the machine to itself.
  validity: { lateness: '50ms' },
})
