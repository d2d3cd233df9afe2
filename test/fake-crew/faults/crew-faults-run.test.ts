/** Faults of the crew as a whole under a run, over real sockets and in virtual time: the outcome, the errors, the ledger. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/analysis/document.ts'
import type { Outcome } from '../../../src/execution/record.ts'
import { EXECUTIONS, inVirtualTime, overSockets } from './support.ts'

interface Case {
  fault: string
  outcome: Outcome
  /** Each of these, and nothing else, may stand in the errors; one of them must, if there are any. */
  errors: string[]
}

/** By then every kickoff has been answered, also on a busy machine. */
const LATER = 'window: { from: 1500ms }'
const MEANWHILE = 'window: { from: 1500ms, for: 500ms }'
const GONE = ['404', 'reset', 'closed']
const AWAY = ['refused', 'reset', 'closed']

const CASES: [string, Case][] = [
  [
    'a restart that loses all',
    { fault: `{ restart: { loses: all }, ${LATER} }`, outcome: 'lost', errors: GONE },
  ],
  [
    'a restart that loses what runs, and takes its time',
    {
      fault: `{ restart: { loses: running }, ${MEANWHILE} }`,
      outcome: 'lost',
      errors: ['404', ...AWAY],
    },
  ],
  [
    'a restart that loses nothing, and takes its time',
    { fault: `{ restart: { loses: none }, ${MEANWHILE} }`, outcome: 'completed', errors: AWAY },
  ],
  [
    'a token revoked in mid-run',
    { fault: `{ denied: {}, ${LATER} }`, outcome: 'unreadable', errors: ['401'] },
  ],
  [
    'a wrong wall clock',
    { fault: '{ clockSkew: { behind: 1h } }', outcome: 'completed', errors: [] },
  ],
]

const WEATHER = { changes: { deadline: '30s' }, writing: '3s' }

function expectTold(document: ResultDocument, { outcome, errors }: Case): void {
  expect(document.outcomes).toMatchObject({ [outcome]: EXECUTIONS })
  const classes = document.errors.map((entry) => entry.class)
  expect(errors).toEqual(expect.arrayContaining(classes))
  expect(classes.length > 0).toBe(errors.length > 0)
  expect(document.contract.violations).toBe(0)
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

describe('in virtual time', () => {
  test.each(CASES)('%s', async (_, wanted) => {
    const document = await inVirtualTime(`- ${wanted.fault}`, WEATHER)
    expectTold(document, wanted)
    expect(document.ledger?.rows).toBe(EXECUTIONS)
  })
})

test('refused connections reject kickoffs that need one', async () => {
  const fault = '- { refuse: {}, window: { from: 1s, for: 1s } }'
  const changes = {
    arrivals: { rate: '20/s', for: '3s' },
    connections: { max: 200, preOpen: 0, keepAlive: '5ms' },
    polling: { fixed: '400ms' },
  } as const
  const { outcomes, reasons, ledger } = await inVirtualTime(fault, { changes })
  expect(outcomes.rejected).toBeGreaterThan(5)
  expect(outcomes.completed).toBeGreaterThan(20)
  expect(reasons.rejected).toEqual([{ reason: 'refused', count: outcomes.rejected }])
  expect(ledger?.disagreements).toEqual([])
})
