// The client that nobody should write: it asks again at once, always, and whatever became of the
// attempt before. In good times nobody sees it; after a few seconds of trouble its own retries keep
// the crew down:
//   crewload recovery retry-storm --profile metastable
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'retry-storm',
  description:
    'The load of `recovery` from clients who ask again at once and without end; `crewload recovery` disturbs it.',

  arrivals: { rate: '4/s', for: '10m', process: 'poisson', warmUp: '30s' },

  inputs: { topic: 'tides', audience: 'sailors' },

  deadline: '40s',
  polling: { fixed: '2s' },
  timeouts: { request: '2s' },
  connections: { max: 1000 },

  // No jitter, no growth, no budget; and a kickoff that may have started is started again. Each
  // attempt costs the crew one more execution.
  retry: {
    kickoff: 4,
    unknownKickoffs: 'repeat',
    backoff: { initial: '100ms', factor: 1, max: '100ms', jitter: 'none' },
    budget: { ratio: '100%', minimum: 1_000_000 },
  },

  // Of good times: `crewload run` judges them, `crewload recovery` does not.
  thresholds: {
    'kickoff.response.p95': '< 2s',
    'execution.p95': '< 30s',
    'outcome.completed': '>= 99%',
  },
})
