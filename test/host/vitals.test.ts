/** The host's health: what it samples, and what a stepped clock does to it. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { UtilisationMeter } from '../../src/host/node/index.ts'
import { nodeHost } from './support.ts'

const NOWHERE = 'http://127.0.0.1:1'

describe('the sustained utilisation', () => {
  const rows: [string, number[], number | null][] = [
    ['is unknown without a sample', [], null],
    ['is unknown until five samples exist', [1, 1, 1, 1], null],
    ['is not moved by a peak of four seconds', [0.1, 0.9, 0.9, 0.9, 0.9, 0.1], 0.1],
    ['is the value held for five seconds in a row', [0.1, 0.9, 0.8, 0.9, 0.7, 0.9, 0.1], 0.7],
    ['is the highest such value of the run', [0.9, 0.9, 0.9, 0.9, 0.9, 0, 0, 0, 0, 0], 0.9],
  ]
  test.each(rows)('%s', (_, samples, expected) => {
    const meter = new UtilisationMeter()
    for (const sample of samples) meter.add(sample)
    expect(meter.sustained).toBe(expected)
  })
})

async function stepped(stepMs: number): Promise<{ lines: JournalLine[]; steps: number }> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const lines: JournalLine[] = []
  const host = await nodeHost(NOWHERE, { emit: (line) => void lines.push(line), instance: 3 })
  host.startClock()
  await vi.advanceTimersByTimeAsync(1_000)
  const wall = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => wall() + stepMs)
  await vi.advanceTimersByTimeAsync(3_000)
  return { lines, steps: host.vitals().clockSteps }
}

describe('the clock', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  test('that someone sets is counted once and told in the journal', async () => {
    const { lines, steps } = await stepped(-400)
    expect(steps).toBe(1)
    expect(lines).toMatchObject([
      { type: 'incident', instance: 3, index: null, incident: { kind: 'clock-step' } },
    ])
  })

  test('that is slewed is not', async () => {
    expect(await stepped(20)).toEqual({ lines: [], steps: 0 })
  })
})

test('knows a mean and a memory peak of a run of no time, and nothing sustained', async () => {
  const host = await nodeHost(NOWHERE)
  host.startClock()
  const vitals = host.vitals()
  expect(vitals.utilisationSustained).toBeNull()
  expect(vitals.utilisationMean).toBeLessThanOrEqual(1)
  expect(vitals.peakMemoryBytes).toBeGreaterThan(10_000_000)
})

describe('the memory', () => {
  test('that cannot be told, because no file may be opened, costs nothing else', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const host = await nodeHost(NOWHERE)
    host.startClock()
    vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
    })
    await vi.advanceTimersByTimeAsync(6_000)
    expect(host.vitals()).toMatchObject({ peakMemoryBytes: 0, clockSteps: 0 })
    vi.restoreAllMocks()
    vi.useRealTimers()
    await host.close()
  })
})
