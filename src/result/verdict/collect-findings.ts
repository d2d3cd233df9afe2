/** Findings: what the run showed beyond its numbers, each with its remedy. */
import { formatDuration, formatShare, formatCount, plural } from '../../base/numbers.ts'
import { afterLossFindings } from '../ending/after-loss.ts'
import { contractFindings, emptyFindings } from '../metrics/contract.ts'
import type { LedgerDisagreement, LedgerResult, ResultDocument } from '../document.ts'
import { pausedFindings, crashFindings } from '../ending/resumption.ts'
import { recoveryFindings } from '../ledger/fault-recovery.ts'
import type { SharedWaits } from '../ledger/shared-waits.ts'
import { sharedWaitFindings } from '../ledger/shared-waits.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import type { Threshold } from '../../scenario/plan.ts'
import { latenessFindings } from '../lateness.ts'
import type { Observations } from '../observations.ts'
import { pushbackFindings } from '../refusals.ts'
import { unreachable } from '../../base/assert.ts'
import { reportEnds } from '../../crew/push.ts'
import type { RunNote } from '../../execution/record/notes.ts'
import { notGivenWords } from '../../crew/inputs/sentences.ts'
import { stallFindings } from '../stall.ts'
import type { CrewLoad } from '../metrics/crew-load.ts'
import type { RunFinding } from '../finding.ts'
import { findingOf } from '../finding.ts'

interface FindingSources extends Pick<
  ResultDocument,
  'contract' | 'ledger' | 'recoveries' | 'stall' | 'pushback' | 'run'
> {
  observations: Observations
  plan: PlanDocument
  /** The thresholds that lateness could have changed. */
  inDoubt: readonly Threshold[]
  /** How busy the crew was; null if that is unknown. */
  load: CrewLoad | null
  /** Null where executions share nothing but workers. */
  waits: SharedWaits | null
}

/** Problems first, then warnings, then information. */
export function findings(sources: FindingSources): RunFinding[] {
  const { observations } = sources
  const all = [
    ...ledgerFindings(sources.ledger),
    ...stallFindings(sources),
    ...sharedWaitFindings(sources.waits),
    ...afterLossFindings(observations, sources.ledger),
    ...pausedFindings(observations, sources.plan.thresholds),
    ...recoveryFindings(sources.recoveries),
    ...crashFindings(observations),
    ...abortedFindings(sources),
    ...latenessFindings(observations, sources.plan, sources.inDoubt),
    ...contractFindings(sources.contract, observations, sources.plan.thresholds),
    ...emptyFindings(observations),
    ...unknownFindings(observations),
    ...pushbackFindings(sources.pushback, observations.inFlight?.least ?? 0, sources.plan),
    ...connectionFindings(observations),
    ...clampedFindings(observations),
    ...pushFindings(observations, sources.plan),
    ...priceFindings(observations),
    ...inputFindings(observations),
    ...observations.notes.flatMap((note) => noteFinding(note) ?? []),
  ]
  const order = { problem: 0, warning: 1, info: 2 }
  return all.sort((a, b) => order[a.severity] - order[b.severity])
}

/** Most ends that were to be reported were not, or nothing came at all. */
function pushFindings(
  { pushes }: Observations,
  { webhooks, thresholds }: PlanDocument,
): RunFinding[] {
  if (webhooks === undefined || pushes === null) return []
  const { ends, missed, early, received } = pushes.result
  if (ends === 0) return []
  if (received > 0 && (missed <= ends / 2 || !reportEnds(webhooks.hooks))) return []
  const found =
    received === 0
      ? `no push came about ${plural(ends, 'execution')} that ended`
      : `no push in time reported ${formatCount(missed)} of ${plural(ends, 'end')}, and ` +
        `${formatCount(early)} had one that came too early`
  const isJudged = thresholds.some(({ metric }) => metric === 'pushes.missed')
  return [
    findingOf(
      isJudged ? 'pushes-missing-judged' : 'pushes-missing',
      `${found}: look whether the crew sends to the webhooks of its kickoffs, and can reach them`,
    ),
  ]
}

function priceFindings({ usage: { unpriced } }: Observations): RunFinding[] {
  return [...unpriced].map(([model, count]) => {
    const lacks =
      model === null
        ? 'name no model, and `prices` has no price of every model: set its input and output'
        : `use ${model}, which has no price: add it to \`prices.models\``
    return findingOf('unpriced', `${plural(count, 'execution')} of unknown cost ${lacks}`)
  })
}

function inputFindings({ missingInputs }: Observations): RunFinding[] {
  if (missingInputs.names.length === 0) return []
  return [findingOf('inputs-missing', notGivenWords(missingInputs, missingInputs.hasAccepted))]
}

/** Null for those that make a run INVALID, and those of budgets, which the verdict explains. */
function noteFinding(note: RunNote): RunFinding | null {
  switch (note.code) {
    case 'budget-spent':
    case 'generator-failed':
    case 'machine-short':
      return null
    case 'ledger-missing': {
      const why = `the ledger of the fake crew could not be fetched (${note.error})`
      return findingOf('ledger-missing', `${why}: nothing of this run was compared with it`)
    }
    case 'marks-missing':
      return findingOf(
        'marks-missing',
        `the fake crew no longer has its oldest ${formatCount(note.marks)} marks: what its ` +
          `faults touched in the first ${formatDuration(note.untilMicros)} of the run is missing ` +
          'from the counts of touched answers',
      )
    case 'telemetry-lost':
    case 'k6-ended':
      return findingOf(note.code, note.what)
    default:
      return unreachable(note)
  }
}

const LEDGER_MEANING: Record<LedgerDisagreement['kind'], string> = {
  lost: 'accepted by the target but missing from the ledger: the target lost them',
  duplicate: 'started more than once for one arrival: a retried kickoff runs, and costs, again',
  'wrong-id': 'answered with the wrong id: the client polls another execution, or none',
  'not-found':
    'in the ledger but not found by the client: the target denies executions that it accepted',
  forgotten:
    'forgotten by the target before the client learned of their end: results are ' +
    'not kept long enough for this polling',
  asked:
    'hidden while the crew asked a person: say so with human: true in the scenario, and they are ' +
    'followed to their end',
  'not-asked':
    'paused for the client, though the crew asked nobody then: it lost or hides them for ' +
    'another reason',
  'never-ended':
    'ended for the client but not in the ledger: the target reported the end too early',
  'wrong-result': 'with an outcome or output different from the ledger: results are mixed up',
  unrecorded:
    'in the ledger but not in the journal: kickoffs that the client believes did not start',
  'end-outside-interval':
    "with an end outside the client's interval: a clock or the measurement is wrong",
}

function ledgerFindings(ledger: LedgerResult | null): RunFinding[] {
  return (ledger?.disagreements ?? []).map(({ kind, count, examples }) =>
    findingOf(
      'ledger-differs',
      `${plural(count, 'execution')} ${LEDGER_MEANING[kind]}; first ` +
        (examples[0]?.kickoffId ?? 'unknown'),
    ),
  )
}

/** Those of a fake crew cost nothing; of the warm-up's, `warm-up-left` says it. */
function abortedFindings({ run, observations }: FindingSources): RunFinding[] {
  const { aborted } = observations.window.outcomes
  if (aborted === 0 || run.profile !== null) return []
  const message = `${plural(aborted, 'aborted execution')} may still be running on the target and costing money`
  return [findingOf('aborted-left', message)]
}

function unknownFindings({ window }: Observations): RunFinding[] {
  const { unknown } = window.outcomes
  if (unknown === 0) return []
  return [
    findingOf(
      'kickoffs-unknown',
      `${plural(unknown, 'kickoff')} got no usable answer and may have started: look ` +
        `for their correlation header in the target's logs`,
    ),
  ]
}

/**
 * Above this share of polls on new connections, keep-alive does not work for this poll interval.
 */
const HANDSHAKES_TOO_MANY = 0.2
const FEWEST_POLLS = 20

function connectionFindings({ requests }: Observations): RunFinding[] {
  const { sent, fresh, service } = requests.status
  if (sent < FEWEST_POLLS || fresh / sent <= HANDSHAKES_TOO_MANY) return []
  const mean = service.ended.n === 0 ? 0 : service.ended.sum / service.ended.n
  return [
    findingOf(
      'connections-reopened',
      `${formatShare(fresh / sent)} of the polls opened a new connection (mean service time ` +
        `${formatDuration(mean)}): idle connections are closed before the next poll; raise the ` +
        "target's keep-alive time and connections.keepAlive above the poll interval (Node closes " +
        'idle connections after 5 s by default)',
    ),
  ]
}

function clampedFindings({ requests, window }: Observations): RunFinding[] {
  const clamped =
    requests.kickoff.attempt.ended.clamped +
    requests.status.attempt.ended.clamped +
    window.executions.ended.clamped +
    window.executions.censored.clamped
  if (clamped === 0) return []
  const message = `${plural(clamped, 'sample')} outside 1 us to 24 h: counted at the nearest limit`
  return [findingOf('samples-clamped', message)]
}
