/** Each fault of HTTP over real sockets and in virtual time: the outcome, the error class, the contract's rule, and what the ledger says of it. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/analysis/document.ts'
import { ON_KICKOFF, ON_STATUS } from './http-cases.ts'
import { EXECUTIONS, inVirtualTime, overSockets } from './support.ts'

/** A client that gives up, but not at once: this machine may be busy. */
const HASTY = {
  kickoff: { changes: { timeouts: { request: '4s', firstCall: '4s' } } },
  status: { changes: { timeouts: { request: '1s', firstCall: '20s' } } },
}

/**
 * Classes and codes, but for what this machine may add: time-outs that the deadline cut short, and a reset that a busy client finds
 * together with data, which libuv then tells as an end of the connection.
 */
function errorsOf(document: ResultDocument, operation: string, wanted: string | null): string[] {
  const errors = document.errors.filter((entry) => entry.operation === operation)
  const cutShort = ['timeout', 'connect-timeout']
  const added = wanted === 'reset' ? [...cutShort, 'truncated'] : cutShort
  return errors
    .map((entry) => entry.class)
    .filter((name) => name === wanted || !added.includes(name))
}

const OPERATIONS = [
  ['kickoff', ON_KICKOFF],
  ['status', ON_STATUS],
] as const

describe.concurrent.each(OPERATIONS)('of %s', (operation, cases) => {
  test.each(cases)('%s', async (_, { fault, outcome, error, rule, started }) => {
    const text = `- ${fault}\n  operations: [${operation}]`
    const weather = error === 'timeout' ? HASTY[operation] : {}
    const { document, rows, marks } = await overSockets(text, weather)
    expect(document.outcomes).toMatchObject({ [outcome]: EXECUTIONS })
    expect(errorsOf(document, operation, error)).toEqual(error === null ? [] : [error])
    expect(document.contract.rules.map((entry) => entry.rule)).toEqual(rule === null ? [] : [rule])
    expect(rows).toHaveLength(started)
    expect(document.ledger?.disagreements).toEqual([])
    expect(new Set(marks.map((mark) => mark.operation))).toEqual(new Set([operation]))
    expect(rows.every((entry) => (entry.faults?.length ?? 0) > 0)).toBe(true)
  })
})

describe.each(OPERATIONS)('of %s in virtual time', (operation, cases) => {
  test.each(cases)('%s', async (_, { fault, outcome, error, rule, started }) => {
    const text = `- ${fault}\n  operations: [${operation}]`
    const document = await inVirtualTime(text, HASTY[operation])
    expect(document.outcomes).toMatchObject({ [outcome]: EXECUTIONS })
    expect(errorsOf(document, operation, error)).toEqual(error === null ? [] : [error])
    expect(document.contract.rules.map((entry) => entry.rule)).toEqual(rule === null ? [] : [rule])
    expect(document.ledger).toMatchObject({ rows: started, disagreements: [] })
  })
})
