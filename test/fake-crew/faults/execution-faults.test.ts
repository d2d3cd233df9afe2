/**
 * Each fault of executions, over real sockets and in virtual time: the outcome, the contract's
 * rule, and what the ledger says of it.
 */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import type { ExecutionCase } from './cases.ts'
import { casesOf } from './cases.ts'
import type { Weather } from './support.ts'
import { EXECUTIONS, inVirtualTime, overSockets } from './support.ts'

const CASES = casesOf('executions')

/** What a case is held against. */
function toldBy({ outcomes, contract, ledger }: ResultDocument): unknown {
  return {
    outcomes,
    rules: contract.rules.map(({ rule }) => rule),
    disagreements: ledger?.disagreements.map(({ kind }) => kind),
    started: ledger?.rows,
  }
}

function whole({ outcomes, rules, disagreements, started }: Omit<ExecutionCase, 'run' | 'fault'>) {
  return {
    outcomes,
    rules: rules ?? [],
    disagreements: disagreements ?? [],
    started: started ?? EXECUTIONS,
  }
}

function weatherOf({ slow }: ExecutionCase): Weather {
  if (slow === undefined) return {}
  return { changes: { deadline: slow.deadline }, writing: slow.writing }
}

describe.concurrent('over sockets', () => {
  test.each(CASES)('%s', async (fault, wanted) => {
    const { document, marks } = await overSockets(`- ${fault}`, weatherOf(wanted))
    expect(toldBy(document)).toMatchObject(whole(wanted))
    expect(marks.length).toBeGreaterThan(0)
  })

  test('an execution that is found within the grace is not lost', async () => {
    const changes = { notFoundGrace: '20s', deadline: '20s' }
    const { document } = await overSockets('- notFound: { for: 50ms }', { changes })
    expect(toldBy(document)).toMatchObject(whole({ outcomes: { completed: EXECUTIONS } }))
  })
})

describe('in virtual time', () => {
  test.each(CASES)('%s', async (fault, wanted) => {
    expect(toldBy(await inVirtualTime(`- ${fault}`, weatherOf(wanted)))).toMatchObject(
      whole(wanted),
    )
  })
})
