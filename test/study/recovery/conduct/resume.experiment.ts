/**
 * A recovery test that was cut goes on with the trials that are missing, and ends as if it had not
 * been.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import { UserError } from '../../../../src/base/mistakes.ts'
import { readStudyRecipe } from '../../../../src/study/frame/conduct/recipe.ts'
import type { ResumeStudyOptions } from '../../../../src/study/frame/conduct/resume.ts'
import { conducting } from '../../../../src/study/recovery/conduct/conduct.ts'
import type { RecoveryOptions } from '../../../../src/study/recovery/options.ts'
import type { RecoveryDocument } from '../../../../src/study/recovery/document.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { resumed, stopper } from '../../../support/studies.ts'
import { QUEUE, steady, writeSteadyQueue } from './steady-queue.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { resumeStudy } from '../../../../src/study/frame/conduct/resume.ts'

/** Few polls: what is measured again shall cost little. */
const STEADY = steady('1s', '5s')

interface Place {
  scenario: string
  options: RecoveryOptions
}

async function placeIn(folder: string): Promise<Place> {
  const { profile, scenario } = await writeSteadyQueue(folder, STEADY)
  const options: RecoveryOptions = {
    scenario,
    trigger: 'spike: 4',
    before: '60s',
    observe: '80s',
    for: '36s',
    seeds: 2,
    control: false,
    bisect: false,
    out: join(folder, 'out'),
    command: 'crewload recovery steady.mjs',
    run: { profile, engine: { network: 'none' } },
  }
  return { scenario, options }
}

/** Stops when `when` has been told of so many trials and sizes. */
async function cutAfter({ options }: Place, events: number): Promise<Cut> {
  const { onStart, stop } = stopper()
  let left = events
  const tell = (): void => {
    if (--left === 0) stop('now')
  }
  const { document, folder } = await conductStudy(conducting, { ...options, onStart, tell })
  return { document, folder: folder! }
}

interface Cut {
  document: RecoveryDocument
  folder: string
}

async function wholeOf(
  folder: string | null,
  options: ResumeStudyOptions = {},
): Promise<{ document: RecoveryDocument; told: string[] }> {
  const told: string[] = []
  const tell = (line: string): void => void told.push(line)
  return { document: await resumed(conducting, folder, { ...options, tell }), told }
}

/** All but the times of the wall clock, and the name that each test draws. */
function timeless({ id: _i, startedAt: _s, durationMs: _d, ...document }: RecoveryDocument) {
  return document
}

async function mistakeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
  return ''
}

describe('in virtual time', () => {
  const long = { timeout: 180_000 }
  test('ends with the document of one that was never cut, wherever it was cut', long, async () => {
    await using folder = await temporaryFolder()
    const place = await placeIn(folder.path)
    place.options.bisect = true
    const whole = await conductStudy(conducting, { ...place.options, out: false })
    expect(whole.document.tipping!.sizes.length).toBeGreaterThan(2)
    // After the first seed; and before the second size of the bisection.
    for (const [events, trials] of [
      [1, 1],
      [4, 2],
    ] as const) {
      const cut = await cutAfter(place, events)
      expect([cut.document.ended, cut.document.trials.length]).toEqual(['interrupted', trials])
      const { document, told } = await wholeOf(cut.folder)
      expect(timeless(document)).toEqual(timeless(whole.document))
      expect([document.id, document.startedAt]).toEqual([cut.document.id, cut.document.startedAt])
      expect(told.filter((line) => line.startsWith(' seed'))).toHaveLength(2 - trials)
      const written = await readFile(join(cut.folder, 'recovery.json'), 'utf8')
      expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(document)))
    }
  })

  test('after the whole test measures nothing again', async () => {
    await using folder = await temporaryFolder()
    const { options } = await placeIn(folder.path)
    const whole = await conductStudy(conducting, { ...options, seeds: 1, control: true })
    const { document, told } = await wholeOf(whole.folder)
    expect(timeless(document)).toEqual(timeless(whole.document))
    expect(told).toEqual([])
  })

  test('is refused for a scenario or a profile that has changed', async () => {
    await using folder = await temporaryFolder()
    const place = await placeIn(folder.path)
    const cut = await cutAfter(place, 1)
    await writeFile(place.options.run.profile!, QUEUE.replace('workers: 10', 'workers: 11'))
    expect(await mistakeOf(wholeOf(cut.folder))).toContain('is not what the study was begun with')
    await writeFile(place.options.run.profile!, QUEUE)
    await writeFile(place.scenario, STEADY.replace("'5/s'", "'4/s'"))
    expect(await mistakeOf(wholeOf(cut.folder))).toContain('is not what the study was begun with')
    const copy = join(folder.path, 'copy.mjs')
    await writeFile(copy, STEADY)
    const { document } = await wholeOf(cut.folder, { scenario: copy })
    expect(document.ended).toBe('complete')
  })

  test('is refused by another version, and without the headers that it was begun with', async () => {
    await using folder = await temporaryFolder()
    const place = await placeIn(folder.path)
    place.options.run.headers = { 'x-team': 'secret' }
    const cut = await cutAfter(place, 1)
    const recipe = await readStudyRecipe(cut.folder)
    expect(JSON.stringify(recipe)).not.toContain('secret')
    expect(await mistakeOf(wholeOf(cut.folder))).toContain(`give --header 'x-team: ...'`)
    const older = { ...recipe!, crewload: '0.0.1' }
    const given = { run: { headers: { 'x-team': 'secret' } } }
    expect(await mistakeOf(resumeStudy(conducting, cut.folder, older, given))).toContain(
      'was begun by crewload 0.0.1',
    )
  })
})

describe('over sockets', () => {
  test('goes on with the seed that was cut, and counts what both sent', async () => {
    await using folder = await temporaryFolder()
    await using crew = await startFakeCrew({ profile: 'fast' })
    const { onStart, stop } = stopper()
    const cut = await conductStudy(conducting, {
      scenario: 'recovery',
      trigger: 'spike: 2',
      for: '100ms',
      before: '1s',
      observe: '1s',
      seeds: 2,
      out: folder.path,
      onStart,
      tell: () => void setTimeout(() => stop('now'), 1_000),
      run: {
        target: crew.url,
        tokens: [crew.token],
        set: { 'arrivals.warmUp': '0s', 'arrivals.rate': '20/s', deadline: '1s' },
      },
    })
    expect([cut.document.ended, cut.document.runs]).toEqual(['interrupted', 1])
    expect(cut.document.kickoffs).toBe(crew.ledger().length)
    const { document } = await wholeOf(cut.folder, { run: { tokens: [crew.token] } })
    expect([document.ended, document.runs]).toEqual(['complete', 2])
    expect(document.trials.map(({ seed }) => seed)).toEqual([42, 43])
    expect(document.kickoffs).toBe(crew.ledger().length)
    expect(document.kickoffs).toBeGreaterThan(cut.document.kickoffs)
    const recipe = await readFile(join(cut.folder!, 'study.json'), 'utf8')
    expect(recipe).not.toContain(crew.token)
  })
})

test('its budget holds over all trials, and what is left goes to those that are missing', async () => {
  await using folder = await temporaryFolder()
  const { options } = await placeIn(folder.path)
  const one = await conductStudy(conducting, { ...options, seeds: 1, out: false })
  const { kickoffs } = one.document
  const budget = { kickoffs: Math.round(2.5 * kickoffs) }
  const { document } = await conductStudy(conducting, {
    ...options,
    seeds: 4,
    run: { ...options.run, budget },
  })
  expect(document).toMatchObject({ ended: 'budget', budget, runs: 2 })
  expect(document.kickoffs).toBeLessThanOrEqual(budget.kickoffs)
  expect(document.trials).toHaveLength(2)
  expect(document.verdict).toMatchObject({ outcome: 'inconclusive', reasons: [{ code: 'budget' }] })
})
