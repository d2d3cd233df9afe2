/** What short loads of a full crew tell whose executions slow each other down. */
import { expect, test } from 'vitest'
import type { DrawnCrew } from '../../../../bench/capacity/quota/crews.ts'
import { HOUR, workersPerHour } from '../../../../bench/capacity/quota/crews.ts'
import { put } from '../../../../bench/capacity/quota/trial.ts'
import { cliffOf } from '../../../../src/study/capacity/analyse/learn/cliff.ts'
import { mayHavePaused } from '../../../../src/study/capacity/analyse/learn/demand.ts'
import { learnLoads } from '../../../../src/study/capacity/analyse/learn/learn.ts'
import type { AppliedLoad } from '../../../../src/study/capacity/analyse/seen.ts'
import { slowdownOf } from '../../../../src/study/capacity/analyse/learn/slowdown.ts'
import { meanOf } from '../../../../src/result/statistics/moments.ts'

const CREW: Omit<DrawnCrew, 'seed'> = {
  kind: 'shared processor',
  slots: 30,
  tasks: [{ meanMicros: 10_000_000, calls: 1 }],
  shape: 16,
  share: 0.4,
  burst: 1,
  boundMicros: 60_000_000,
}
const SEEDS = Array.from({ length: 12 }, (_, seed) => seed)
const closed = (clients: number, executions: number): AppliedLoad => ({
  kind: 'closed',
  clients,
  executions,
})

function learnedBy(seed: number, loads: readonly AppliedLoad[]) {
  return learnLoads(loads.map((load, run) => put({ ...CREW, seed }, load, run)))
}

test('executions of a full crew take what its pace says, though a load ends beside few others', () => {
  const crew = { ...CREW, seed: 0 }
  const truth = (CREW.slots * HOUR) / (CREW.share * workersPerHour(crew))
  const found = SEEDS.map((seed) => {
    const learned = learnedBy(seed, [closed(1, 20), closed(40, 120)])
    return slowdownOf(learned)!.fullMicros / truth
  })
  expect(Math.abs(meanOf(found) - 1)).toBeLessThan(0.02)
})

test('the end of a load is no throughput that falls in a full crew', () => {
  const loads = [closed(1, 4), closed(32, 34), closed(120, 120), closed(40, 400), closed(40, 400)]
  const cliffs = SEEDS.filter((seed) => cliffOf(learnedBy(seed, loads)) !== null)
  expect(cliffs).toEqual([])
})

test('executions that are slower by less than a pause did not pause', () => {
  const pauses = { firstMicros: 1_000_000, mostMicros: 30_000_000 }
  const loads = [closed(1, 30), closed(12, 300)]
  const ofMillis = { ...CREW, slots: 4, tasks: [{ meanMicros: 100_000, calls: 1 }], share: 0.5 }
  const paused = (kind: DrawnCrew['kind'], times: number): boolean => {
    const tasks = ofMillis.tasks.map(({ calls }) => ({ meanMicros: 100_000 * times, calls }))
    const crew = { ...ofMillis, kind, tasks, shape: 1_000, seed: 1 }
    return mayHavePaused(learnLoads(loads.map((load, run) => put(crew, load, run))), pauses)
  }
  expect(paused('leaky', 1)).toBe(false)
  expect(paused('bucket, clients retry', 1)).toBe(true)
  // Half a second more is little here, where pauses may have been.
  expect(paused('leaky', 100)).toBe(true)
})
