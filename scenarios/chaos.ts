// What is left when nothing can be relied on? Every fault of the fake crew at once, for ten minutes
// that take seconds:
//   crewload run chaos --profile chaos --engine virtual
// A different ten minutes: --seed 2
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'chaos',
  description: 'Two kickoffs a second for ten minutes, in the worst of weathers.',

  arrivals: { rate: '2/s', for: '10m', process: 'poisson' },

  inputs: ({ index }) => ({ topic: `topic ${index}`, audience: 'experts' }),

  // Executions take about a second in this profile, and a client that waits half a minute for one
  // of its answers would miss them all.
  polling: { fixed: '500ms' },
  deadline: '20s',
  timeouts: { request: '5s' },

  // What must hold even now: a careful client gets its result wherever there is one to get.
  thresholds: {
    'outcome.completed': '>= 70%',
    // One answer that cannot be read is asked for again: no execution is given up for it.
    'outcome.unreadable': '< 2%',
    'outcome.rejected': '< 3%',
    // Kickoffs that may have started, and executions that the crew forgot: no client can do
    // anything about these.
    'outcome.unknown': '< 15%',
    'outcome.lost': '< 12%',
    'outcome.stuck': '< 2%',
    // The crew swaps and repeats results here, which no client can mend: the report lists them, and
    // the verdict names them as problems.
    'ledger.wrong': false,
    // Time-outs and waiting cost seconds, never minutes.
    'execution.completed.p95': '< 5s',
    // And the client does not make it worse: it asks again with measure.
    'retries.ratio': '< 10%',
    'polls.perExecution': '< 8',
  },
})
