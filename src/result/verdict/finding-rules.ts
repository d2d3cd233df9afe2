/** Findings: what the run showed beyond its numbers, by rules on what it observed. */
import type { FindingRule } from '../sentence-tables.ts'
import { findingsBy } from '../sentence-tables.ts'
import { endOfUse, forgottenExecutions } from '../ending/end-of-use.ts'
import { brokenRules, emptyResults } from '../metrics/contract.ts'
import type { ResultDocument } from '../document.ts'
import { continued, leftAtCut, pausedExecutions, warmUpLeft } from '../ending/resumption.ts'
import { areDelayed } from '../ledger/shared-waits.ts'
import type { SharedWaits } from '../document-parts.schema.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import type { Threshold } from '../../scenario/plan.ts'
import { latenessOfRequests } from '../validity/lateness.ts'
import type { Observations } from '../observations.ts'
import { earlyRequests, refusalsOf } from '../refusals.ts'
import { reportEnds } from '../../crew/push.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { RunNote } from '../../execution/record/notes.ts'
import type { RunFinding } from '../sentences/findings.ts'
import { FINDINGS } from '../sentences/findings.ts'
import { stallFacts } from '../stall.ts'
import type { CrewLoad } from '../metrics/crew-load.ts'

export interface FindingSources extends Pick<
  ResultDocument,
  'contract' | 'ledger' | 'recoveries' | 'stall' | 'pushback'
> {
  run: Pick<ResultDocument['run'], 'place'>
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
export function makeFindings(sources: FindingSources): RunFinding[] {
  const order = { problem: 0, warning: 1, info: 2 }
  return findingsBy(FINDINGS, RULES, sources).sort((a, b) => order[a.severity] - order[b.severity])
}

const RULES: readonly FindingRule<typeof FINDINGS, FindingSources>[] = [
  ['ledger-differs', disagreements],
  ['stall', stallFacts],
  ['started-after-given-up', ({ ledger }) => ifSo(ledger?.starts, ({ givenUp }) => givenUp > 0)],
  ['shared-waits', ({ waits }) => (areDelayed(waits) ? waits : null)],
  ['forgotten', ({ observations, ledger }) => forgottenExecutions(observations, ledger)],
  ['no-use-at-end', ({ observations }) => endOfUse(observations)],
  ['paused', (sources) => (isPauseJudged(sources) ? null : pausedExecutions(sources.observations))],
  [
    'paused-judged',
    (sources) => (isPauseJudged(sources) ? pausedExecutions(sources.observations) : null),
  ],
  [
    'not-recovered',
    ({ recoveries }) => recoveries.filter(({ state }) => state === 'not-recovered'),
  ],
  ['warm-up-left', ({ observations }) => ifSo(warmUpLeft(observations), ({ mayRun }) => mayRun)],
  ['warm-up-cut', ({ observations }) => ifSo(warmUpLeft(observations), ({ mayRun }) => !mayRun)],
  ['left-with-crew', ({ observations }) => leftAtCut(observations).withCrew],
  ['left-in-flight', ({ observations }) => leftAtCut(observations).inFlight],
  ['left-unanswered', ({ observations }) => leftAtCut(observations).unanswered],
  ['resumed', ({ observations }) => continued(observations)],
  ['aborted-left', aborted],
  [
    'late-for-requests',
    ({ observations, plan, inDoubt }) => latenessOfRequests(observations, plan, inDoubt),
  ],
  ['contract-habit', habits],
  ['contract-documented', (sources) => rarely(sources, 'documented')],
  ['contract-assumed', (sources) => rarely(sources, 'assumed')],
  [
    'no-output-habit',
    ({ observations }) => ifSo(emptyResults(observations), ({ isHabit }) => isHabit),
  ],
  ['no-output', ({ observations }) => ifSo(emptyResults(observations), ({ isHabit }) => !isHabit)],
  ['kickoffs-unknown', unknownKickoffs],
  ['polls-refused', refusedPolls],
  ['kickoffs-refused', ({ pushback }) => refusalsOf(pushback, 'kickoff')],
  [
    'waits-not-honoured',
    ({ pushback, plan }) => (plan.honourRetryAfter ? earlyRequests(pushback) : null),
  ],
  [
    'waits-ignored',
    ({ pushback, plan }) => (plan.honourRetryAfter ? null : earlyRequests(pushback)),
  ],
  ['waits-hinted', hinted],
  ['retry-budget', ({ pushback }) => (pushback.retries.budgetSpent ? {} : null)],
  ['connections-reopened', reopened],
  ['samples-clamped', clampedSamples],
  ['pushes-missing', (sources) => (isPushJudged(sources) ? null : missingPushes(sources))],
  ['pushes-missing-judged', (sources) => (isPushJudged(sources) ? missingPushes(sources) : null)],
  [
    'unpriced',
    ({ observations: { usage } }) =>
      [...usage.unpriced].map(([model, executions]) => ({ executions, model })),
  ],
  [
    'inputs-missing',
    ({ observations: { missingInputs } }) =>
      missingInputs.names.length === 0 ? null : missingInputs,
  ],
  ['ledger-missing', (sources) => notesOf(sources, 'ledger-missing')],
  [
    'marks-missing',
    (sources) =>
      notesOf(sources, 'marks-missing').map(({ marks, untilMicros }) => {
        return { marks, untilMs: untilMicros / MICROS_PER_MS }
      }),
  ],
  ['k6-ended', (sources) => notesOf(sources, 'k6-ended')],
  ['telemetry-lost', (sources) => notesOf(sources, 'telemetry-lost')],
  ['telemetry-failed', (sources) => notesOf(sources, 'telemetry-failed')],
]

/** Null if there is nothing, or it is not so. */
function ifSo<T>(facts: T | null | undefined, is: (facts: T) => boolean): T | null {
  return facts != null && is(facts) ? facts : null
}

function disagreements({ ledger }: FindingSources) {
  return (ledger?.disagreements ?? []).map(({ kind, count, examples }) => {
    return { kind, executions: count, first: examples[0]?.kickoffId ?? null }
  })
}

/** Thresholds of the scenario on these judge them, and more precisely. */
function isPauseJudged({ plan: { thresholds } }: FindingSources): boolean {
  return thresholds.some(
    ({ metric }) => metric === 'outcome.paused' || metric === 'outcome.completed',
  )
}

/** Those of a fake crew cost nothing; of the warm-up's, `warm-up-left` says it. */
function aborted({ run, observations }: FindingSources) {
  const executions = observations.window.outcomes.aborted
  return executions === 0 || run.place.kind !== 'deployment' ? null : { executions }
}

function broken({ contract, observations, plan }: FindingSources) {
  return brokenRules(contract, observations, plan.thresholds)
}

function habits(sources: FindingSources) {
  return broken(sources).flatMap(({ habit, ...rule }) =>
    habit === null ? [] : Object.assign(rule, habit),
  )
}

function rarely(sources: FindingSources, basis: 'documented' | 'assumed') {
  return broken(sources).filter((rule) => rule.habit === null && rule.basis === basis)
}

function unknownKickoffs({ observations }: FindingSources) {
  const kickoffs = observations.window.outcomes.unknown
  return kickoffs === 0 ? null : { kickoffs }
}

function refusedPolls({ pushback, observations }: FindingSources) {
  const inFlight = observations.inFlight?.least ?? 0
  return refusalsOf(pushback, 'status').map((refusal) => Object.assign(refusal, { inFlight }))
}

function hinted({ pushback: { hints }, plan: { honourRetryAfter, polling } }: FindingSources) {
  return hints === undefined
    ? null
    : { ...hints, isObeyed: honourRetryAfter && polling.hint === 'obey' }
}

/**
 * Above this share of polls on new connections, keep-alive does not work for this poll interval.
 */
const HANDSHAKES_TOO_MANY = 0.2
const FEWEST_POLLS = 20

function reopened({ observations: { requests } }: FindingSources) {
  const { sent, fresh, service } = requests.status
  const { n, sum } = service.ended
  // A target that answers no poll breaks its connections: that says nothing of keep-alive.
  if (n === 0 || sent < FEWEST_POLLS || fresh / sent <= HANDSHAKES_TOO_MANY) return null
  return { polls: sent, opened: fresh, meanServiceMs: sum / n / MICROS_PER_MS }
}

function clampedSamples({ observations: { requests, window } }: FindingSources) {
  const samples =
    requests.kickoff.attempt.ended.clamped +
    requests.status.attempt.ended.clamped +
    window.executions.ended.clamped +
    window.executions.censored.clamped
  return samples === 0 ? null : { samples }
}

function isPushJudged({ plan: { thresholds } }: FindingSources): boolean {
  return thresholds.some(({ metric }) => metric === 'pushes.missed')
}

/** Most ends that were to be reported were not, or nothing came at all. */
function missingPushes({ observations: { pushes }, plan: { webhooks } }: FindingSources) {
  if (webhooks === undefined || pushes === null) return null
  const { ends, missed, received } = pushes.result
  const areMost = missed > ends / 2 && reportEnds(webhooks.hooks)
  return ends > 0 && (received === 0 || areMost) ? pushes.result : null
}

function notesOf<Code extends RunNote['code']>({ observations }: FindingSources, code: Code) {
  return observations.notes.filter(
    (note): note is Extract<RunNote, { code: Code }> => note.code === code,
  )
}
