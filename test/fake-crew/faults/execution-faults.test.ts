/** Each fault of executions, over real sockets and in virtual time: the outcome, the contract's rule, and what the ledger says of it. */
import { describe, expect, test } from 'vitest'
import type { LedgerDisagreement, ResultDocument } from '../../../src/analysis/document.ts'
import type { Outcome } from '../../../src/execution/record.ts'
import { EXECUTIONS, inVirtualTime, overSockets } from './support.ts'

interface Case {
  outcomes: Partial<Record<Outcome, number>>
  rules?: string[]
  disagreements?: LedgerDisagreement['kind'][]
  /** Executions that the crew started. Default: all. */
  started?: number
}

const CASES: [fault: string, wanted: Case][] = [
  ['notFound: { for: 1m }', { outcomes: { lost: EXECUTIONS }, disagreements: ['not-found'] }],
  ['stuck: {}', { outcomes: { stuck: EXECUTIONS } }],
  ['stuck: {}\n  nth: 2', { outcomes: { stuck: EXECUTIONS / 2, completed: EXECUTIONS / 2 } }],
  ['flip: {}', { outcomes: { completed: EXECUTIONS }, rules: ['terminal-state-is-final'] }],
  [
    'flip: { to: failed }',
    { outcomes: { completed: EXECUTIONS }, rules: ['terminal-state-is-final'] },
  ],
  ['noResult: {}', { outcomes: { completed: EXECUTIONS }, rules: ['completed-has-result'] }],
  ['swap: {}', { outcomes: { completed: EXECUTIONS }, disagreements: ['wrong-result'] }],
  ['neverStarts: {}', { outcomes: { lost: EXECUTIONS }, disagreements: ['lost'], started: 0 }],
  ['wrongId: {}', { outcomes: { lost: EXECUTIONS }, disagreements: ['wrong-id'] }],
  [
    'wrongId: { of: another }\n  nth: 2',
    {
      outcomes: { completed: EXECUTIONS },
      rules: ['kickoff-id-unique'],
      disagreements: ['wrong-id'],
    },
  ],
]

/** What a case is held against. */
function toldBy({ outcomes, contract, ledger }: ResultDocument): unknown {
  return {
    outcomes,
    rules: contract.rules.map(({ rule }) => rule),
    disagreements: ledger?.disagreements.map(({ kind }) => kind),
    started: ledger?.rows,
  }
}

function whole(wanted: Case): Case {
  return { rules: [], disagreements: [], started: EXECUTIONS, ...wanted }
}

describe.concurrent('over sockets', () => {
  test.each(CASES)('%s', async (fault, wanted) => {
    const { document, marks } = await overSockets(`- ${fault}`)
    expect(toldBy(document)).toMatchObject(whole(wanted))
    expect(marks.length).toBeGreaterThan(0)
  })

  test('progress that goes backwards', async () => {
    const faults = '- backwards: {}\n  nth: 3'
    const { document } = await overSockets(faults, {
      changes: { deadline: '20s' },
      writing: '1s',
    })
    const rules = ['completed-tasks-never-decrease']
    expect(toldBy(document)).toMatchObject(whole({ outcomes: { completed: EXECUTIONS }, rules }))
  })

  test('an execution that is found within the grace is not lost', async () => {
    const changes = { notFoundGrace: '20s', deadline: '20s' }
    const { document } = await overSockets('- notFound: { for: 50ms }', { changes })
    expect(toldBy(document)).toMatchObject(whole({ outcomes: { completed: EXECUTIONS } }))
  })
})

describe('in virtual time', () => {
  test.each(CASES)('%s', async (fault, wanted) => {
    expect(toldBy(await inVirtualTime(`- ${fault}`))).toMatchObject(whole(wanted))
  })
})
