/** When a late generator makes a run INVALID: never by its first few requests, surely by hundreds. */
import { expect, test } from 'vitest'
import type { GeneratorCheck, ResultDocument } from '../../src/analysis/document.ts'
import { createRecorder } from '../../src/result/recorder.ts'
import { CONTEXT, journalLines } from '../result/lines.ts'

const BOUND_MICROS = 5_000

/** A run whose first requests, in the order of its executions, were handed over too late. */
function runWithLate(late: number, executions: number): ResultDocument {
  let left = late
  const lines = journalLines({
    executions,
    spoil: ({ kickoff, polls }) => {
      for (const { lateMicros } of [kickoff, polls]) {
        for (let i = 0; i < lateMicros.length && left > 0; i++, left--) {
          lateMicros[i] = BOUND_MICROS * 8
        }
      }
    },
  })
  const recorder = createRecorder()
  for (const line of lines) recorder.record(line)
  const document = recorder.document({ ledger: null, ...CONTEXT })
  recorder.destroy()
  return document
}

function lateness({ generator }: ResultDocument): GeneratorCheck {
  return generator.checks.find(({ name }) => name === 'lateness')!
}

test.each<[number, number, boolean]>([
  [2, 2, true],
  [2, 10, true],
  [4, 4, false],
  [17, 200, true],
  [18, 200, false],
  [300, 200, false],
])('%d late requests in a run of %d executions: trusted %s', (late, executions, ok) => {
  const document = runWithLate(late, executions)
  expect(lateness(document)).toMatchObject({ ok, skipped: false })
  expect(document.verdict.valid).toBe(ok)
})

test('the 99th percentile is shown, whatever it proves', () => {
  const document = runWithLate(2, 2)
  expect(lateness(document)).toMatchObject({ measured: '40.0 ms', bound: '5.00 ms', ok: true })
  expect(document.metrics['lateness.p99']?.n).toBe(document.generator.requests)
})
