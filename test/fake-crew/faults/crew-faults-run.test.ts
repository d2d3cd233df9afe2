/**
 * Faults of the crew as a whole under a run, over real sockets and in virtual time: the outcome,
 * the errors, the ledger.
 */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import type { CrewCase } from './cases.ts'
import { casesOf } from './cases.ts'
import { EXECUTIONS, inVirtualTime, overSockets } from './support.ts'

const CASES = casesOf('crew')
const WEATHER = { changes: { deadline: '30s' }, writing: '3s' }

function expectTold(document: ResultDocument, { outcome, errors }: CrewCase): void {
  expect(document.outcomes).toMatchObject({ [outcome]: EXECUTIONS })
  const classes = document.errors.map((entry) => String(entry.answer))
  expect(errors).toEqual(expect.arrayContaining(classes))
  expect(classes.length > 0).toBe(errors.length > 0)
  expect(document.contract.rules).toEqual([])
  expect(document.ledger?.disagreements).toEqual([])
}

describe.concurrent('over sockets', () => {
  test.each(CASES)('%s', async (_, wanted) => {
    const { document, rows } = await overSockets('[]', { ...WEATHER, added: wanted.fault })
    expectTold(document, wanted)
    expect(rows.map((row) => row.outcome === 'lost')).toEqual(
      rows.map(() => wanted.outcome === 'lost'),
    )
  })
})

describe.concurrent('over sockets that are refused', () => {
  test.each(casesOf('new connections'))(
    '%s: kickoffs are rejected, and nothing starts',
    async (fault) => {
      const changes = {
        arrivals: {
          steps: [
            { rate: '0/s', for: '1s' },
            { rate: '4/s', for: '1s' },
          ],
        },
        connections: { preOpen: 0, keepAlive: '5ms' },
      } as const
      const { document, rows } = await overSockets('[]', { changes, added: fault })
      expect(document.outcomes).toMatchObject({ rejected: EXECUTIONS })
      expect(document.reasons.rejected).toEqual([
        { reason: { code: 'answer', answer: 'refused' }, count: EXECUTIONS },
      ])
      expect(document.contract.rules).toEqual([])
      expect(document.ledger).toMatchObject({ rows: 0, disagreements: [] })
      expect(rows).toEqual([])
    },
  )
})

describe('in virtual time', () => {
  test.each(CASES)('%s', async (_, wanted) => {
    const document = await inVirtualTime(`- ${wanted.fault}`, WEATHER)
    expectTold(document, wanted)
    expect(document.ledger?.rows).toBe(EXECUTIONS)
  })
})
