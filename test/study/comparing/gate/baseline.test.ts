/** The folder of a baseline: all of one gate, whoever writes there and is killed. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Mistake } from '../../../../src/base/mistakes.ts'
import type { StoredResult } from '../../../../src/study/comparing/comparable.ts'
import { parseHistory } from '../../../../src/study/comparing/history.ts'
import { readStudyRecipe } from '../../../../src/study/frame/conduct/recipe.ts'
import { idsOf, writeBaseline, readBaseline } from '../../../../src/study/comparing/gate-files.ts'
import { conducting } from '../../../../src/study/comparing/gate/conduct/conduct.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { resumeStudy } from '../../../../src/study/frame/conduct/resume.ts'
import type { GateOptions } from '../../../../src/study/comparing/gate/options.ts'
import { sharedFolder } from '../../../support/shared-folder.ts'
import { sidesOf } from '../comparison/sample-comparisons.ts'
import { gatesOf } from '../history/sample-histories.ts'

const path = sharedFolder()

const CREW = `
name: made up
inputs: [topic]
tasks: [{ id: work, agent: Worker, duration: { lognormal: { median: 4s, p95: 5s } }, output: 100B }]
capacity: { workers: unlimited }
`
const SCENARIO = `
import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'gated', arrivals: { rate: '1/s', for: '70s' }, inputs: { topic: 'bees' },
  polling: { fixed: '500ms' }, deadline: '60s', confirm: 0,
})
`

beforeAll(async () => {
  await writeFile(path('crew.yaml'), CREW)
  await writeFile(path('scenario.ts'), SCENARIO)
})

function optionsOf(baseline: string, more: Partial<GateOptions> = {}): GateOptions {
  return {
    scenario: path('scenario.ts'),
    metrics: 'execution.p50',
    runs: 3,
    baseline: path(baseline),
    out: path('out'),
    ...more,
    run: { profile: path('crew.yaml'), ...more.run },
  }
}

/** Runs of a gate of its own. */
function runsNamed(name: string, runs = 5): StoredResult[] {
  const { new: made } = sidesOf({ runs: 1 }, { runs })
  return made.map(({ folder, result }, i) => ({
    folder,
    result: { ...result, run: { ...result.run, id: `${name}${i}` } },
  }))
}

async function ownersIn(folder: string): Promise<string[]> {
  const mistakes: Mistake[] = []
  const ids = idsOf(await readBaseline(folder, mistakes))
  expect(mistakes).toEqual([])
  return [...new Set(ids.map((id) => id.charAt(0)))]
}

test('of gates that write at once, one remains, with the lines of all', async () => {
  const folder = path('at-once')
  const lines = gatesOf(1, 0, 3)
  await Promise.all(
    ['a', 'b', 'c'].map(async (name, i) =>
      writeBaseline(folder, { runs: runsNamed(name, 5 - i), instead: null, line: lines[i]! }),
    ),
  )
  const [owner, ...others] = await ownersIn(folder)
  expect(others).toEqual([])
  const names = await readdir(folder)
  const runs = { a: 5, b: 4, c: 3 }[owner!]
  expect(names.filter((name) => name.startsWith('run-'))).toHaveLength(runs!)
  expect(names.filter((name) => name.startsWith('.'))).toEqual([])
  const { gates } = parseHistory(await readFile(join(folder, 'history.ndjson'), 'utf8'))
  expect(gates.map(({ id }) => id)).toEqual(['gate0', 'gate1', 'gate2'])
})

test('while it is replaced again and again, a reader sees runs of one gate', async () => {
  const folder = path('replaced')
  await writeBaseline(folder, { runs: runsNamed('a'), instead: null, line: null })
  const writing = (async () => {
    for (const name of ['b', 'c', 'd', 'e']) {
      await writeBaseline(folder, { runs: runsNamed(name), instead: null, line: null })
    }
  })()
  for (let reading = 0; reading < 8; reading++) expect(await ownersIn(folder)).toHaveLength(1)
  await writing
})

test('one that was replaced meanwhile is kept, unless any shall be replaced', async () => {
  const folder = path('meanwhile')
  const [mine, theirs] = [runsNamed('m'), runsNamed('t')]
  await writeBaseline(folder, { runs: theirs, instead: [], line: null })
  await expect(writeBaseline(folder, { runs: mine, instead: [], line: null })).rejects.toThrow(
    'another gate has written one there meanwhile',
  )
  expect(await ownersIn(folder)).toEqual(['t'])
  await writeBaseline(folder, { runs: mine, instead: idsOf(theirs), line: null })
  expect(await ownersIn(folder)).toEqual(['m'])
})

test('what a killed gate had completed is read as a whole', async () => {
  const folder = path('killed')
  await writeBaseline(folder, { runs: runsNamed('a'), instead: null, line: null })
  const landing = join(folder, '.landing-killed')
  await mkdir(landing)
  for (const [i, { result }] of runsNamed('b').entries()) {
    const file = i === 0 ? join(folder, 'run-1.json') : join(landing, `run-${i + 1}.json`)
    await writeFile(file, JSON.stringify(result))
  }
  expect(await ownersIn(folder)).toEqual(['b'])
})

test('a Git LFS pointer gets a remedy that works', async () => {
  const folder = path('lfs')
  await mkdir(folder)
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 30123\n'
  await writeFile(join(folder, 'run-1.json'), pointer)
  await expect(conductStudy(conducting, optionsOf('lfs'))).rejects.toThrow(
    /Git LFS pointer.*"git lfs pull"/,
  )
})

test('a gate killed before its document concludes, though its baseline was written', async () => {
  const first = await conductStudy(conducting, optionsOf('resumed'))
  expect(first.document.decision).toBe('baseline')
  const recipe = (await readStudyRecipe(first.folder!))!
  await expect(resumeStudy(conducting, first.folder!, recipe, {})).rejects.toThrow(/finished gate/)
  await rm(join(first.folder!, 'gate.json'))
  const { document } = await resumeStudy(conducting, first.folder!, recipe, {})
  expect(document).toMatchObject({ decision: 'baseline', baseline: { written: 3 } })
  const history = await readFile(path('resumed/history.ndjson'), 'utf8')
  expect(history.trim().split('\n')).toHaveLength(1)
})

test('a killed update of a baseline is concluded against the former one', async () => {
  await conductStudy(conducting, optionsOf('updated'))
  const update = optionsOf('updated', { updateBaseline: 'always', run: { seed: 50 } })
  const { document, folder } = await conductStudy(conducting, update)
  await rm(join(folder!, 'gate.json'))
  const again = await resumeStudy(conducting, folder!, (await readStudyRecipe(folder!))!, {})
  expect(again.document).toMatchObject({
    decision: document.decision,
    base: document.base,
    baseline: { written: 3 },
  })
})

test('an evicted baseline of which the history tells is said, before and after', async () => {
  await conductStudy(conducting, optionsOf('evicted'))
  for (const i of [1, 2, 3]) await rm(path(`evicted/run-${i}.json`))
  const plans: unknown[] = []
  const confirm = (plan: unknown) => plans.push(plan) > 0
  const { document } = await conductStudy(conducting, optionsOf('evicted', { confirm }))
  expect(plans).toMatchObject([{ base: { kind: 'none', gates: 1 } }])
  expect(document.verdict.sentence).toContain('its history has 1 gate, so a baseline was removed')
  expect(document.verdict.reasons).toMatchObject([{ code: 'baseline-lost', gates: 1 }])
})
