/** What must hold of any run, whatever the weather: faults that the run shows otherwise, each in a sentence. */
import type { FaultKindName } from '../../fake-crew/model/faults/fault.ts'
import type { LedgerDisagreement, ResultDocument } from '../../src/analysis/document.ts'
import type { Weather } from './weather.ts'

/** Longer than any of these runs can take: the last arrival, a deadline for each that waits for a place, a drain, a second look. */
const LONGEST_MS = 60_000

type Disagreement = LedgerDisagreement['kind']

/** What each kind of fault may make the client believe otherwise than the ledger has it; the others: nothing. */
const EXPLAINS: Partial<Record<FaultKindName, readonly Disagreement[]>> = {
  status: ['not-found', 'duplicate', 'unrecorded', 'end-outside-interval'],
  flip: ['wrong-result', 'end-outside-interval'],
  swap: ['wrong-result'],
  notFound: ['not-found'],
  restart: ['not-found'],
  neverStarts: ['lost'],
  wrongId: ['wrong-id', 'lost'],
}

export function troublesOf(weather: Weather, document: ResultDocument): string[] {
  const { arrivals, outcomes, verdict, run } = document
  const sum = Object.values(outcomes).reduce((total, count) => total + count, 0)
  return [
    ...unless(sum === arrivals, `${sum} outcomes for ${arrivals} arrivals`),
    ...verdict.reasons.filter(() => !verdict.valid).map(({ message }) => message),
    ...unless(run.stopped === null || weather.stop !== null, `stopped: ${run.stopReason}`),
    ...unless(run.durationMs < LONGEST_MS, `took ${run.durationMs} ms`),
    ...disagreements(weather, document),
  ]
}

/** The ledger must be there, and may disagree only where the weather explains it. */
function disagreements(
  { faults, profile, scenario }: Weather,
  { ledger }: ResultDocument,
): string[] {
  if (ledger === null) return ['there is no ledger']
  const explained = new Set(faults.flatMap((fault) => EXPLAINS[kindOf(fault)] ?? []))
  if (profile['retention'] !== 'forever') explained.add('not-found')
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
