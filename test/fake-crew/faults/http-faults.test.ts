/**
 * Each fault of HTTP over real sockets and in virtual time: the outcome, the error class, the
 * contract's rule, and what the ledger says of it.
 */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import type { HttpCase } from './cases.ts'
import { casesOf } from './cases.ts'
import { EXECUTIONS, inVirtualTime, overSockets } from './support.ts'
import { areExperimentsRun } from '../../experiments.ts'

/** A client that gives up, but not at once: this machine may be busy. */
const HASTY = {
  kickoff: { changes: { timeouts: { request: '4s', firstCall: '4s' } } },
  status: { changes: { timeouts: { request: '1s', firstCall: '20s' } } },
}

const CUT_SHORT = new Set(['timeout', 'connect-timeout'])

/**
 * Classes and codes, but for time-outs that a busy machine may add where the deadline cuts a
 * request short.
 */
function errorsOf(document: ResultDocument, operation: string, wanted: string | null): string[] {
  const errors = document.errors.filter((entry) => entry.operation === operation)
  return errors
    .map((entry) => String(entry.answer))
    .filter((name) => name === wanted || !CUT_SHORT.has(name))
}

/**
 * A busy client may find a reset together with the data before it, and libuv then tells an end of
 * the connection: the body is truncated. What goes over the wire is held to be a reset in
 * server.test.ts.
 */
function overWire(classes: readonly string[], fault: string): string[] {
  if (!fault.startsWith('reset: { at: during')) return [...classes]
  return [...new Set(classes.map((name) => (name === 'truncated' ? 'reset' : name)))]
}

const OPERATIONS: [HttpCase['run'], [string, HttpCase][]][] = [
  ['kickoff', casesOf('kickoff')],
  ['status', casesOf('status')],
]

/** Every case with the experiments; always in virtual time, below. */
const STEP = areExperimentsRun ? 1 : 3

describe.concurrent.each(OPERATIONS)('of %s', (operation, cases) => {
  test.each(cases.filter((_, i) => i % STEP === 0))(
    '%s',
    async (_, { fault, outcome, error, rule, started }) => {
      const text = `- ${fault}\n  operations: [${operation}]`
      const weather = error === 'timeout' ? HASTY[operation] : {}
      const { document, rows, marks } = await overSockets(text, weather)
      expect(document.outcomes).toMatchObject({ [outcome]: EXECUTIONS })
      const classes = overWire(errorsOf(document, operation, error), fault)
      expect(classes).toEqual(error === null ? [] : [error])
      expect(document.contract.rules.map((entry) => entry.rule)).toEqual(
        rule === null ? [] : [rule],
      )
      expect(rows).toHaveLength(started)
      expect(document.ledger?.disagreements).toEqual([])
      expect(new Set(marks.map((mark) => mark.operation))).toEqual(new Set([operation]))
      expect(rows.every((entry) => (entry.faults?.length ?? 0) > 0)).toBe(true)
    },
  )
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
