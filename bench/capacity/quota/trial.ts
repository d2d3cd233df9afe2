/** One search of one drawn crew. */
import { createRandom } from '../../../src/base/random.ts'
import { parseThreshold } from '../../../src/scenario/thresholds/thresholds.ts'
import type { AppliedLoad, LoadSeen } from '../../../src/study/capacity/analyse/seen.ts'
import type { Criterion } from '../../../src/study/capacity/analyse/model/criteria.ts'
import { criterionOf } from '../../../src/study/capacity/analyse/model/criteria.ts'
import { knownAtOnce } from '../../../src/study/capacity/analyse/model/detection.ts'
import { CapacitySearch } from '../../../src/study/capacity/analyse/search/search.ts'
import type { DrawnCrew } from './crews.ts'
import { HOUR } from './crews.ts'
import { simulate } from './world.ts'

export interface Asked {
  budget: number
  within: number
  simulated: number
}

export function searchOf(crew: DrawnCrew, { budget, within, simulated }: Asked): CapacitySearch {
  const search = new CapacitySearch({
    criteria: promisesOf(crew),
    within,
    budget,
    mostClients: 1_024,
    detectionOf: () => knownAtOnce(Infinity),
    random: createRandom(crew.seed).fork('search'),
    simulated,
  })
  for (let run = 0, step = search.next(); step !== null; step = search.next()) {
    search.saw(step, put(crew, step.load, run++))
  }
  search.conclude()
  return search
}

function promisesOf({ boundMicros }: DrawnCrew): Criterion[] {
  const threshold = parseThreshold('execution.p95', `< ${Math.round(boundMicros)}us`)
  const criterion = 'problem' in threshold ? null : criterionOf(threshold)
  if (criterion === null) throw new Error('no criterion')
  return [criterion]
}

/** One load from an idle crew, whose bucket is full. */
export function put(crew: DrawnCrew, load: AppliedLoad, run: number): LoadSeen {
  const random = createRandom(crew.seed).fork('run', run)
  const done = simulate(crew, arrivingBy(load, random.fork('gaps')), random)
  const executions = done.map(({ arrived, started, ended, tasks }) => ({
    intended: arrived,
    accepted: arrived,
    kickoffMicros: 0,
    admittedMicros: 0,
    started,
    ended,
    endedWithin: 0,
    known: ended,
    outcome: 'completed' as const,
    refusals: [],
    tasks: tasks.map((micros, task) => ({ task: `task ${task}`, micros })),
  }))
  return { load, executions, truth: 'ledger', polls: { refused: 0, all: 0, tookMicros: 0 } }
}

function arrivingBy(load: AppliedLoad, random: { exponential(): number }) {
  if (load.kind === 'closed') return { clients: load.clients, executions: load.executions }
  let at = 0
  const times = Float64Array.from({ length: load.executions }, () => {
    return (at += (random.exponential() * HOUR) / load.perHour)
  })
  return { times }
}
