/**
 * `crewload polling` on a crew that is not ours: what it says of each strategy, against that
 * strategy followed over the true ends.
 */
import { expect, test } from 'vitest'
import { parseDuration } from '../../../src/base/units.ts'
import type { ExecutionRecord } from '../../../src/execution/record/record.ts'
import type { Strategy } from '../../../src/study/polling/document.ts'
import { pollingSchema } from '../../../src/study/polling/document.ts'
import type { StrangersTruth } from '../../support/targets/stranger.ts'
import { pythonOrSkip, startStranger } from '../../support/targets/stranger.ts'
import { CONSENT, newOwner } from './owner.ts'

const python = pythonOrSkip('the study of polling on a crew that is not ours')

/** Long beside what a busy machine adds to the way and to timers, which is `WAY_MS` at most. */
const TODAY_MS = 300
const WAY_MS = 80
const CREW = {
  workers: 60,
  tasks: [
    { name: 'research', agent: 'Researcher', mean: 1.2, cv: 0.4 },
    { name: 'writing', agent: 'Writer', mean: 0.8, cv: 0.4 },
  ],
  firstCall: 0.5,
}

const msOf = (duration: unknown): number => parseDuration(String(duration))! / 1_000

/** The intervals of a strategy in ms; null for one that draws or looks at the progress. */
function intervalsOf({ polling }: Strategy): ((n: number) => number) | null {
  const { fixed, initialDelay = fixed, schedule } = polling
  if (fixed !== undefined) return (n) => msOf(n === 0 ? initialDelay : fixed)
  if (!Array.isArray(schedule)) return null
  return (n) => msOf(schedule[Math.min(n, schedule.length - 1)])
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** What a poll takes beside its interval, on this machine and today: its lateness and its answer. */
function overheadMs(records: readonly ExecutionRecord[]): number {
  const polls = records.flatMap(({ polls: { lateMicros, waitMicros, serviceMicros } }) =>
    lateMicros.map((late, i) => (late + waitMicros[i]! + serviceMicros[i]!) / 1_000),
  )
  return mean(polls)
}

/** From the answer of the kickoff, which was sent half-way, to the end. */
function tookMs(records: readonly ExecutionRecord[], { executions }: StrangersTruth): number[] {
  const byId = new Map(executions.map((execution) => [execution.id, execution]))
  return records.map(({ kickoffId, sentMicros, acceptedMicros }) => {
    const { kickedOff, ended } = byId.get(kickoffId!)!
    return (ended! - kickedOff) * 1_000 - (acceptedMicros! - sentMicros!) / 2_000
  })
}

/** Polls per execution, and the mean delay, over executions that took so long. */
function followed(
  intervals: (n: number) => number,
  took: readonly number[],
  requestMs: number,
): { polls: number; delayMs: number } {
  const ends = took.map((endMs) => {
    let [polls, at] = [0, 0]
    while (at < endMs) at += intervals(polls++) + requestMs
    return { polls, late: at - endMs }
  })
  return { polls: mean(ends.map(({ polls }) => polls)), delayMs: mean(ends.map((e) => e.late)) }
}

test.skipIf(python === null)('polling predicts polls and delay of each strategy', async () => {
  await using crew = await startStranger(CREW)
  await using owner = await newOwner(`
    arrivals: { rate: '12/s', for: '8s', process: 'poisson' },
    polling: { fixed: '${TODAY_MS}ms' }`)
  const where = ['--target', crew.url, '--scenario', 'scenario.mjs', ...CONSENT]
  const { code, stdout } = await owner.ask('polling', ...where, '--json')
  const document = pollingSchema.parse(JSON.parse(stdout))
  expect([code, document.verdict.outcome, document.source.truth]).toEqual([0, 'answered', 'polls'])
  const records = await owner.records()
  const took = tookMs(records, await crew.truth())
  expect(document.source.executions).toBe(took.length)
  expect(Math.abs(document.source.executionMs!.mean - mean(took))).toBeLessThan(WAY_MS)

  const strategies = [document.recommended!, document.current!, ...document.front]
  const overhead = overheadMs(records)
  let compared = 0
  for (const strategy of strategies) {
    const intervals = intervalsOf(strategy)
    if (intervals === null) continue
    const shortest = Math.min(...Array.from({ length: 30 }, (_, n) => intervals(n)))
    if (shortest < TODAY_MS) continue
    const { polls, delayMs } = followed(intervals, took, overhead)
    const { low, high } = strategy.pollsPerExecution
    const { meanLow, meanHigh } = strategy.detectionDelayMs!
    const seen = [strategy.words, polls, low, high, delayMs, meanLow, meanHigh].join(' ')
    expect([seen, polls >= low * 0.97, polls <= high * 1.03]).toEqual([seen, true, true])
    const inTime = [delayMs >= meanLow - WAY_MS, delayMs <= meanHigh + WAY_MS]
    expect([seen, ...inTime]).toEqual([seen, true, true])
    compared++
  }
  expect(compared).toBeGreaterThan(5)
})
