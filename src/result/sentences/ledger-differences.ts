/** How the client's account and the ledger differ, in words, and what to do about each. */
import { plural } from '../../base/numbers.ts'
import type { LedgerDisagreement } from '../document-parts.schema.ts'

interface LedgerDifference {
  noun: 'execution' | 'arrival' | 'kickoff'
  meaning: string
  remedy: string
}

const LOOK_UP = 'look them up in ledger.ndjson'

export const DIFFERENCES: Record<LedgerDisagreement['kind'], LedgerDifference> = {
  lost: {
    noun: 'execution',
    meaning: 'accepted by the target but unknown to the ledger',
    remedy: 'find where the target lost them',
  },
  duplicate: {
    noun: 'arrival',
    meaning: 'started more than once',
    remedy: 'make kickoffs idempotent, or retry none that may have started: each run costs again',
  },
  'wrong-id': {
    noun: 'kickoff',
    meaning: 'answered with the id of another',
    remedy: LOOK_UP,
  },
  'not-found': {
    noun: 'execution',
    meaning: 'not found, though in the ledger',
    remedy: 'find why the target denies executions that it accepted',
  },
  forgotten: {
    noun: 'execution',
    meaning: 'forgotten before the client learned of their end',
    remedy: 'keep results longer, or poll more often towards the end',
  },
  asked: {
    noun: 'execution',
    meaning: 'not found while a person was asked',
    remedy: 'set human: true in the scenario, so that crewload follows them to their end',
  },
  'not-asked': {
    noun: 'execution',
    meaning: 'paused, though nobody was asked',
    remedy: 'find why the crew hides them, or whether it lost them',
  },
  'never-ended': {
    noun: 'execution',
    meaning: 'completed without an end in the ledger',
    remedy: 'find why the target reported their end too early',
  },
  'wrong-result': {
    noun: 'execution',
    meaning: 'with another result in the ledger',
    remedy: 'find where results are mixed up',
  },
  unrecorded: {
    noun: 'execution',
    meaning: 'in the ledger alone, which the client believes did not start',
    remedy: LOOK_UP,
  },
  'end-outside-interval': {
    noun: 'execution',
    meaning: 'with another end in the ledger',
    remedy: 'check the clocks, and report it as a bug if they are right',
  },
}

export function differenceWords(kind: LedgerDisagreement['kind'], many: number): string {
  const { noun, meaning } = DIFFERENCES[kind]
  return `${plural(many, noun)} ${meaning}`
}
