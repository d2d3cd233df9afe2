/** Twins of crews that ask people: what a ledger shows, and what nothing shows. */
import { beforeAll, expect, test } from 'vitest'
import { loadProfile } from '../../../fake-crew/profiles.ts'
import { withoutLedger } from '../../support/virtual-run.ts'
import { partOf, recorded, twinOf } from './recorded.ts'
import { sharedFolder } from '../../support/shared-folder.ts'

/** 12/m of 16 s each need 3.2 of the 4 workers, so that many executions wait, also a second time. */
const CREW = `
tasks:
  - id: draft
    agent: Writer
    duration: 10s
    asks: { chance: 40%, for: { gamma: { mean: 60s, cv: 0.5 } } }
  - { id: publish, agent: Publisher, duration: 5s }
overhead: 1s
capacity: { workers: 4 }
`

const at = sharedFolder()
let made = ''

beforeAll(async () => {
  const arrivals = { rate: '12/m', for: '25m', process: 'poisson' } as const
  made = await recorded(at(), CREW, { arrivals, deadline: '2h', human: true }, { seed: 4 })
})

test('a ledger shows how often people are asked and how long they take', async () => {
  const file = at('twin.yaml')
  const document = await twinOf([made], { file, replays: 0 })
  expect(document.verdict.outcome).toBe('learned')
  expect(partOf(document, 'workers')).toMatchObject({ estimate: { value: 4, low: 4, high: 4 } })
  expect(partOf(document, 'task draft').learned.message).toMatch(/^always 10\.0 s, from/)
  expect(partOf(document, 'time outside of tasks').learned.message).toMatch(/^always 1\.00 s, from/)
  const { estimate } = partOf(document, 'people asked about draft')
  expect(estimate!.low).toBeLessThan(0.4)
  expect(estimate!.high).toBeGreaterThan(0.4)
  const { asks } = loadProfile(file).tasks[0]!
  expect(asks!.chance).toBeCloseTo(estimate!.value, 2)
  expect(JSON.stringify(asks!.for)).toMatch(/"kind":"gamma","mean":(5[5-9]|6[0-5])/)
})

test('without a ledger, the twin says that it asks nobody', async () => {
  const file = at('bare.yaml')
  const document = await twinOf([await withoutLedger(made)], { file, replays: 0 })
  const { learned, identified } = partOf(document, 'people')
  expect([learned.message, identified]).toEqual([
    expect.stringContaining('The twin asks nobody'),
    false,
  ])
  expect(loadProfile(file).tasks.every(({ asks }) => asks === undefined)).toBe(true)
})
