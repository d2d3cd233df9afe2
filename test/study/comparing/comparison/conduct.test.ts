/** Comparisons of runs in virtual time whose truth is known. */
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatMistake } from '../../../../src/base/mistakes.ts'
import { EXIT } from '../../../../src/cli/exit-codes.ts'
import { renderPage } from '../../../../src/report/frame/render/page.ts'
import { defineScenario } from '../../../../src/scenario/define.ts'
import { run } from '../../../../src/run/index.ts'
import { conducting } from '../../../../src/study/comparing/comparison/conduct.ts'
import type { ComparisonDocument } from '../../../../src/study/comparing/comparison/document.ts'
import type { ComparisonOptions } from '../../../../src/study/comparing/comparison/options.ts'
import { comparison } from '../../../../src/study/comparing/comparison/study.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { areExperimentsRun } from '../../../experiments.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { awaitedMistakes } from '../../../support/mistakes.ts'
import { sharedFolder } from '../../../support/shared-folder.ts'

const SCENARIO = defineScenario({
  name: 'compared',
  arrivals: { rate: '2/s', for: '3m' },
  inputs: { topic: 'bees' },
  polling: { fixed: '200ms', initialDelay: '2s' },
  deadline: '60s',
  confirm: 0,
})

const crewOf = (median: string): string => `
name: made up
inputs: [topic]
tasks: [{ id: work, agent: Worker, duration: { lognormal: { median: ${median}, p95: 12s } }, output: 100B }]
capacity: { workers: unlimited }
`

const path = sharedFolder()
const runsIn = async (side: string): Promise<string[]> => {
  const names = await readdir(path(side))
  return names.toSorted().map((name) => path(side, name))
}

beforeAll(async () => {
  for (const [side, median, seeds] of [
    ['base', '4s', [1, 2, 3, 4, 5]],
    ['slow', '4.8s', [6, 7, 8, 9, 10]],
    ['same', '4s', [11, 12, 13, 14, 15]],
  ] as const) {
    const profile = path(`${side}.yaml`)
    await writeFile(profile, crewOf(median))
    for (const seed of seeds) {
      await run(SCENARIO, { engine: 'virtual', profile, seed, out: path(side) })
    }
  }
})

async function compared(
  base: readonly string[],
  next: readonly string[],
  asked: Partial<ComparisonOptions> = {},
): Promise<ComparisonDocument> {
  const sides = { base, new: next }
  return (await conductStudy(conducting, { ...sides, ...asked, out: false })).document
}

async function mistakesIn(...asked: Parameters<typeof compared>): Promise<string> {
  return (await awaitedMistakes(compared(...asked))).map(formatMistake).join('\n')
}

/** What is told of runs at two rates. */
const findingsAt = async (
  rates: readonly string[],
  capacity: string,
  count = 3,
): Promise<string[]> => {
  await using folder = await temporaryFolder()
  const profile = join(folder.path, 'crew.yaml')
  await writeFile(profile, capacity)
  const sides = await Promise.all(
    rates.map(async (rate, side) => {
      const scenario = { ...SCENARIO, arrivals: { rate, for: '20m' }, deadline: '10m' }
      const runs = Array.from({ length: count }, async (_, i) => {
        const options = { engine: 'virtual', profile, seed: 10 * side + i } as const
        return (await run(scenario, { ...options, out: folder.path })).folder!
      })
      return Promise.all(runs)
    }),
  )
  const [base, next] = sides
  return (await compared(base!, next!)).findings.map(({ message }) => message)
}

describe.runIf(areExperimentsRun)('runs of one crew at two loads', () => {
  /** The calls of a minute suffice for 30 executions. */
  const QUOTA = crewOf('4s').replace('unlimited', 'unlimited, quota: { calls: 60/m, perTask: 2 }')

  const LONGER =
    /^by the ledger, executions are ([\d.]+) % longer at work \(median, ([\d.]+) % to [\d,.]+ %\) at (1\.[4-6]|2\.[6-9]|3\.\d) times the load\. Find how far what they share limits the crew/

  test('tell that executions are longer at work beside more of them, whichever run is first', async () => {
    for (const [rates, count] of [
      [['9/m', '27/m'], 3],
      [['27/m', '9/m'], 1],
    ] as const) {
      const found = (await findingsAt(rates, QUOTA, count)).flatMap(
        (text) => LONGER.exec(text)?.slice(1, 3) ?? [],
      )
      expect(Number(found[0])).toBeGreaterThan(10)
      expect(Number(found[1])).toBeGreaterThan(0)
    }
  })

  test('tell nothing of a crew that shares nothing, or at one load', async () => {
    const messages = await findingsAt(['9/m', '27/m'], crewOf('4s'))
    expect(messages.filter((text) => text.includes('longer at work'))).toEqual([])
    const alike = await findingsAt(['27/m', '27/m'], QUOTA)
    expect(alike.filter((text) => text.includes('longer at work'))).toEqual([])
  })
})

describe('a comparison', () => {
  test('names what got slower, by how much, and ends with 1', async () => {
    const document = await compared(await runsIn('base'), await runsIn('slow'))
    expect(EXIT[comparison.exit(document)]).toBe(1)
    expect(document.verdict).toMatchObject({
      outcome: 'regression',
      sentence: expect.stringMatching(
        /^Over 5 and 5 runs, execution\.p50 rose by 1\d[.\d]* % \([\d.]+ to [\d.]+\), from 4\.\d+ s to 4\.\d+ s/,
      ),
    })
    // Its true median is 20 % longer.
    const median = document.metrics.find(({ name }) => name === 'execution.p50')!
    expect(median.change!.low).toBeGreaterThan(1.05)
    expect(median.change!.high).toBeGreaterThan(1.18)
    expect(median.significant).toBe(true)
    expect(document.requests).toBe(0)
  })

  test('proves nothing of two sides of one crew, and shows that they are the same', async () => {
    const sides = [await runsIn('base'), await runsIn('same')] as const
    const told = await compared(...sides)
    expect([EXIT[comparison.exit(told)], told.verdict.outcome]).toEqual([0, 'none-proven'])
    const equal = await compared(...sides, { equivalent: '15%', metrics: 'execution.p50' })
    expect([EXIT[comparison.exit(equal)], equal.verdict.outcome]).toEqual([0, 'equal'])
  })

  test('takes a result file without its run folder, and proves nothing of two runs', async () => {
    const [[base = ''], [next = '']] = [await runsIn('base'), await runsIn('slow')]
    const file = path('baseline.json')
    await cp(join(base, 'result.json'), file)
    const document = await compared([file], [next])
    expect(EXIT[comparison.exit(document)]).toBe(4)
    expect(renderPage(comparison.report(document))).toContain(
      'A single run on a side proves nothing',
    )
  })

  test('refuses a run that stands on both sides', async () => {
    const base = await runsIn('base')
    const copy = path('copy')
    await cp(base[0]!, copy, { recursive: true })
    expect(await mistakesIn(base, [copy])).toContain(`copy: is the same run as ${base[0]!}`)
  })

  test('tells what stands where no result does', async () => {
    const [run0 = ''] = await runsIn('base')
    const [folder, empty] = [path('damaged'), path('empty')]
    for (const each of [folder, empty]) await mkdir(each)
    await writeFile(join(folder, 'result.json'), '{"schema":')
    const mistakes = await mistakesIn([dirname(run0), folder, empty], [run0])
    expect(mistakes).toContain(`give the run folders below it: ${join(dirname(run0), '')}`)
    expect(mistakes).toContain('damaged/result.json: the file is damaged: it is not JSON (')
    expect(mistakes).toContain('empty: contains no result.json; expected a run folder')
  })
})
