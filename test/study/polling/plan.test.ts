/** What a study of polling will do, before anything is sent. */
import { expect, test } from 'vitest'
import { designPolling } from '../../../src/study/polling/plan/plan.ts'

const TARGET = { target: 'http://127.0.0.1:1', tokens: ['any'] }

test.each([
  ['by default', {}, { afterMicros: 30_000_000, requests: 5 }],
  [
    'with a scenario that never gives up',
    { circuit: 'off' },
    { afterMicros: 30_000_000, requests: 5 },
  ],
  [
    'as soon as the scenario says',
    { 'circuit.after': '4s', 'circuit.requests': '3' },
    { afterMicros: 4_000_000, requests: 3 },
  ],
])('a dead target is given up, %s', async (_, set, circuit) => {
  const { trial } = await designPolling({ scenario: 'steady', run: { ...TARGET, set } })
  expect(trial!.changes.circuit).toEqual(circuit)
})
