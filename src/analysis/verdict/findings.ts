/** Findings: what the run showed beyond its numbers, each with its remedy. */
import { RETRY_BUDGET_SPENT } from '../../scenario/retry/retry-budget.ts'
import { formatDuration, formatShare } from '../../base/units.ts'
import { afterLossFindings } from '../ending/after-loss.ts'
import { recoveryOnCrewClock } from '../crew-clock.ts'
import { contractFindings, occasionsOf } from './contract-findings.ts'
import type {
  ContractResult,
  Finding,
  LedgerDisagreement,
  LedgerResult,
  RunInfo,
} from '../document.ts'
import { tellsBudget } from '../ending/endings.ts'
import { recoveryFindings } from '../ledger/fault-recovery.ts'
import { plural } from '../metrics/format-metric.ts'
import { latenessFindings } from '../validity/lateness.ts'
import type { Observations } from '../observations.ts'
import type { PlanFacts } from '../plan-facts.ts'
import { pushbackFindings } from '../refusals/findings.ts'
import { crashFindings } from '../ending/resumption.ts'
import { generatorFailure } from '../validity/validity.ts'
import type { PushbackResult, RecoveryResult } from '../disturbances.ts'

export interface FindingSources {
  observations: Observations
  plan: PlanFacts
  run: RunInfo
  contract: ContractResult
  ledger: LedgerResult | null
  recoveries: readonly RecoveryResult[]
  pushback: PushbackResult
}

/** Problems first, then warnings, then information. */
export function findings(sources: FindingSources): Finding[] {
  const { observations } = sources
  const all = [
    ...ledgerFindings(sources.ledger),
    ...afterLossFindings(observations, sources.run.speed),
    ...recoveryFindings(
      sources.recoveries.map((each) => recoveryOnCrewClock(each, sources.run.speed)),
    ),
    ...crashFindings(observations),
    ...latenessFindings(observations, sources.plan),
    ...contractFindings(sources.contract, occasionsOf(observations), sources.plan.thresholds),
    ...oldPlanFindings(sources.plan),
    ...unknownFindings(observations),
    ...pushbackFindings(sources.pushback, {
      inFlight: observations.inFlight?.least ?? 0,
      speed: sources.run.speed,
    }),
    ...connectionFindings(observations),
    ...clampedFindings(observations),
    ...observations.notes
      .filter((note) => !isToldElsewhere(note))
      .map((message) => ({ severity: severityOf(message), message })),
  ]
  const order = { problem: 0, warning: 1, info: 2 }
  return all.sort((a, b) => order[a.severity] - order[b.severity])
}

/** How the note begins that a run leaves whose fake crew did not give its ledger: why follows. */
export const LEDGER_NOT_FETCHED = 'the ledger of the fake crew could not be fetched'

function isToldElsewhere(note: string): boolean {
  if (tellsBudget(note) || note === RETRY_BUDGET_SPENT) return true
  return generatorFailure(note) !== undefined
}

/** Likewise, where the fake crew no longer had all marks of what its faults touched. */
export const MARKS_MISSING = 'the fake crew no longer has'

function severityOf(note: string): Finding['severity'] {
  const warns = [LEDGER_NOT_FETCHED, MARKS_MISSING].some((begin) => note.startsWith(begin))
  return warns ? 'warning' : 'info'
}

const LEDGER_MEANING: Record<LedgerDisagreement['kind'], string> = {
  lost: 'accepted for the client, but unknown to the ledger: the target forgot what it had promised',
  duplicate:
    'started more than once for one arrival: a retried kickoff runs, and is paid for, again',
  'wrong-id':
    "answered with an id that is not the execution's own: the client follows another, or none",
  'not-found':
    'could not be found by the client, though the ledger has them: the target denies what it accepted',
  forgotten:
    'could not be found by the client after their end, which it had not learned of: results are not kept long enough for these polls',
  'never-ended':
    'ended for the client, but never for the ledger: the target reported an end too early',
  'wrong-result': 'with another outcome or output than the ledger has: results are mixed up',
  unrecorded: 'in the ledger without a record here: kickoffs that the client believes not started',
  'end-outside-interval':
    "with an end outside the client's interval: one of the clocks, or the measurement, is wrong",
}

function ledgerFindings(ledger: LedgerResult | null): Finding[] {
  return (ledger?.disagreements ?? []).map(({ kind, count, examples }) => ({
    severity: 'problem',
    message: `${plural(count, 'execution')} ${LEDGER_MEANING[kind]}; first ${examples[0]?.kickoffId ?? 'unknown'}`,
  }))
}

function oldPlanFindings({ isBeforePromises, thresholds }: PlanFacts): Finding[] {
  if (!isBeforePromises) return []
  const count = thresholds.length
  const judged =
    count === 0
      ? 'it stored no threshold that could judge it'
      : `it is judged by the ${plural(count, 'threshold')} that it stored, and what ${count === 1 ? 'it does' : 'they do'} not mention is not guarded`
  const message = `this run was planned before there were default promises: ${judged}; run again to have them`
  return [{ severity: 'info', message }]
}

function unknownFindings({ window }: Observations): Finding[] {
  const { unknown } = window.outcomes
  if (unknown === 0) return []
  return [
    {
      severity: 'warning',
      message: `${plural(unknown, 'kickoff')} got no usable answer and may have started: look for their correlation header in the target's logs`,
    },
  ]
}

/**
 * Above this share of polls on new connections, keep-alive does not work for this poll interval.
 */
const HANDSHAKES_TOO_MANY = 0.2
const FEWEST_POLLS = 20

function connectionFindings({ requests }: Observations): Finding[] {
  const { sent, fresh, service } = requests.status
  if (sent < FEWEST_POLLS || fresh / sent <= HANDSHAKES_TOO_MANY) return []
  const mean = service.ended.n === 0 ? 0 : service.ended.sum / service.ended.n
  return [
    {
      severity: 'warning',
      message:
        `${formatShare(fresh / sent)} of the polls opened a new connection (mean service time ${formatDuration(mean)}): ` +
        'idle connections are closed before the next poll; raise the keep-alive time of the target and of connections.keepAlive ' +
        'above the poll interval (Node closes idle connections after 5 s by default)',
    },
  ]
}

function clampedFindings({ requests, window }: Observations): Finding[] {
  const clamped =
    requests.kickoff.attempt.ended.clamped +
    requests.status.attempt.ended.clamped +
    window.executions.ended.clamped +
    window.executions.censored.clamped
  if (clamped === 0) return []
  const message = `${plural(clamped, 'sample')} outside 1 us to 24 h: counted at that edge`
  return [{ severity: 'warning', message }]
}
