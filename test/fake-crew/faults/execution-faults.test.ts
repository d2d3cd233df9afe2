/** Each fault of executions, over real sockets and in virtual time: the outcome, the contract's rule, and what the ledger says of it. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/analysis/document.ts'
import type { ExecutionCase } from './execution-cases.ts'
import { BACKWARDS, EXECUTION_CASES } from './execution-cases.ts'
import { EXECUTIONS, inVirtualTime, overSockets } from './support.ts'

/** What a case is held against. */
function toldBy({ outcomes, contract, ledger }: ResultDocument): unknown {
  return {
    outcomes,
    rules: contract.rules.map(({ rule }) => rule),
    disagreements: ledger?.disagreements.map(({ kind }) => kind),
    started: ledger?.rows,
  }
}

function whole(wanted: ExecutionCase): ExecutionCase {
  return { rules: [], disagreements: [], started: EXECUTIONS, ...wanted }
}

describe.concurrent('over sockets', () => {
  test.each(EXECUTION_CASES)('%s', async (fault, wanted) => {
    const { document, marks } = await overSockets(`- ${fault}`)
    expect(toldBy(document)).toMatchObject(whole(wanted))
    expect(marks.length).toBeGreaterThan(0)
  })

  test('progress that goes backwards', async () => {
    const { document } = await overSockets(`- ${BACKWARDS}`, {
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
  test.each(EXECUTION_CASES)('%s', async (fault, wanted) => {
    expect(toldBy(await inVirtualTime(`- ${fault}`))).toMatchObject(whole(wanted))
  })
})
