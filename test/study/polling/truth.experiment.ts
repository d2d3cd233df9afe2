/**
 * A part of what `node bench/run.mjs polling` measures on twenty crews: what is recommended and
 * predicted holds in runs of the engine that the study has not seen.
 */
import { expect, test } from 'vitest'
import { CREWS } from '../../../bench/truth/polling/crews.ts'
import { recordedRun } from '../../../bench/truth/polling/record.ts'
import { compared, insideOf } from '../../../bench/truth/polling/tables.ts'
import { FIRST_POLLING } from '../../../bench/truth/polling/truth.ts'

function crewNamed(wanted: string): (typeof CREWS)[number] {
  const crew = CREWS.find(({ name }) => name === wanted)
  if (crew === undefined) throw new Error(`there is no crew ${wanted}`)
  return crew
}

test.each(['bimodal, narrow'])('%s', async (name) => {
  const { excess, same, fresh } = await compared(crewNamed(name))
  expect(excess).toBeLessThan(0.05)
  expect(Math.abs(same.polls)).toBeLessThan(0.03)
  expect(Math.abs(same.p95)).toBeLessThan(0.03)
  // Of 2,000 other executions by chance.
  expect(Math.abs(fresh.polls)).toBeLessThan(0.05)
})

test('bands from 50 executions hold what 2,000 tell', async () => {
  const crew = crewNamed('uniform 90 to 120 s')
  const reference = await recordedRun(crew, { executions: 2_000, seed: 3, polling: FIRST_POLLING })
  const found = [100, 700, 1_300, 1_900].map((from) => insideOf(reference, from, 50))
  const inside = found.filter((each) => each?.polls === true && each.p95)
  expect(inside.length).toBeGreaterThanOrEqual(3)
})
