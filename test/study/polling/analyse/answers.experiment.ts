/** What the study answers to recordings whose answer is known. */
import { allText } from '../../../../src/report/frame/report.ts'
import { describe, expect, test } from 'vitest'
import { polling as pollingOption } from '../../../../src/scenario/schema/scenario.ts'
import { subjectsOf } from '../../../../src/study/polling/analyse/replay/lives.ts'
import { figuresOf, traceOf } from '../../../../src/study/polling/analyse/replay/trace.ts'
import { requestTimesOf } from '../../../../src/study/polling/analyse/replay/replay.ts'
import type { PollingDocument, Strategy } from '../../../../src/study/polling/document.ts'
import type { PollGap, Recording } from '../../../../src/study/polling/analyse/replay/recording.ts'
import { answerTo, goalFor } from './answers.ts'
import { AT_ONCE, SECOND, drawn, recordingOf } from './subjects.ts'
import { lengthWords } from '../../../../src/study/polling/report/report.ts'

const uniform = drawn(60, (random) => 40 + 40 * random.next())

function gaps(gapSeconds: number, fresh: boolean, tookMicros: number): PollGap[] {
  return Array.from({ length: 20 }, () => ({ gapMicros: gapSeconds * SECOND, fresh, tookMicros }))
}

describe('a target that refuses or asks for waits', () => {
  const recording = recordingOf(uniform, {
    asked: { polls: 100, waitsMicros: Array.from({ length: 30 }, () => 20 * SECOND), refused: 0 },
    gaps: [...gaps(0.1, false, 5_000), ...gaps(4, true, 30_000)],
    failures: { polls: 100, failed: 3, pausesMicros: [SECOND] },
  })
  const { retryAfter, recommended, findings } = answerTo(recording)
  const told = findings.map(({ message }) => message)

  test('following Retry-After is replayed as a strategy of its own', () => {
    expect(retryAfter).toMatchObject({
      family: 'retry-after',
      polling: { fixed: '20s' },
      medianMs: 20_000,
      answers: 30,
    })
    // Polls at 40, 60 and 80 s, or 2 to 4 of them.
    expect(retryAfter!.pollsPerExecution.value).toBeGreaterThan(2.9)
    expect(retryAfter!.pollsPerExecution.value).toBeLessThan(4)
    expect(retryAfter!.detectionDelayMs!.mean).toBeGreaterThan(8_000)
    expect(retryAfter!.detectionDelayMs!.mean).toBeLessThan(12_000)
    expect(told.join()).toContain('the target asked for 20.0 s between polls')
    expect(told.join()).toContain('no better in both')
  })

  test('intervals at which connections were lost cost handshakes', () => {
    expect(recommended).toMatchObject({ freshShare: 1, handshakeMs: 25 })
    expect(told.join()).toContain('100 % of the polls open a connection, which takes 25.0 ms')
  })

  test('polls that failed are told', () => {
    expect(told.join()).toContain('3.00 % of the recorded polls failed')
    expect(told.join()).not.toContain('refused')
  })

  test('polls that were refused are told, and fail in no replay', () => {
    const failures = { polls: 100, failed: 0, pausesMicros: [] }
    const hints = { ...recording.hints, exhausted: 4 }
    const refused = { ...recording, failures, hints, asked: { ...recording.asked, refused: 3 } }
    const { findings: own } = answerTo(refused)
    const messages = own.map(({ message }) => message).join()
    expect(messages).toContain('3.00 % of the recorded polls were refused; the replay refuses none')
    expect(messages).toContain('4.00 % of the recorded polls found the quota used up')
    expect(messages).not.toContain('failed')
  })
})

function pollsAndP95({ recommended }: PollingDocument): [number, number] {
  return [recommended!.pollsPerExecution.value, recommended!.detectionDelayMs!.p95]
}

test('where polls fail, the answer counts on it', () => {
  const lengths = drawn(60, (random) => 58 + 4 * random.next())
  const failing = recordingOf(lengths, {
    failures: { polls: 100, failed: 40, pausesMicros: [SECOND, 10 * SECOND] },
  })
  const [whole, own] = [answerTo(recordingOf(lengths)), answerTo(failing)]
  const [polls, p95Ms] = pollsAndP95(own)
  const [fewerPolls, shorterMs] = pollsAndP95(whole)
  expect(polls / fewerPolls).toBeGreaterThan(1.1)
  expect(p95Ms / shorterMs).toBeGreaterThan(1.2)
  // A schedule for answered polls takes its time after the last end: who is not answered waits.
  const policy = pollingOption.parse(whole.recommended!.polling)
  const stage = { requests: requestTimesOf(failing), random: AT_ONCE.random }
  const subjects = subjectsOf(failing)
  const unaware = figuresOf(
    traceOf(subjects, () => policy, stage),
    subjects.map(({ weight }) => weight),
  )
  const cost = polls + own.recommended!.detectionDelayMs!.mean / 1_000
  expect(cost).toBeLessThan(1.05 * (unaware.pollsMean + unaware.delayMean / SECOND))
})

test('few waits, kept connections and answered polls are no findings', () => {
  const recording = recordingOf(uniform, {
    asked: { polls: 100, waitsMicros: [20 * SECOND], refused: 0 },
    gaps: [...gaps(0.1, false, 5_000), ...gaps(100, false, 5_000)],
    failures: { polls: 100, failed: 0, pausesMicros: [] },
  })
  const { retryAfter, recommended, findings } = answerTo(recording)
  expect(retryAfter).toBeNull()
  expect(recommended!.freshShare).toBe(0)
  const told = findings.map(({ message }) => message).join()
  expect(told).not.toMatch(/asked for|open a connection|failed|refused/)
})

test('a strategy is told to cost no less than on the executions that it was learned from', () => {
  const lengths = drawn(
    50,
    (random) => (random.next() < 0.6 ? 18 + 4 * random.next() : 115 + 10 * random.next()),
    2,
  )
  const recording = recordingOf(lengths)
  const subjects = subjectsOf(recording)
  const { front } = answerTo(recording)
  expect(front.length).toBeGreaterThan(5)
  for (const { polling, words, pollsPerExecution, detectionDelayMs } of front) {
    const policy = pollingOption.parse(polling)
    const own = figuresOf(
      traceOf(subjects, () => policy, AT_ONCE),
      subjects.map(({ weight }) => weight),
    )
    const cost = own.pollsMean + own.delayMean / SECOND
    const told = pollsPerExecution.value + detectionDelayMs!.mean / 1_000
    expect([words, told / cost > 0.95]).toEqual([words, true])
  }
})

describe('a goal for more polls than are usual is met', () => {
  const long = drawn(120, (random) => 600 + 3_000 * random.next())
  const recording = recordingOf(long, { arrivalsPerSecond: 0.1 })
  const deadlines = recording.executions.map((each) => ({ ...each, deadlineMicros: 2e10 }))
  const slow = { ...recording, executions: deadlines }

  test('a promise of seconds for executions of half an hour', () => {
    const { verdict, recommended } = answerTo(slow, goalFor({ delay: 'p95 < 5s' }))
    expect(verdict.outcome).toBe('answered')
    expect(recommended!.detectionDelayMs!.high).toBeLessThan(5_000)
    // Every 5 s, from the shortest execution on: 300; from the beginning: 420.
    expect(recommended!.pollsPerExecution.value).toBeLessThan(420)
  })

  test('a quota that is larger is used', () => {
    const { recommended } = answerTo(slow, goalFor({ maxPolls: '6000/m' }))
    // Of 100 polls a second, the reserve for busy windows leaves more than half.
    expect(recommended!.pollsPerSecond!).toBeGreaterThan(50)
    expect(recommended!.pollsPerSecond!).toBeLessThan(100)
  })
})

test('of fewer than ten that ended, nothing is told of strategies, nor of how long they take', () => {
  const few = uniform.slice(0, 9)
  const nothing = { recommended: null, current: null, runnerUp: null, simpler: null, front: [] }
  expect(answerTo(recordingOf(few))).toMatchObject({
    ...nothing,
    verdict: { outcome: 'inconclusive', moreExecutions: 1 },
    source: { ended: 9, executionMs: null },
  })
  expect(answerTo(recordingOf(uniform.slice(0, 10))).recommended).not.toBeNull()
})

function costOf({ pollsPerExecution, detectionDelayMs }: Strategy): number {
  return pollsPerExecution.value + detectionDelayMs!.mean / 1_000
}

test('of two strategies that tie, the cheaper one is the answer, and the other is named', () => {
  const { verdict, recommended, runnerUp } = answerTo(recordingOf(uniform.slice(0, 12)))
  expect(verdict).toMatchObject({ outcome: 'answered', reasons: [], moreExecutions: 10 })
  expect(runnerUp!.ties).toBe(true)
  expect(runnerUp!.mayBeBetterBy).toBeGreaterThan(0.1)
  expect(costOf(recommended!)).toBeLessThan(costOf(runnerUp!))
  expect(allText(verdict)).toMatch(
    /It ties with polling after .* \(.*\), which may take up to 1\d % less cost\. About 10 more/,
  )
  const many = answerTo(recordingOf(uniform))
  expect(many.runnerUp!.ties).toBe(false)
  expect(allText(many.verdict)).not.toContain('ties')
})

describe('executions whose end was not seen', () => {
  const { executions } = recordingOf(uniform)
  const unseen = (fate: 'never' | 'censored', count: number): Recording => {
    const other = { ...executions[0]!, fate, afterMicros: 90 * SECOND, byMicros: 90 * SECOND }
    const others = Array.from({ length: count }, () => other)
    return recordingOf([], { executions: [...executions, ...others] })
  }

  test('where none was watched for as long as many take, nothing is answered', () => {
    const { verdict, source, recommended, front } = answerTo(unseen('censored', 6))
    expect([recommended, front]).toEqual([null, []])
    expect(verdict).toMatchObject({ outcome: 'inconclusive', reasons: [{ code: 'unwatched' }] })
    expect(verdict.reasons[0]!.message).toContain('9.09 % of the executions took longer than any')
    expect(source.unwatchedShare).toBeCloseTo(6 / 66, 9)
    expect(lengthWords(source)).toMatch(/^take at least 6\d\.\d s on average: 9\.09 % took longer/)
  })

  test('a few of them leave the answer as it is, and so does one of few', () => {
    expect(answerTo(unseen('censored', 3)).verdict.reasons).toEqual([])
    const { executions: all } = unseen('censored', 1)
    const { source, recommended } = answerTo(recordingOf([], { executions: all.slice(-16) }))
    expect(source.unwatchedShare).toBeCloseTo(1 / 16, 9)
    expect(recommended).not.toBeNull()
  })

  test('those that the deadline cut are told, and that delays are those of the others', () => {
    const { verdict, source, findings } = answerTo(unseen('never', 20))
    expect(verdict.outcome).toBe('answered')
    expect(source).toMatchObject({ never: 20, ended: 60, unwatchedShare: 0 })
    expect(findings.map(({ message }) => message).join()).toMatch(
      /20 of 80 executions \(25\.0 %\) did not end within their deadline\. /,
    )
    expect(lengthWords(source)).toMatch(/^that ended in time take /)
    expect(answerTo(unseen('never', 2)).findings).toEqual([])
  })

  test('no poll is told to miss ends that are made of their neighbours alone', () => {
    const few = [20, 30, 40, 50, 60, 70, 80, 100, 120, 150, 300, 1_200]
    expect(
      answerTo(recordingOf(few))
        .findings.map(({ message }) => message)
        .join(),
    ).not.toContain('no poll sees it')
  })
})

test('of today’s polling, polls and delay are told, or that it misses ends', () => {
  const current = {
    kind: 'fixed',
    everyMicros: 50 * SECOND,
    initialDelayMicros: 50 * SECOND,
  } as const
  const recording = recordingOf(uniform, { current })
  expect(allText(answerTo(recording).verdict)).toMatch(
    /\. Today it takes 1\.\d\d polls and [\d.]+ s\./,
  )
  const short = recording.executions.map((each) => ({ ...each, deadlineMicros: 81 * SECOND }))
  const { verdict } = answerTo({ ...recording, executions: short })
  expect(allText(verdict)).toMatch(/\. Today it takes 1\.00 polls, which miss ends\./)
})
