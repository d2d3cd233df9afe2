/** A run in several worker threads: one schedule, one budget, one result. */
import { readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import type { RunControl } from 'crewload/run'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { mergeRuns } from '../../src/measure/merge.ts'
import { countingTarget } from '../support/targets/counting.ts'
import { bench, linesOf } from './workers-support.ts'

let crew: FakeCrew

beforeAll(async () => {
  crew = await startFakeCrew({ profile: 'fast', seed: 7 })
})

afterAll(async () => crew.stop())

/** The crew of this file, to be spoken to by `workers` threads. */
const place = (workers: number) => ({
  target: crew.url,
  tokens: [crew.token],
  engine: { kind: 'node', workers } as const,
})

const intended = (lines: readonly JournalLine[]): [number, number][] =>
  linesOf(lines, 'started')
    .map(({ index, intendedMicros }): [number, number] => [index, intendedMicros])
    .sort(([a], [b]) => a - b)

const tagsOf = (lines: readonly JournalLine[]): Map<number, unknown> =>
  new Map(linesOf(lines, 'ended').map(({ record }) => [record.index, record.tags]))

/** What a run without a folder may have left. */
async function scratchJournals(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('crewload-journal-'))
}

/**
 * Code of a scenario file whose `inputs` does `action` in the worker that meets the arrival of
 * index 5.
 */
function atIndexFive(action: string): string {
  return `const inputs = ({ index }) => {
    if (index === 5 && here === 'worker') ${action}
    return { topic: 'bees', audience: 'children' }
  }`
}

describe('two workers', () => {
  test('take the arrivals that one would take, at the same times and with the same inputs', async () => {
    await using place = await bench()
    await writeFile(join(place.path, 'rows.csv'), 'topic,audience\nbees,children\nfog,sailors\n')
    const file = await place.scenario(`
      inputs: { rows: 'rows.csv', order: 'random' },
      tags: ({ inputs }) => ({ topic: inputs.topic }),
      checks: { 'mentions the topic': ({ inputs, output }) => output.includes(inputs.topic) },`)
    const one = await place.run(file, { profile: 'fast', seed: 3 })
    const two = await place.run(file, {
      profile: 'fast',
      seed: 3,
      engine: { kind: 'node', workers: 2 },
    })

    expect(intended(two.lines)).toEqual(intended(one.lines))
    expect(two.document.outcomes).toEqual(one.document.outcomes)
    expect(two.document.checks).toEqual(one.document.checks)
    expect(tagsOf(two.lines)).toEqual(tagsOf(one.lines))
    expect(linesOf(two.lines, 'ended').every(({ record: r }) => r.instance === r.index % 2)).toBe(
      true,
    )
    for (const { document } of [one, two]) {
      expect(document.verdict.reasons).toEqual([])
      const { agreed, disagreements, endIntervals } = document.ledger!
      expect({ agreed, disagreements }).toEqual({ agreed: document.arrivals, disagreements: [] })
      // The clocks of all threads are one: each true end lies where the polls say.
      expect(endIntervals.contained).toBe(document.arrivals)
    }
    expect(two.document.run).toMatchObject({ engine: 'node', instances: 2 })
  })

  test('tell what their journals tell when these are merged', async () => {
    await using folder = await bench()
    const file = await folder.scenario(
      `inputs: ({ index }) => ({ topic: 't' + index, audience: here }),`,
    )
    const { lines, document } = await folder.run(file, place(2))
    const paths = await Promise.all(
      [0, 1].map(async (instance) => {
        const own = lines.filter(
          (line) => (line.type === 'ended' ? line.record : line).instance === instance,
        )
        const path = join(folder.path, `${instance}.ndjson`)
        await writeFile(path, own.map((line) => `${JSON.stringify(line)}\n`).join(''))
        return path
      }),
    )
    const merged = await mergeRuns(paths)
    const told = ({ arrivals, outcomes, histograms, generator, series }: typeof document) => {
      const { detectionDelay: _, ...others } = histograms
      return { arrivals, outcomes, others, generator, series }
    }
    expect(told(merged)).toEqual(told(document))
    expect(document.generator.peakMemoryBytes).toBeGreaterThan(1e7)
  })

  test('keep no journal behind when nothing is to be written', async () => {
    await using folder = await bench()
    const file = await folder.scenario('')
    const before = await scratchJournals()
    const outcome = await folder.run(file, { ...place(2), out: false })
    expect(outcome.folder).toBeNull()
    expect(outcome.document.outcomes.completed).toBeGreaterThan(20)
    expect(outcome.document.verdict.outcome).toBe('passed')
    expect((await scratchJournals()).filter((name) => !before.includes(name))).toEqual([])
  })
})

describe('the budget of four workers', () => {
  const BURST = `arrivals: { rate: '400/s', for: '1s' },`

  test('of kickoffs is exact, retries counted', async () => {
    await using folder = await bench()
    await using target = await countingTarget({ refuseEvery: 3 })
    const file = await folder.scenario(BURST)
    const { document } = await folder.run(file, {
      target: target.url,
      tokens: ['any'],
      engine: { kind: 'node', workers: 4 },
      budget: { kickoffs: 50 },
    })
    expect(target.counts.kickoffs).toBe(50)
    expect(document.outcomes.completed).toBeLessThan(50)
    expect(document.outcomes.notReached).toBeGreaterThan(300)
    expect(document.arrivals).toBe(400)
  })

  test('of requests is exact, the preflight counted', async () => {
    await using folder = await bench()
    await using target = await countingTarget({ refuseEvery: 0 })
    const file = await folder.scenario(BURST)
    await folder.run(file, {
      target: target.url,
      tokens: ['one', 'two'],
      engine: { kind: 'node', workers: 4 },
      budget: { requests: 120, kickoffs: 1_000 },
    })
    const { inputs, kickoffs, polls } = target.counts
    expect(inputs).toBe(2)
    expect(inputs + kickoffs + polls).toBe(120)
  })

  test('is what the ledger counts', async () => {
    await using folder = await bench()
    const before = crew.ledger().length
    const file = await folder.scenario(BURST)
    const { document } = await folder.run(file, { ...place(4), budget: { kickoffs: 9 } })
    expect(crew.ledger().length - before).toBe(9)
    expect(document.ledger).toMatchObject({ agreed: 9, disagreements: [] })
  })
})

describe.concurrent('a stop', () => {
  const LONG = `arrivals: { rate: '20/s', for: '10m' },`

  test('that drains reaches every worker', async () => {
    await using folder = await bench()
    const stop = new AbortController()
    const { document } = await folder.run(await folder.scenario(LONG), {
      ...place(2),
      signal: stop.signal,
      onProgress: ({ started }) => {
        if (started > 10) stop.abort()
      },
    })
    expect(document.run).toMatchObject({ stopped: 'drained', instances: 2 })
    expect(document.arrivals).toBe(12_000)
    expect(document.outcomes.aborted).toBe(0)
    expect(document.verdict.valid).toBe(true)
  })

  test('now ends every worker, and tells what still runs on the target', async () => {
    await using folder = await bench()
    let control: RunControl | null = null
    const { document, lines, abandoned } = await folder.run(await folder.scenario(LONG), {
      ...place(2),
      onStart: (given) => {
        control = given
      },
      onProgress: ({ inFlight }) => {
        if (inFlight > 4) control?.stop('now')
      },
    })
    expect(document.run.stopped).toBe('now')
    // Who was aborted before its kickoff was answered has no id to tell.
    const known = linesOf(lines, 'ended').filter(
      ({ record }) => record.outcome === 'aborted' && record.kickoffId !== null,
    )
    expect(abandoned.map(({ index }) => index)).toEqual(
      known.map(({ record }) => record.index).sort((x, y) => x - y),
    )
    expect(new Set(abandoned.map(({ index }) => index % 2)).size).toBe(2)
  })

  test('comes early from a threshold that cannot be met any more', async () => {
    await using folder = await bench()
    const file = await folder.scenario(`${LONG}
      checks: { 'never true': () => false },
      thresholds: { 'checks.never true': { is: '>= 99%', abortEarly: true } },`)
    const { document } = await folder.run(file, place(2))
    expect(document.verdict.outcome).toBe('failed')
    expect(document.run.stopReason).toContain('never true')
  })
})

/** Blocks its thread for ever, without CPU time of which other tests have need. */
const HANG = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'

describe.concurrent('a worker that is lost', () => {
  const LONG = `arrivals: { rate: '20/s', for: '10m' },`
  test.each([
    ['by an exception', `setImmediate(() => { throw new Error('planted') })`, 'planted'],
    ['by the end of its thread', `process.exit(3)`, 'its thread ended with code 3'],
  ])('%s makes the run INVALID and is named, and the others drain', async (_, action, words) => {
    await using folder = await bench()
    const file = await folder.scenario(`${LONG} inputs,`, atIndexFive(action))
    const { document, lines, abandoned } = await folder.run(file, place(2))
    expect(document.verdict).toMatchObject({ outcome: 'invalid', valid: false })
    expect(document.run.stopped).toBe('crashed')
    expect(document.run.stopReason).toContain(
      `instance 1 of 2, a worker thread, was lost: ${words}`,
    )
    expect(linesOf(lines, 'finished')).toMatchObject([{ instance: 0, stopped: 'drained' }])
    const messages = document.verdict.reasons.map(({ message }) => message).join('; ')
    expect(messages).toContain('instance 1')
    // Nothing that it wrote is lost, and what it left in flight is told.
    const accepted = linesOf(lines, 'accepted').filter(({ instance }) => instance === 1)
    const ended = new Set(linesOf(lines, 'ended').map(({ record }) => record.index))
    const open = accepted.map(({ index }) => index).filter((index) => !ended.has(index))
    expect(abandoned.map(({ index }) => index)).toEqual(open.sort((a, b) => a - b))
  })

  test('because it hangs is ended when all shall stop now', async () => {
    await using folder = await bench()
    const settings = `${LONG} inputs, timeouts: { request: '1s' }, drain: '1s',`
    const file = await folder.scenario(settings, atIndexFive(HANG))
    let stopped = false
    const { document } = await folder.run(file, {
      ...place(2),
      onStart: (control) => {
        setTimeout(() => {
          stopped = true
          control.stop('now')
        }, 2_000)
      },
    })
    expect(stopped).toBe(true)
    expect(document.verdict.outcome).toBe('invalid')
    expect(JSON.stringify(document)).toContain('it sent nothing for')
  })
})
