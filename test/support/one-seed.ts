/** A scenario that every engine must measure alike. */

/**
 * 600 executions of the default profile at 200 times its speed: they arrive within 30 s, three
 * quarters of what the ten workers can do. Intervals of polling are long, and with them all times,
 * so that a busy machine does not decide.
 */
export const SCENARIO = `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'story',
  arrivals: { rate: '360/h', for: '6000s', process: 'poisson' },
  inputs: ({ index }) => ({ topic: \`topic \${index}\`, audience: 'testers' }),
  polling: { exponential: { initial: '800s', factor: 1, max: '800s', jitter: 'equal' } },
  deadline: '24h',
  admission: { maxInFlight: 150 },
  validity: { lateness: '5s', utilisation: 1 },
})
`
export const SPEED = 200
/** This seed's Poisson process has exactly so many arrivals. */
export const SEED = 35
export const EXECUTIONS = 600
