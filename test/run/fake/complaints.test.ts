/** What a fake crew says of itself is told in pieces that belong together, and not without end. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Complaints } from '../../../src/run/fake/process.ts'

let told: string[]
let complaints: Complaints

beforeEach(() => {
  vi.useFakeTimers()
  told = []
  complaints = new Complaints((words) => told.push(words))
})
afterEach(() => vi.useRealTimers())

test('twenty pieces are told, and a crash of Node is known beyond that', () => {
  for (let n = 1; n <= 25; n++) {
    complaints.hear(`again ${n}\n`)
    vi.advanceTimersByTime(50)
  }
  expect(told).toHaveLength(20)
  expect(told.at(-1)).toBe('the fake crew of this run says: again 20')
  complaints.hear('crewload: Error: out of patience\n    at here (file.js:1)\n')
  complaints.flush()
  expect(complaints.crash).toBe('')
  complaints.hear('FATAL ERROR: Ineffective mark-compacts near heap limit\n 1: 0xa node::Abort()\n')
  complaints.flush()
  expect(told).toHaveLength(20)
  expect(complaints.crash).toBe('FATAL ERROR: Ineffective mark-compacts near heap limit')
})
