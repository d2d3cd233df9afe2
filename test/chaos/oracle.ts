/**
 * What must hold of any run, whatever the weather: faults that the run shows otherwise, each in a
 * sentence.
 */
import type { FaultKindName } from '../../fake-crew/model/faults/kinds/list.ts'
import type { LedgerDisagreement, ResultDocument } from '../../src/result/document.ts'
import type { Weather } from './weather.ts'

/**
 * Longer than any of these runs can take: the last arrival, a deadline for each that waits for a
 * place, a drain, a second look.
 */
const LONGEST_MS = 60_000

type Disagreement = LedgerDisagreement['kind']

/**
 * What each kind of fault may make the client believe otherwise than the ledger has it; the others:
 * nothing.
 */
const EXPLAINS: Partial<Record<FaultKindName, readonly Disagreement[]>> = {
  status: ['not-found', 'not-asked', 'duplicate', 'unrecorded', 'end-outside-interval'],
  flip: ['wrong-result', 'end-outside-interval'],
  swap: ['wrong-result'],
  notFound: ['not-found', 'not-asked'],
  restart: ['not-found', 'not-asked', 'forgotten'],
  neverStarts: ['lost'],
  wrongId: ['wrong-id', 'lost'],
}

export function troublesOf(weather: Weather, document: ResultDocument): string[] {
  const { arrivals, outcomes, run } = document
  const sum = Object.values(outcomes).reduce((total, count) => total + count, 0)
  return [
    ...unless(sum === arrivals, `${sum} outcomes for ${arrivals} arrivals`),
    ...invalidity(document),
    ...(document.verdict.outcome === 'passed' ? unearned(document) : []),
    ...unless(
      run.stopped === null || weather.stop !== null,
      `stopped: ${JSON.stringify(run.stopReason)}`,
    ),
    ...unless(run.durationMs < LONGEST_MS, `took ${run.durationMs} ms`),
    ...disagreements(weather, document),
  ]
}

/**
 * Only arrivals that a full generator dropped may make such a run invalid, and more than 1 % of
 * them must.
 */
function invalidity({ verdict, generator, outcomes, arrivals }: ResultDocument): string[] {
  const { dropped, notReached } = outcomes
  const isTooMany = dropped > 0.01 * (arrivals - notReached)
  const failed = generator.checks.filter(({ ok }) => !ok).map(({ name }) => name)
  const own = verdict.reasons.filter(({ code }) => code === 'generator-error')
  return [
    ...failed.filter((name) => name !== 'admission').map((name) => `invalid by ${name}`),
    ...own.map(({ message }) => message),
    ...unless(failed.includes('admission') === isTooMany, `${dropped} dropped of ${arrivals}`),
    ...unless(verdict.valid === (failed.length === 0), `valid: ${verdict.valid}`),
  ]
}

/** What no run with default promises may lack that passed. */
function unearned({ outcomes, run, thresholds, ledger }: ResultDocument): string[] {
  const { completed, failed, dropped, notReached, aborted } = outcomes
  const { rejected, unknown, lost, stuck, unreadable } = outcomes
  const left = rejected + unknown + lost + stuck + unreadable
  const due = left + completed + failed
  // The interval of a default promise may cross its bound: only its value must keep it.
  const unmet = thresholds.filter(
    ({ status, source }) => status !== 'met' && !(source === 'default' && status === 'undecided'),
  )
  const told = ledger?.disagreements ?? []
  // They accuse a clock, a retention and the scenario, and not the crew's account.
  const others = new Set<Disagreement>(['end-outside-interval', 'forgotten', 'asked'])
  const wrong = told.filter(({ kind }) => !others.has(kind))
  return [
    ...unless(run.stopped === null, `passed, though stopped: ${JSON.stringify(run.stopReason)}`),
    ...unless(notReached + aborted === 0, `passed with ${notReached + aborted} arrivals missing`),
    ...unless(dropped <= 0.01 * (due + dropped), `passed with ${dropped} dropped`),
    ...unless(completed > 0, 'passed with nothing completed'),
    ...unless(left <= 0.05 * due, `passed with ${left} of ${due} not served`),
    ...unless(failed <= 0.1 * (completed + failed), `passed with ${failed} failed`),
    ...unless(thresholds.length > 0, 'passed without a promise'),
    ...unmet.map(({ metric, status }) => `passed with ${metric} ${status}`),
    ...wrong.map(({ kind, count }) => `passed with ${count} ${kind}`),
  ]
}

/** The ledger must be there, and may disagree only where the weather explains it. */
function disagreements(
  { faults, profile, scenario }: Weather,
  { ledger }: ResultDocument,
): string[] {
  if (ledger === null) return ['there is no ledger']
  const explained = new Set(faults.flatMap((fault) => EXPLAINS[kindOf(fault)] ?? []))
  explained.add('asked')
  if (profile['retention'] !== 'forever') {
    explained.add('not-found').add('not-asked').add('forgotten')
  }
  const { retry } = scenario
  if (typeof retry === 'object' && retry.unknownKickoffs === 'repeat') explained.add('duplicate')
  return ledger.disagreements
    .filter(({ kind }) => !explained.has(kind))
    .map(({ kind, examples }) => `${kind}: ${examples[0]?.detail}`)
}

/** Its name begins with it. */
export function kindOf({ name }: { name: string }): FaultKindName {
  return name.split(' ')[0] as FaultKindName
}

function unless(holds: boolean, trouble: string): string[] {
  return holds ? [] : [trouble]
}
