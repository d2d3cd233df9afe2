// Where does it bend? The load rises slowly through the crew's capacity; the report's panels over
// time show where waiting begins.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'ramp',
  description: 'From one kickoff a minute to ten, over two hours.',

  // Slowly: an execution takes minutes, and its waiting shows only when it ends.
  arrivals: { ramp: { from: '1/m', to: '10/m' }, for: '2h', process: 'poisson' },

  inputs: ({ index }) => ({ topic: `topic ${index}`, audience: 'experts' }),

  // Past its capacity a crew queues without end: give up on an execution late, so that the queue is
  // measured and not cut off.
  deadline: '45m',

  thresholds: {
    // Whatever the load, nothing may get lost and the door must stay open.
    'outcome.lost': '<= 0%',
    'outcome.rejected': '<= 0%',
    // By value, both times: the ramp passes each rate once, and no interval can speak for another
    // ramp.
    'kickoff.response.p95': { is: '< 500ms', judge: 'value' },
    // A ramp that cannot be met any more need not go on costing money.
    'execution.p95': { is: '< 30m', judge: 'value', abortEarly: true },
  },
})
