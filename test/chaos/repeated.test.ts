/**
 * What is known of an answer that repeats is what reading it again says: the journals of runs by
 * chance are the same to the byte, whether answers are known by their value, by their text, or not
 * at all.
 */
import { afterEach, expect, test, vi } from 'vitest'
import type { Answer } from '../../src/crew/answer.ts'
import type { StatusObservation } from '../../src/crew/observation.ts'
import { readStatus } from '../../src/crew/read.ts'
import { StatusReader } from '../../src/crew/status-reader.ts'
import { leftBy, seeds } from './support.ts'
import type { Weather } from './weather.ts'
import { weatherOf } from './weather.ts'
import { areExperimentsRun } from '../experiments.ts'

const RUNS = areExperimentsRun ? 30 : 8

afterEach(() => vi.restoreAllMocks())

type Read = (this: StatusReader, answer: Answer) => StatusObservation

const byValue: Read = Reflect.get(StatusReader.prototype, 'read')

/** As a host tells it that has received bytes. */
const byText: Read = function read(answer) {
  if (answer.kind === 'failure') return byValue.call(this, answer)
  const { kind, status, headers, json, timing } = answer
  const body = json === undefined ? answer.body : JSON.stringify(json)
  return byValue.call(this, { kind, status, headers, body, timing })
}

async function journalOf(weather: Weather, read: Read): Promise<string> {
  vi.spyOn(StatusReader.prototype, 'read').mockImplementation(read)
  const { journal } = await leftBy(weather)
  return journal
}

test('journals do not tell whether answers that repeat were read once', async () => {
  let repeated = 0
  for (const seed of seeds(1, RUNS)) {
    const weather = weatherOf(seed)
    const asBefore = await journalOf(weather, function read(answer) {
      const seen = byValue.call(this, answer)
      if (seen.interned) repeated++
      return seen
    })
    expect(await journalOf(weather, (answer) => readStatus(answer)), `seed ${seed}`).toBe(asBefore)
    expect(await journalOf(weather, byText), `seed ${seed}, by text`).toBe(asBefore)
  }
  expect(repeated).toBeGreaterThan(RUNS)
})
