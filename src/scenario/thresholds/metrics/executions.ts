/** Metrics of executions: how long they took, and their outcomes. */
import { OUTCOMES } from '../../outcomes.ts'
import type { MetricFamily } from './family.ts'

const SEE_WHERE_TIME_GOES = 'see in the report whether waiting, a task or polling takes the time'
const SEE_WHAT_WENT_WRONG = 'see what went wrong in the report, by reason and error class'

export const EXECUTION_METRICS = [
  {
    kind: 'execution',
    pattern: 'execution.<statistic>',
    unit: 'micros',
    time: 'crew',
    meaning:
      'From the intended start to the moment the client knew the end, over all arrivals that ' +
      'were due. Never for those rejected, unknown, lost or unreadable; right-censored for ' +
      "those paused, stuck or aborted (Kaplan and Meier's curve).",
    observation: 'execution',
    of: 'tags',
    hint: SEE_WHERE_TIME_GOES,
  },
  {
    kind: 'completedExecution',
    pattern: 'execution.completed.<statistic>',
    unit: 'micros',
    time: 'crew',
    meaning: 'As `execution`, over completed executions only. It says nothing about the others.',
    observation: 'execution',
    of: 'tags',
    hint: SEE_WHERE_TIME_GOES,
  },
  {
    kind: 'detectionDelay',
    pattern: 'detectionDelay.<statistic>',
    unit: 'micros',
    time: 'crew',
    meaning:
      'From the true end of an execution to the moment the client learned of it: the ' +
      'delay that polling adds. On a fake crew ' +
      'the ledger gives the true end. Elsewhere it is an upper bound, from the last ' +
      'poll that saw no end to the first that saw ' +
      'one. Never for executions that were lost or unreadable.',
    observation: 'execution',
    of: 'tags',
    hint: 'poll more often towards the end: see the cost of polling in the report',
  },
  {
    kind: 'failedShare',
    pattern: 'execution.failed',
    unit: 'share',
    time: 'crew',
    meaning:
      'Share of failed executions among those that completed or failed, as the crew ' +
      'itself reports them. Executions that were ' +
      'rejected, lost, stuck, unknown or unreadable are in `outcome.unserved`.',
    observation: 'execution',
    of: 'tags',
    hint: SEE_WHAT_WENT_WRONG,
  },
  {
    kind: 'unserved',
    pattern: 'outcome.unserved',
    unit: 'share',
    time: 'crew',
    meaning:
      'Share of arrivals that got neither a result nor a reported failure: rejected, unknown, ' +
      'lost, stuck or unreadable, of ' +
      'all that were due, not aborted, and not paused. Aborted and paused ones widen its ' +
      'interval: nobody knows whether they would have been served.',
    observation: 'execution',
    of: 'tags',
    hint: SEE_WHAT_WENT_WRONG,
  },
  {
    kind: 'outcome',
    pattern: 'outcome.<outcome>',
    unit: 'share',
    time: 'crew',
    meaning:
      `Share of arrivals with this outcome: ${OUTCOMES.join(', ')}. ` +
      `\`dropped\`, \`notReached\` and \`aborted\` are shares of all ` +
      'arrivals; the others exclude these three.',
    observation: 'execution',
    of: 'tags',
    hint: SEE_WHAT_WENT_WRONG,
  },
  {
    kind: 'check',
    pattern: 'checks.<name>',
    unit: 'share',
    time: 'crew',
    meaning:
      'Share of completed executions that passed the check of that name, out of ' +
      'those for which it returned a result. An exception ' +
      'in a check makes the run INVALID.',
    observation: 'execution',
    of: 'tags',
    hint: 'see the first example in the report',
  },
] as const satisfies readonly MetricFamily[]
