// Does it work at all? One client, three executions, strict bounds. Run it after every deployment: it costs three kickoffs.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'smoke',
  description: 'One client runs three executions, one after the other.',

  arrivals: { clients: 1, iterations: 3, for: '30m' },

  // What your crew takes: `crewload check` prints the names that it asks for.
  inputs: { topic: 'honey bees', audience: 'children' },

  // Three executions need no gentle polling, and a short interval shows the end at once.
  polling: { fixed: '1s' },

  // A check looks at the result itself: a crew that answers fast and wrong is not working.
  checks: {
    'says something': ({ output }) => output.trim().length > 0,
  },

  thresholds: {
    'outcome.completed': '>= 100%',
    'checks.says something': '>= 100%',
    'contract.documented': '<= 0',
  },
})
