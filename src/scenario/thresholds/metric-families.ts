/**
 * The families of metrics: what each kind of reference means, its unit, and whether a time-lapse
 * changes it.
 */
import type { Operation } from '../../crew/answer.ts'

/**
 * `micros` are integer microseconds; a `share` runs from 0 to 1; `perSecond` is a rate over the
 * measured window; a `flag` is 1 or 0.
 */
export type MetricUnit = 'micros' | 'share' | 'count' | 'perSecond' | 'flag'

/** `p95` is `{ kind: 'quantile', q: 0.95 }`; any `p<number>` with 0 < number < 100 is one. */
export type Statistic =
  | { kind: 'quantile'; q: number }
  | { kind: 'min' }
  | { kind: 'max' }
  | { kind: 'mean' }

/** How an execution can end; the same words as the outcomes of a record. */
export const OUTCOME_NAMES = [
  'completed',
  'failed',
  'rejected',
  'unknown',
  'lost',
  'stuck',
  'unreadable',
  'dropped',
  'notReached',
  'aborted',
] as const
type OutcomeName = (typeof OUTCOME_NAMES)[number]

/** The times of one operation's requests; `METRIC_FAMILIES` says what each is. */
export const REQUEST_TIMES = ['service', 'response', 'attempt', 'refused', 'socketWait'] as const
export type RequestTime = (typeof REQUEST_TIMES)[number]

/** What a metric name asks for; `METRIC_FAMILIES` says what each kind means. */
export type MetricReference =
  | {
      kind: 'request'
      operation: Operation
      time: RequestTime
      statistic: Statistic
    }
  | { kind: 'requestError'; operation: Operation }
  | { kind: 'lateness'; statistic: Statistic }
  | { kind: 'execution'; statistic: Statistic }
  | { kind: 'completedExecution'; statistic: Statistic }
  | { kind: 'detectionDelay'; statistic: Statistic }
  | { kind: 'outcome'; outcome: OutcomeName }
  | { kind: 'unserved' }
  | { kind: 'failedShare' }
  | { kind: 'check'; name: string }
  | { kind: 'contract'; basis: 'any' | 'documented' }
  | { kind: 'polls'; which: 'all' | 'wasted' }
  | { kind: 'wastedShare' }
  | { kind: 'handshakeShare' }
  | { kind: 'throughput'; of: 'accepted' | 'completed' }
  | { kind: 'retryRatio' }
  | { kind: 'maxInFlight' }
  | { kind: 'ledgerWrong' }
  | { kind: 'targetAlive' }

export interface MetricFamily {
  kind: MetricReference['kind']
  /** As people write it: `<operation>.error`. */
  pattern: string
  unit: MetricUnit
  /**
   * `crew`: its time runs `speed` times as fast in a time-lapse, so a bound is divided (a rate
   * multiplied); `real`: it does not.
   */
  time: 'crew' | 'real'
  meaning: string
}

/** Every name of the grammar belongs to exactly one family. */
export const METRIC_FAMILIES: readonly MetricFamily[] = [
  {
    kind: 'request',
    pattern: '<operation>.<service|response|attempt|refused|socketWait>.<statistic>',
    unit: 'micros',
    time: 'real',
    meaning:
      'HTTP time of one operation (inputs, kickoff, status). kickoff.response: what a user waits for, from the intended ' +
      'start until the kickoff was accepted, retries and pauses included, over all arrivals that were due; never for one ' +
      'that was rejected or left unknown. status.response: intended to last byte of a usable answer, free of coordinated ' +
      'omission. attempt: the same for each single request. service: first byte sent to last byte received of a usable ' +
      'answer. refused: service time of answers that refused or could not be used. socketWait: handed over to first byte ' +
      'on a socket.',
  },
  {
    kind: 'requestError',
    pattern: '<operation>.error',
    unit: 'share',
    time: 'real',
    meaning:
      'Requests of one operation without a usable answer, of all its requests, retries included.',
  },
  {
    kind: 'lateness',
    pattern: 'lateness.<statistic>',
    unit: 'micros',
    time: 'real',
    meaning: "Intended to sent: the generator's own fault, never the target's.",
  },
  {
    kind: 'completedExecution',
    pattern: 'execution.completed.<statistic>',
    unit: 'micros',
    time: 'crew',
    meaning:
      'Intended start to the moment the client knew the end, over completed executions alone: it says nothing of those ' +
      'that did not complete.',
  },
  {
    kind: 'failedShare',
    pattern: 'execution.failed',
    unit: 'share',
    time: 'crew',
    meaning:
      'Failed executions of those that completed or failed: what the crew itself reports. Executions that were rejected, ' +
      'lost, stuck, unknown or unreadable are in outcome.unserved.',
  },
  {
    kind: 'execution',
    pattern: 'execution.<statistic>',
    unit: 'micros',
    time: 'crew',
    meaning:
      'Intended start to the moment the client knew the end, over all arrivals that were due: never for those rejected, ' +
      'unknown, lost or unreadable; right-censored for those stuck or aborted (Kaplan-Meier).',
  },
  {
    kind: 'detectionDelay',
    pattern: 'detectionDelay.<statistic>',
    unit: 'micros',
    time: 'crew',
    meaning:
      'True end of an execution to the moment the client learned of it: what polling costs the user. From the ledger ' +
      'of a fake crew; otherwise an upper bound, last not-done poll sent to first done poll received. Never for executions ' +
      'that were lost or unreadable; over completed, failed, lost and unreadable ones.',
  },
  {
    kind: 'outcome',
    pattern: 'outcome.<outcome>',
    unit: 'share',
    time: 'crew',
    meaning:
      `Share of arrivals that ended so (${OUTCOME_NAMES.join(', ')}). Dropped, notReached and aborted arrivals stand aside, but ` +
      'for outcome.dropped, outcome.notReached and outcome.aborted themselves, which are shares of all arrivals.',
  },
  {
    kind: 'unserved',
    pattern: 'outcome.unserved',
    unit: 'share',
    time: 'crew',
    meaning:
      'Arrivals that were due and got neither a result nor a failure that the crew reported: rejected, unknown, lost, ' +
      'stuck or unreadable, of all that were due and not aborted. Aborted ones widen its interval.',
  },
  {
    kind: 'check',
    pattern: 'checks.<name>',
    unit: 'share',
    time: 'crew',
    meaning:
      "Completed executions that passed the scenario's check of that name, of those that it answered: one that throws makes the run INVALID.",
  },
  {
    kind: 'contract',
    pattern: 'contract.<violations|documented>',
    unit: 'count',
    time: 'crew',
    meaning:
      'Violations of the interface: by all rules, or by the documented rules alone, without the assumed ones.',
  },
  {
    kind: 'wastedShare',
    pattern: 'polls.wastedShare',
    unit: 'share',
    time: 'crew',
    meaning: 'Polls whose answer told nothing new, of all polls.',
  },
  {
    kind: 'polls',
    pattern: 'polls.<perExecution|wasted>',
    unit: 'count',
    time: 'crew',
    meaning:
      'Mean polls an accepted execution: all of them, or those whose answer told nothing new.',
  },
  {
    kind: 'handshakeShare',
    pattern: 'connections.handshakeShare',
    unit: 'share',
    time: 'real',
    meaning: 'Requests that had to open a new connection, of all requests.',
  },
  {
    kind: 'throughput',
    pattern: 'throughput.<accepted|completed>',
    unit: 'perSecond',
    time: 'crew',
    meaning:
      'Executions accepted, or completed, a second between the end of the warm-up and the end of the arrivals (or where ' +
      'they were cut). Not known where a number of iterations ends the run.',
  },
  {
    kind: 'retryRatio',
    pattern: 'retries.ratio',
    unit: 'share',
    time: 'crew',
    meaning:
      'Retries for each first attempt, kickoffs and polls together; 0.1 is ten percent more requests.',
  },
  {
    kind: 'maxInFlight',
    pattern: 'inFlight.max',
    unit: 'count',
    time: 'crew',
    meaning: 'Most executions accepted and not yet ended at one moment.',
  },
  {
    kind: 'ledgerWrong',
    pattern: 'ledger.wrong',
    unit: 'count',
    time: 'crew',
    meaning:
      "Executions on which the fake crew's ledger contradicts the target's answers: mixed up, duplicated, denied or " +
      'otherwise disagreeing. Known only where there is a ledger.',
  },
  {
    kind: 'targetAlive',
    pattern: 'target.alive',
    unit: 'flag',
    time: 'real',
    meaning:
      '1 when the target gave a usable answer at the end of the run or to one of three probes after it, else 0.',
  },
]

/** The family of a reference: its unit, meaning and clock. */
export function familyOf(reference: MetricReference): MetricFamily {
  return FAMILY_BY_KIND[reference.kind]
}

const FAMILY_BY_KIND = Object.fromEntries(
  METRIC_FAMILIES.map((family) => [family.kind, family]),
) as Record<MetricReference['kind'], MetricFamily>
