/** Pushes with a poll as a net, and the delay of pushes: what is predicted, against runs of other seeds. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JournalLine } from '../../../../src/execution/record/journal-lines.ts'
import { requestsIn } from '../../../../src/execution/record/request.ts'
import { readRun } from '../../../../src/run/folder/stored.ts'
import { pollingSchema } from '../../../../src/study/polling/document.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { withoutLedger } from '../../../support/virtual-run.ts'
import { learned, placeIn, recorded, SCENARIO } from './pushing.ts'

/** What the client of a run would have had, had it stopped polling at the push. */
async function heardIn(
  folder: string,
): Promise<{ polls: number; delayMs: number; missed: number }> {
  const { ledger } = await readRun(folder)
  const ends = new Map(ledger!.rows.map((row) => [row.kickoff_id, row]))
  const text = await readFile(join(folder, 'executions.ndjson'), 'utf8')
  const lines = text.trim().split('\n')
  const journal = lines.map((line) => JSON.parse(line) as JournalLine)
  const pushed = new Map<string, number>()
  for (const line of journal) {
    if (line.type === 'push' && line.reports === 'completed') {
      pushed.set(line.kickoffId!, Math.min(line.atMicros, pushed.get(line.kickoffId!) ?? Infinity))
    }
  }
  let [executions, polls, delayMs, missed] = [0, 0, 0, 0]
  for (const line of journal) {
    if (line.type !== 'ended' || line.record.warmUp) continue
    const { record } = line
    const push = pushed.get(record.kickoffId!) ?? Infinity
    const sent = requestsIn(record.polls, record.intendedMicros).map((each) => each.sentMicros)
    const endMs = ends.get(record.kickoffId!)!.ended_ms!
    const endMicros = endMs * 1_000 + ledger!.clock.offsetMicros
    executions++
    if (push === Infinity) missed++
    polls += sent.filter((micros) => micros < push).length
    delayMs += (Math.min(push, record.firstDoneReceivedMicros!) - endMicros) / 1_000
  }
  return { polls: polls / executions, delayMs: delayMs / executions, missed }
}

const apart = (value: number, from: number): number => Math.abs(value / from - 1)

test('the net is predicted within 5 % of a run with it, of other executions', async () => {
  await using folder = await temporaryFolder()
  const out = folder.path
  // With few losses, chance alone sets two runs further apart.
  const place = await placeIn(out, { webhooks: { delay: '200ms', lost: '40%' } })
  const path = await recorded(place, { executions: 4_000, seed: 6, out, polling: SCENARIO.polling })
  const byLedger = await learned(path)
  await withoutLedger(path)
  const byPolls = await learned(path)
  const { polling: advised } = byLedger.pushes!.net!
  const of = { executions: 10_000, seed: 16, out, polling: advised }
  const own = await heardIn(await recorded(place, of))
  for (const [truth, document] of Object.entries({ ledger: byLedger, polls: byPolls })) {
    expect(pollingSchema.safeParse(JSON.parse(JSON.stringify(document))).error).toBeUndefined()
    const { source, pushes, recommended } = document
    expect(source.truth).toBe(truth)
    expect(pushes).toMatchObject({ better: 'net', early: 0, repeated: 0 })
    const { net, missedShare } = pushes!
    expect(net!.polling).toEqual(advised)
    expect(missedShare.low).toBeLessThan(0.4)
    expect(missedShare.high).toBeGreaterThan(0.4)
    expect(net!.pollsPerExecution.value).toBeLessThan(recommended!.pollsPerExecution.value)
    expect(apart(net!.pollsPerExecution.value, own.polls)).toBeLessThan(0.05)
    expect(apart(net!.detectionDelayMs!.mean, own.delayMs)).toBeLessThan(0.05)
    expect(net!.detectionDelayMs!.meanLow).toBeLessThan(own.delayMs)
    expect(net!.detectionDelayMs!.meanHigh).toBeGreaterThan(own.delayMs)
  }
})

test('without a ledger, pushes are as late however seldom the client polls', async () => {
  await using folder = await temporaryFolder()
  const place = await placeIn(folder.path, { webhooks: { delay: '200ms', lost: '2%' } })
  for (const seconds of [5, 15]) {
    const polling = { fixed: `${seconds}s` }
    const path = await recorded(place, { executions: 400, out: folder.path, polling })
    await withoutLedger(path)
    const { pushes } = await learned(path, { delay: 'mean < 1s' })
    const { mean, meanLow, meanHigh, high } = pushes!.detectionDelayMs!
    // Two errors of the mean of 391 ends, each anywhere between two polls.
    const error = (2 * seconds * 1_000) / Math.sqrt(12 * 391)
    expect(Math.abs(mean - 200)).toBeLessThan(error)
    expect(meanLow).toBeLessThan(200)
    expect(meanHigh).toBeGreaterThan(200)
    expect(meanHigh - mean).toBeCloseTo(error, -1)
    // One of twenty may be late by all that lies between two polls.
    expect(high).toBeGreaterThan(seconds * 500)
    expect(pushes!.better).toBe('net')
    const { pollsPerExecution, detectionDelayMs } = pushes!.net!
    // By the ledger, 0.55 polls; less is known from seldom polls, which buy safety with more.
    expect(pollsPerExecution.value).toBeLessThan(seconds === 5 ? 0.6 : 1.3)
    expect(detectionDelayMs!.meanHigh).toBeLessThan(1_000)
    expect(detectionDelayMs!.meanHigh - detectionDelayMs!.mean).toBeGreaterThan(error)
  }
})
