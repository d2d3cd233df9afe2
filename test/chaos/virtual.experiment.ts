/**
 * A thousand runs by chance in virtual time: whatever the weather, every arrival has one outcome,
 * and nothing throws or hangs.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FAULT_KIND_NAMES } from '../../fake-crew/model/faults/kinds/list.ts'
import type { ResultDocument } from '../../src/result/document.ts'
import { OUTCOMES } from '../../src/execution/record/record.ts'
import { run } from '../../src/run/run.ts'
import { temporaryFolder } from '../support/cli.ts'
import { heapInUse } from './leaks.ts'
import { kindOf } from './oracle.ts'
import { launchOf, seeds, troubled } from './support.ts'
import type { Weather } from './weather.ts'
import { weatherOf } from './weather.ts'

const RUNS = 1_000
const RUNS_A_TEST = 50

/**
 * Measured: 650, of what is compiled and cached on the way. A crew, a recorder or a journal that
 * stayed would take a hundred thousand.
 */
const HEAP_BYTES_A_RUN = 5_000

const heapBytes: number[] = []
const seenKinds = new Set<string>()
const seenOutcomes = new Set<string>()
const seenVerdicts = new Set<string>()

async function runInVirtualTime(weather: Weather, folder: string): Promise<ResultDocument> {
  const profile = join(folder, `${weather.seed}.yaml`)
  await writeFile(profile, JSON.stringify({ ...weather.profile, faults: weather.faults }))
  const { scenario, onStart } = launchOf(weather)
  const { document } = await run(scenario, { profile, engine: 'virtual', out: false, onStart })
  for (const { name } of document.faults ?? []) seenKinds.add(kindOf({ name }))
  for (const outcome of OUTCOMES) if (document.outcomes[outcome] > 0) seenOutcomes.add(outcome)
  seenVerdicts.add(document.verdict.outcome)
  return document
}

const starts = Array.from({ length: RUNS / RUNS_A_TEST }, (_, i) => i * RUNS_A_TEST + 1)

test.each(starts)('fifty runs from seed %i', async (first) => {
  await using folder = await temporaryFolder()
  const troubles: string[] = []
  for (const seed of seeds(first, RUNS_A_TEST)) {
    const weather = weatherOf(seed)
    troubles.push(...(await troubled(weather, async () => runInVirtualTime(weather, folder.path))))
  }
  expect(troubles).toEqual([])
  heapBytes.push(heapInUse())
})

test('no more stays on the heap after the last runs than after the first', () => {
  const growth = heapBytes.at(-1)! - heapBytes[0]!
  expect(growth).toBeLessThan(HEAP_BYTES_A_RUN * (RUNS - RUNS_A_TEST))
})

test.skipIf(process.env['CREWLOAD_CHAOS_SEED'] !== undefined)(
  'every kind of fault struck, and every outcome and every verdict came about',
  () => {
    expect([...seenKinds].toSorted()).toEqual([...FAULT_KIND_NAMES].toSorted())
    expect([...seenOutcomes].toSorted()).toEqual([...OUTCOMES].toSorted())
    const verdicts = ['failed', 'inconclusive', 'invalid', 'passed', 'unreachable']
    expect([...seenVerdicts].toSorted()).toEqual(verdicts)
  },
)
