/** A journal that a resumption went on with: what counts of it, and what the document says. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { mergedRuns } from '../../../src/run/merge.ts'
import { UnfinishedRun } from '../../../src/journal/unfinished.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { executionRecord, journalLines } from '../../result/lines.ts'
import { spent } from '../../support/reasons.ts'

const EXECUTIONS = 20
const WHOLE = journalLines({ executions: EXECUTIONS })
const CUT = WHOLE.filter(
  (line) => line.type !== 'finished' && (line.type !== 'ended' || line.record.index < 15),
)
const FINISHED = WHOLE.at(-1)!
const CUT_MICROS = 9_000_000

function resumed(indexes: number[]): JournalLine {
  const times = { anchorUnixMs: 0, atMicros: 20_000_000, cutMicros: CUT_MICROS }
  return { type: 'resumed', instance: 0, ...times, indexes }
}

/** Its end as a resumption saw it: at its first poll where `watched` is false. */
function ended(index: number, watched: boolean): JournalLine {
  const record = executionRecord(index, { executions: EXECUTIONS })
  const endedMicros = 30_000_000
  const times = { endedMicros, firstDoneReceivedMicros: endedMicros }
  const lastNotDoneSentMicros = watched ? endedMicros - 1_000 : null
  return { type: 'ended', record: { ...record, ...times, lastNotDoneSentMicros, resumed: true } }
}

async function documentOf(lines: readonly JournalLine[], tail = '') {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal.ndjson')
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join('') + tail)
  return (await mergedRuns([path])).document
}

const PICKED_UP = [15, 16, 17, 18, 19]

describe('a run that was cut, resumed and ended', () => {
  const rest = PICKED_UP.map((index) => ended(index, index < 18))

  test('counts every arrival once, and gives no verdict', async () => {
    const document = await documentOf([...CUT, resumed(PICKED_UP), ...rest, FINISHED])
    expect(document.arrivals).toBe(EXECUTIONS)
    expect(document.outcomes.completed).toBe(EXECUTIONS)
    expect(document.verdict).toMatchObject({ outcome: 'inconclusive', valid: true })
    const [reason] = document.verdict.reasons
    expect(reason?.code).toBe('resumed')
    expect(reason?.message).toMatch(/cut after 9\.00 s and resumed, which continued 5 executions/)
  })

  test('does not know how long those took that ended while nobody looked', async () => {
    const document = await documentOf([...CUT, resumed(PICKED_UP), ...rest, FINISHED])
    expect(document.distributions['execution']).toMatchObject({ n: 20, censored: 2 })
    expect(document.metrics['detectionDelay.max']?.n).toBe(18)
  })

  test('is the same when the resumption was itself cut and resumed', async () => {
    const twice = [
      ...CUT,
      resumed(PICKED_UP),
      ...rest.slice(0, 3),
      resumed([18, 19]),
      ...rest.slice(3),
      FINISHED,
    ]
    const document = await documentOf(twice)
    expect(document.outcomes.completed).toBe(EXECUTIONS)
    expect(
      document.findings.find(({ message }) => message.includes('continued after'))?.message,
    ).toMatch(/^5 executions continued after/)
  })
})

test('ends that were given up do not count beside those that were seen later', async () => {
  const stopped = WHOLE.map((line): JournalLine => {
    if (line.type !== 'ended' || line.record.index < 15) return line
    const record = { ...line.record, outcome: 'aborted', reason: spent('time') } as const
    return { type: 'ended', record: { ...record, firstDoneReceivedMicros: null } }
  })
  const rest = PICKED_UP.map((index) => ended(index, true))
  const document = await documentOf([...stopped, resumed(PICKED_UP), ...rest, FINISHED])
  expect(document.outcomes).toMatchObject({ completed: EXECUTIONS, aborted: 0 })
  expect(document.arrivals).toBe(EXECUTIONS)
  const cutAgain = await documentOf([...stopped, resumed(PICKED_UP), rest[0]!])
  expect(cutAgain.run.stopped).toBe('crashed')
  expect(cutAgain.verdict.reasons.at(-1)?.message).toContain('the run was cut after')
  expect(cutAgain.findings[0]?.message).toMatch(/^4 executions accepted but not ended/)
})

describe('what a crash can do to the end of a journal', () => {
  test.each([
    ['a line that was cut', '{"type":"ended","record":{"ind'],
    ['a block of zeros', '\0'.repeat(5_000)],
    ['torn bytes', '\u{fffd}\u{fffd}{]'],
  ])('%s is passed over and counted', async (_what, tail) => {
    const document = await documentOf(CUT, tail)
    expect(document.outcomes.completed).toBe(15)
    expect(document.verdict.outcome).toBe('invalid')
    const said = document.verdict.reasons.map(({ message }) => message).join()
    expect(said).toContain('1 line not readable')
  })

  test('a line behind a block of zeros is read', async () => {
    const document = await documentOf(CUT, `${'\0'.repeat(5_000)}${JSON.stringify(FINISHED)}\n`)
    expect(document.run.stopped).toBeNull()
  })
})

describe('what is left to do', () => {
  test('are the executions without an end, with what the journal knows of them', () => {
    const unheard = CUT.filter((line) => line.type !== 'accepted' || line.index !== 19)
    const [own] = remainsOf(unheard).instances
    expect(own).toMatchObject({ finished: false, ended: 15 })
    expect(own?.left.map(({ arrival, accepted }) => [arrival.index, accepted?.kickoffId])).toEqual([
      [15, 'id-15'],
      [16, 'id-16'],
      [17, 'id-17'],
      [18, 'id-18'],
      [19, undefined],
    ])
  })

  test('are executions whose first line a full disk did not take, too', () => {
    const before = remainsOf(CUT)
    const lost = CUT.filter((line) => line.type !== 'started' || line.index !== 19)
    const remains = remainsOf(lost)
    expect(remains.begun).toEqual(before.begun)
    const [whole, own] = [before, remains].map(({ instances }) => instances[0]?.left.at(-1))
    expect(own?.accepted).toEqual(whole?.accepted)
    expect(own?.arrival.index).toBe(19)
    const offMicros = own!.arrival.intendedMicros - whole!.arrival.intendedMicros
    expect(Math.abs(offMicros)).toBeLessThan(1_000)
  })

  test('is nothing after a run that ended', () => {
    const [own] = remainsOf(WHOLE).instances
    expect(own).toMatchObject({ finished: true, ended: EXECUTIONS, left: [] })
  })
})

function remainsOf(lines: readonly JournalLine[]): UnfinishedRun {
  const remains = new UnfinishedRun()
  for (const line of lines) remains.saw(line)
  return remains
}
