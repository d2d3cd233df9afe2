import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { journalJsonSchema } from '../../src/journal/schema.ts'
import { ledgerJsonSchema } from '../../src/journal/schema.ts'
import { resultJsonSchema } from '../../src/result/json-schema.ts'
import { documentOf, executionRecord, journalLines, ledgerRow, ledgerRows } from './lines.ts'
import { crewSaid } from '../support/reasons.ts'
import { testBound, testThreshold } from '../support/plan.ts'

const run = journalLines({
  executions: 80,
  plan: {
    thresholds: [testThreshold('execution.p95', 1e6, testBound('< 1s'))],
  },
  spoil: (record) => {
    record.checks = { 'names the topic': record.index % 3 === 0 ? 'no output' : true }
    if (record.index > 60) record.outcome = 'failed'
    if (record.index > 70) record.reason = crewSaid('quota')
    if (record.index === 5) record.polls.answer[0] = 'not-json'
    if (record.index === 6) record.violations = [{ rule: 'unheard-of', example: 'x' }]
  },
})

function validator(schema: Record<string, unknown>) {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
  addFormats.default(ajv)
  return ajv.compile(schema)
}

test('a real document follows the published schema', () => {
  const document = documentOf(run, ledgerRows(78))
  const validate = validator(resultJsonSchema())
  validate(JSON.parse(JSON.stringify(document)))
  expect(validate.errors).toBeNull()
  validate({ ...document, arrivals: 'many' })
  expect(validate.errors).toMatchObject([{ instancePath: '/arrivals' }])
})

test('journal lines follow the published schema', () => {
  const validate = validator(journalJsonSchema())
  for (const line of run) {
    validate(JSON.parse(JSON.stringify(line)))
    expect(validate.errors).toBeNull()
  }
  expect(validate({ type: 'run' })).toBe(false)
})

test('rows of the ledger follow the published schema', () => {
  const validate = validator(ledgerJsonSchema())
  const row = ledgerRow(executionRecord(0))
  const faults = [
    { fault: 'slow', operation: 'status', at_ms: 1.5, correlation: null, kickoff_id: 'id-0' },
  ]
  for (const each of [row, { ...row, faults }]) {
    validate(JSON.parse(JSON.stringify(each)))
    expect(validate.errors).toBeNull()
  }
  expect(validate({ ...row, outcome: 'vanished' })).toBe(false)
})
