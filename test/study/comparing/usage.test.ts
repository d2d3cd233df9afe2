/** Comparisons and gates judge tokens and cost, of crews whose truth is known. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../../src/run/index.ts'
import { defineScenario } from '../../../src/scenario/define.ts'
import { conducting as comparing } from '../../../src/study/comparing/comparison/conduct.ts'
import type { ComparisonDocument } from '../../../src/study/comparing/comparison/document.ts'
import { conducting as gating } from '../../../src/study/comparing/gate/conduct/conduct.ts'
import type { GateDocument } from '../../../src/study/comparing/gate/document.ts'
import { conductStudy } from '../../../src/study/frame/conduct/conduct.ts'
import { areExperimentsRun } from '../../experiments.ts'
import { sharedFolder } from '../../support/shared-folder.ts'

const SCENARIO = defineScenario({
  name: 'metered',
  arrivals: { rate: '2/s', for: '90s' },
  inputs: { topic: 'bees' },
  polling: { fixed: '2s' },
  deadline: '60s',
  confirm: 0,
  prices: { currency: 'USD', input: 2.5, output: 10 },
})

/** A dearer crew takes as long as the others. */
const crewOf = (median: number, chance = 1): string => `
name: made up
inputs: [topic]
tasks:
  - id: work
    agent: Worker
    duration: { lognormal: { median: 4s, p95: 6s } }
    output: 100B
    tokens:
      input: { lognormal: { median: ${median}, p95: ${median + median / 4} } }
      output: { uniform: { min: ${median / 10}, max: ${median / 8} } }
usage: { chance: ${chance} }
capacity: { workers: unlimited }
`

const CREWS = {
  base: crewOf(4_000),
  dear: crewOf(4_600),
  same: crewOf(4_000),
  terse: crewOf(4_000, 0.9),
  silent: crewOf(4_000, 0.02),
}
/** The others are compared with the experiments. */
const COMPARED = areExperimentsRun ? 5 : 2
type Crew = keyof typeof CREWS

const METRICS = 'cost.execution.p50,tokens.total.p95,cost.total'

const path = sharedFolder()

beforeAll(async () => {
  await writeFile(path('scenario.json'), JSON.stringify(SCENARIO))
  for (const [i, [name, text]] of Object.entries(CREWS).entries()) {
    const profile = path(`${name}.yaml`)
    await writeFile(profile, text)
    if (i >= COMPARED) continue
    await mkdir(path(name))
    for (let n = 0; n < 5; n++) {
      const options = { engine: 'virtual', profile, seed: 10 * i + n, out: false } as const
      const { document } = await run(SCENARIO, options)
      await writeFile(path(name, `${n}.json`), JSON.stringify(document))
    }
  }
})

async function runsOf(crew: Crew): Promise<string[]> {
  const names = await readdir(path(crew))
  return names.toSorted().map((name) => join(path(crew), name))
}

async function comparison(crew: Crew): Promise<ComparisonDocument> {
  const sides = { base: await runsOf('base'), new: await runsOf(crew) }
  return (await conductStudy(comparing, { ...sides, metrics: METRICS, out: false })).document
}

describe('compare', () => {
  test('finds a dearer crew by its cost and its tokens', async () => {
    const { verdict, metrics } = await comparison('dear')
    expect(verdict.outcome).toBe('regression')
    for (const name of METRICS.split(',')) {
      const { significant, direction, change } = metrics.find((each) => each.name === name)!
      expect([name, significant, direction]).toEqual([name, true, 'worse'])
      // The truth is 15 %.
      expect(change!.low).toBeGreaterThan(1.1)
      expect(change!.high).toBeLessThan(1.2)
    }
  })

  test.runIf(areExperimentsRun)('finds nothing between runs of one crew', async () => {
    const { verdict, metrics } = await comparison('same')
    expect(verdict.outcome).toBe('none-proven')
    expect(metrics.filter(({ significant }) => significant)).toEqual([])
  })

  test.runIf(areExperimentsRun)(
    'finds nothing where a tenth reports nothing, and knows no total',
    async () => {
      const { verdict, metrics } = await comparison('terse')
      expect(verdict.outcome).not.toBe('regression')
      const of = (name: string) => metrics.find((each) => each.name === name)!
      expect(of('cost.execution.p50')).toMatchObject({ new: { runs: 5 }, significant: false })
      expect(of('cost.total')).toMatchObject({ new: { runs: 0 }, significant: false })
    },
  )

  test.runIf(areExperimentsRun)('compares nothing with the few that report', async () => {
    const { verdict, metrics } = await comparison('silent')
    expect(verdict.outcome).not.toBe('regression')
    for (const name of METRICS.split(',')) {
      expect(metrics.find((each) => each.name === name)).toMatchObject({ new: { runs: 0 } })
    }
  })
})

async function gate(crew: Crew, seed: number): Promise<GateDocument> {
  const metrics = 'cost.execution.p50,tokens.total.p50'
  const run = { profile: path(`${crew}.yaml`), engine: { kind: 'virtual' }, seed } as const
  const asked = { scenario: path('scenario.json'), baseline: path('baseline'), metrics, run }
  return (await conductStudy(gating, { ...asked, out: false })).document
}

test('a gate fails a dearer crew, and passes the same one', async () => {
  expect((await gate('base', 1)).decision).toBe('baseline')
  expect((await gate('same', 100)).decision).toBe('pass')
  const dear = await gate('dear', 200)
  expect(dear.decision).toBe('fail')
  expect(dear.verdict.sentence).toMatch(
    /(cost\.execution|tokens\.total)\.p50 rose by 1[3-7](?:\.\d)? %/,
  )
})
