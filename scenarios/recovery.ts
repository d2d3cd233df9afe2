// Does the crew come back after trouble? `crewload recovery` holds this load, disturbs the crew,
// and watches:
//   crewload recovery recovery --profile metastable
// The same with a client that keeps the crew down for good:
//   crewload recovery retry-storm --profile metastable
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'recovery',
  description:
    'A steady load from clients who ask again with patience, and not for ever; `crewload recovery` disturbs it.',

  // An open, constant rate: users do not stop coming because the crew is in trouble. It is held as
  // long as the test takes, whatever `for` says.
  arrivals: { rate: '4/s', for: '10m', process: 'poisson', warmUp: '30s' },

  inputs: { topic: 'tides', audience: 'sailors' },

  // What completes later is of no use to anybody, and does not count as served.
  deadline: '40s',
  polling: { fixed: '2s' },
  timeouts: { request: '2s' },
  connections: { max: 1000 },

  // A kickoff that timed out may have started all the same. To send it again is a risk, taken here
  // so that the two scenarios differ in nothing but patience: full jitter spreads the attempts, and
  // the budget stops them when most fail.
  retry: {
    kickoff: 4,
    unknownKickoffs: 'repeat',
    backoff: { initial: '200ms', factor: 2, max: '2s', jitter: 'full' },
    budget: { ratio: '10%', minimum: 10 },
  },

  // Of good times: `crewload run` judges them, `crewload recovery` does not.
  thresholds: {
    'kickoff.response.p95': '< 2s',
    'execution.p95': '< 30s',
    'outcome.completed': '>= 99%',
  },
})
