/** Past runs as evidence: what counts of them, what they spare, and when they confirm the model. */
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import type { Random } from '../../../../src/base/random.ts'
import { learnLoads } from '../../../../src/study/capacity/analyse/learn/learn.ts'
import type { Recorded } from '../../../../src/study/capacity/analyse/learn/recorded.ts'
import type { AppliedLoad } from '../../../../src/study/capacity/analyse/seen.ts'
import { knownAtOnce } from '../../../../src/study/capacity/analyse/model/detection.ts'
import { CapacitySearch } from '../../../../src/study/capacity/analyse/search/search.ts'
import { loadSeenIn } from '../../../../src/study/capacity/conduct/observer.ts'
import { RunReader } from '../../../../src/study/frame/executions/reader.ts'
import { columnsOf } from '../../../execution/requests.ts'
import { executionRecord, runLine } from '../../../result/lines.ts'
import type { TestCrew } from '../crew.ts'
import { put } from '../crew.ts'
import { MEAN_MICROS, promise } from '../systems.ts'

const exponential = (random: Random): number => MEAN_MICROS * random.exponential()
const CREW: TestCrew = { slots: 10, serviceMicros: exponential }
/** Of 600 an hour that ten workers can do. */
const BUSY: AppliedLoad = { kind: 'open', perHour: 540, executions: 1_200 }
const QUIET: AppliedLoad = { kind: 'open', perHour: 60, executions: 300 }

function recorded(crew: TestCrew, load: AppliedLoad, run = 1): Recorded {
  const seen = put(crew, load, run)
  return { run: `run ${run}`, place: null, seen, isOpen: load.kind === 'open' }
}

function recalled(...runs: Recorded[]): CapacitySearch {
  const search = new CapacitySearch({
    criteria: [promise('execution.p95', '< 5m')],
    within: 0.2,
    budget: 3_000,
    mostClients: 256,
    detectionOf: () => knownAtOnce(Infinity),
    random: createRandom(7),
    simulated: 20_000,
  })
  search.recall(runs)
  return search
}

function alone(...runs: Recorded[]): CapacitySearch {
  const search = recalled(...runs)
  search.confirmByRuns()
  return search
}

const partsOf = ({ confirmation }: CapacitySearch): boolean[] =>
  confirmation?.parts.map(({ agrees }) => agrees) ?? []

test('the lateness of the generator counts neither for the crew nor in a refusal', () => {
  const record = { ...executionRecord(0), sentMicros: 5_000, acceptedMicros: 60_000 }
  const row = { lateMicros: 5_000, serviceMicros: 1_000 }
  record.kickoff = columnsOf([
    { ...row, answer: 429 },
    { ...row, dueMicros: 54_000 },
  ])
  const reader = new RunReader()
  for (const line of [runLine(), { type: 'ended' as const, record }]) reader.saw(line)
  const [late] = loadSeenIn(reader, BUSY, null, 'sent').executions
  expect(late).toMatchObject({ intended: 5_000, accepted: 60_000, kickoffMicros: 55_000 })
  expect(late!.refusals).toEqual([{ at: 0, answered: 6_000, status: 429 }])
})

describe('runs alone', () => {
  test('of a crew that tells no starts and was never full give none', () => {
    const search = alone(recorded({ ...CREW, hides: true }, QUIET))
    expect([search.estimate, search.confirmation]).toEqual([null, null])
  })

  test('of a crew that begins with the last that came do not', () => {
    const search = alone(recorded({ ...CREW, lastComeFirst: true }, BUSY))
    expect(partsOf(search)).toContain(false)
  })
})

describe('beside a crew', () => {
  test('a quiet run spares the rungs of as many as ran at once in it', () => {
    const run = recorded(CREW, QUIET)
    const { most } = learnLoads([run.seen]).loads[0]!.busy
    expect(most).toBeGreaterThan(1)
    expect(recalled(run).next()).toMatchObject({
      purpose: 'ladder',
      load: { kind: 'closed', clients: 2 * most },
    })
  })
})
