// What still works when nothing is reliable? Every fault of the fake crew at once, for ten minutes
// that take seconds:
//   crewload run chaos --profile chaos --engine virtual
// Use another seed for a different ten minutes: --seed 2
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'chaos',
  description: 'Two kickoffs per second for ten minutes, against every fault at once.',

  arrivals: { rate: '2/s', for: '10m', process: 'poisson' },

  inputs: ({ index }) => ({ topic: `topic ${index}`, audience: 'experts' }),

  // Executions take about a second in this profile: a client that waits half a minute for one
  // answer would time out on all of them.
  polling: { fixed: '500ms' },
  deadline: '20s',
  timeouts: { request: '5s' },

  // What must hold even here: a careful client gets its result wherever there is one.
  thresholds: {
    'outcome.completed': '>= 70%',
    // An unreadable answer is requested again: no execution is given up because of it.
    'outcome.unreadable': '< 2%',
    'outcome.rejected': '< 3%',
    // Kickoffs that may have started, and executions that the crew lost: no client can do anything
    // about these.
    'outcome.unknown': '< 15%',
    'outcome.lost': '< 12%',
    'outcome.stuck': '< 2%',
    // The crew swaps and repeats results here, which no client can repair: the report lists them,
    // and the verdict calls them problems.
    'ledger.wrong': false,
    // It breaks the interface too, and gives ids out twice.
    'contract.documented': '<= 5000',
    // Time-outs and waits cost seconds, never minutes.
    'execution.completed.p95': '< 5s',
    // The client must not make it worse: it limits its retries.
    'retries.ratio': '< 10%',
    'polls.perExecution': '< 8',
  },
})
