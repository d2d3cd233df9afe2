// Does it work at all? One client, five executions. Run it after every deployment: it costs five
// kickoffs.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'smoke',
  description: 'One client runs five executions, one after the other.',

  arrivals: { clients: 1, iterations: 5, for: '30m' },

  // What your crew takes: `crewload check` prints the names that it asks for.
  inputs: { topic: 'honey bees', audience: 'children' },

  // Five executions need no gentle polling, and a short interval shows the end at once.
  polling: { fixed: '1s' },

  // A check looks at the result itself: a crew that answers fast and wrong is not working.
  checks: {
    'says something': ({ output }) => output.trim().length > 0,
  },

  thresholds: {
    // Everybody gets an end: nothing is rejected, lost, stuck or unreadable.
    'outcome.unserved': '<= 0%',
    // Models fail now and then. Of a crew with 2 % of failures two among five fail in one smoke
    // test of 260; if none might fail, one in ten would raise a false alarm. By value: five
    // executions prove no share.
    'execution.failed': { is: '<= 20%', judge: 'value' },
    'checks.says something': '>= 100%',
    'contract.documented': '<= 0',
  },
})
