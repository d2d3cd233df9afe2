// Does it work at all? One client, five executions. Run it after every deployment: it costs five
// kickoffs.
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'smoke',
  description: 'One client runs five executions, one after another.',

  arrivals: { clients: 1, iterations: 5, for: '30m' },

  // The inputs of your crew: `crewload check` prints the names that it expects.
  inputs: { topic: 'honey bees', audience: 'children' },

  // Five executions need no restraint in polling, and a short interval shows the end early.
  polling: { fixed: '1s' },

  // A check examines the result itself: a crew that answers fast but wrongly does not work.
  checks: {
    'says something': ({ output }) => output.trim().length > 0,
  },

  thresholds: {
    // Every execution ends: nothing is rejected, lost, stuck or unreadable.
    'outcome.unserved': '<= 0%',
    // Models fail now and then. With 2 % of failures, one smoke test in 260 has two among its five
    // executions; if none were allowed, one in ten would raise a false alarm. Judged by value,
    // because five executions are too few to prove a share.
    'execution.failed': { is: '<= 20%', judge: 'value' },
    'checks.says something': '>= 100%',
    'contract.documented': '<= 0',
  },
})
