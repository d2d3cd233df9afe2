/** What a study of polling will do, before anything is sent. */
import { expect, test } from 'vitest'
import { designPolling } from '../../../src/study/polling/plan/plan.ts'
import { awaitedMistakes } from '../../support/mistakes.ts'

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

test('what belongs to a new run is refused with run folders, and so are folders of no run', async () => {
  const others = {
    dialect: 'platform',
    seed: 7,
    speed: 2,
    set: { 'arrivals.rate': '3/s', deadline: '9s' },
    budget: { kickoffs: 5, requests: 6, wallMicros: 7_000_000 },
    costPerKickoff: 1,
    maxCost: 2,
  } as const
  const runs = ['no-such-run', 'no-such-run', 'nor-this']
  const mistakes = await awaitedMistakes(designPolling({ runs, run: others, maxPolls: 'many' }))
  const problem = 'goes with --profile or --target: run folders are read, and nothing is sent'
  const refused = [
    ['--dialect', '', 'platform'],
    ['--seed', '', '7'],
    ['--speed', '', '2'],
    ['--set', 'arrivals.rate', '3/s'],
    ['--set', 'deadline', '9s'],
    ['--max-kickoffs', '', '5'],
    ['--max-requests', '', '6'],
    ['--max-duration', '', '7s'],
    ['--cost-per-kickoff', '', '1'],
    ['--max-cost', '', '2'],
  ].map(([source, path, found]) => ({ source, path, found, problem }))
  expect(mistakes).toEqual(expect.arrayContaining(refused))
  expect(mistakes.filter(({ source }) => source === 'nor-this')).toHaveLength(1)
  // Named twice, and no run.
  expect(mistakes.filter(({ source }) => source === 'no-such-run')).toHaveLength(2)
  expect(mistakes.some(({ source }) => source === '--max-polls')).toBe(true)
})
