/** Metrics of the target: how much it did, and whether it followed its interface. */
import type { MetricFamily } from './family.ts'

const SEE_REPORT = 'see the report'

export const TARGET_METRICS = [
  {
    kind: 'throughput',
    pattern: 'throughput.<accepted|completed>',
    unit: 'perSecond',
    time: 'crew',
    meaning:
      'Executions per second between the end of the warm-up and the end of the ' +
      'arrivals, or their cut. Unknown if ' +
      'a number of iterations ends the run.',
    observation: null,
    of: 'tags',
    hint: SEE_REPORT,
  },
  {
    kind: 'maxInFlight',
    pattern: 'inFlight.max',
    unit: 'count',
    time: 'crew',
    meaning: 'The most executions accepted and not yet ended at one moment.',
    observation: null,
    of: 'run',
    hint: SEE_REPORT,
  },
  {
    kind: 'contract',
    pattern: 'contract.<violations|documented>',
    unit: 'count',
    time: 'crew',
    meaning: 'Violations of the interface.',
    each: {
      violations: 'By all rules.',
      documented: 'By the documented rules only.',
    },
    observation: null,
    of: 'run',
    hint: 'see the first example in the report',
  },
  {
    kind: 'ledgerWrong',
    pattern: 'ledger.wrong',
    unit: 'count',
    time: 'crew',
    meaning:
      "Executions on which the fake crew's ledger contradicts the answers: mixed up, " +
      'duplicated, denied or otherwise ' +
      'disagreeing. Known only with a ledger.',
    observation: null,
    of: 'run',
    hint: 'see what the ledger says about these executions in the report',
  },
  {
    kind: 'targetAlive',
    pattern: 'target.alive',
    unit: 'flag',
    time: 'real',
    meaning:
      '1 if the target gave a usable answer at the end of the run, or to one of ' +
      'three probes after it; 0 otherwise.',
    observation: null,
    of: 'run',
    hint: 'check the deployment: its logs, memory and restarts',
  },
] as const satisfies readonly MetricFamily[]
