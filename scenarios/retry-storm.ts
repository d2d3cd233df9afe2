// The client that nobody should write: it retries immediately and always, whatever became of the
// previous attempt. Without a disturbance nobody notices; after a few seconds of trouble its own
// retries keep the crew overloaded:
//   crewload recovery retry-storm --profile metastable
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'retry-storm',
  description:
    'The load of `recovery` from clients that retry immediately and without end; ' +
    '`crewload recovery` disturbs it.',

  arrivals: { rate: '4/s', for: '10m', process: 'poisson', warmUp: '30s' },

  inputs: { topic: 'tides', audience: 'sailors' },

  deadline: '40s',
  polling: { fixed: '2s' },
  timeouts: { request: '2s' },
  connections: { max: 1000 },

  // No jitter, no growth, no budget; and a kickoff that may have started is sent again. Each
  // attempt costs the crew one more execution.
  retry: {
    kickoff: 4,
    unknownKickoffs: 'repeat',
    backoff: { initial: '100ms', factor: 1, max: '100ms', jitter: 'none' },
    budget: { ratio: '100%', minimum: 1_000_000 },
  },

  // Thresholds for undisturbed runs: `crewload run` judges them, `crewload recovery` does not.
  thresholds: {
    'kickoff.response.p95': '< 2s',
    'execution.p95': '< 30s',
    'outcome.completed': '>= 99%',
  },
})
