// Does the crew recover from a disturbance? `crewload recovery` applies this load, disturbs the
// crew, and observes:
//   crewload recovery recovery --profile metastable
// The same with a client that keeps the crew overloaded:
//   crewload recovery retry-storm --profile metastable
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'recovery',
  description:
    'A steady load from clients that retry patiently and a limited number of times; ' +
    '`crewload recovery` disturbs it.',

  // An open, constant rate: users do not stop coming because the crew is in trouble. It lasts as
  // long as the test, whatever `for` says.
  arrivals: { rate: '4/s', for: '10m', process: 'poisson', warmUp: '30s' },

  inputs: { topic: 'tides', audience: 'sailors' },

  // Executions that complete later are of no use to anybody, and do not count as served.
  deadline: '40s',
  polling: { fixed: '2s' },
  timeouts: { request: '2s' },
  connections: { max: 1000 },

  // A kickoff that timed out may have started nevertheless. Sending it again is a risk, taken here
  // so that the two scenarios differ only in patience: full jitter spreads the retries, and the
  // budget stops them when most fail.
  retry: {
    kickoff: 4,
    unknownKickoffs: 'repeat',
    backoff: { initial: '200ms', factor: 2, max: '2s', jitter: 'full' },
    budget: { ratio: '10%', minimum: 10 },
  },

  // Thresholds for undisturbed runs: `crewload run` judges them, `crewload recovery` does not.
  thresholds: {
    'kickoff.response.p95': '< 2s',
    'execution.p95': '< 30s',
    'outcome.completed': '>= 99%',
  },
})
