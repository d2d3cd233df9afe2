/**
 * Several instances judged each by itself: one that is late, busy, missing or cut short is named,
 * however well the others did.
 */
import { describe, expect, test } from 'vitest'
import { atLeast } from '../../src/result/statistics/beta.ts'
import type { GeneratorCheck, ResultDocument } from '../../src/result/document.ts'
import { instanceNames, someOf } from '../../src/result/sentences/instances.ts'
import type { FinishedLine, JournalLine } from '../../src/execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../src/execution/record/record.ts'
import { documentOf, instanceLines } from './lines.ts'

const INSTANCES = 10
const EXECUTIONS = 1_000
const LATE_MICROS = 38_000

interface Spoil {
  record?: (record: ExecutionRecord) => void
  finished?: (line: FinishedLine) => void
}

/** The lines of each of ten instances. */
function tenInstances({ record, finished }: Spoil = {}): JournalLine[][] {
  return Array.from({ length: INSTANCES }, (_, instance) => {
    const options = { executions: EXECUTIONS, instances: INSTANCES }
    const lines = instanceLines(instance, record ? { ...options, spoil: record } : options)
    for (const line of lines) if (line.type === 'finished') finished?.(line)
    return lines
  })
}

function check({ generator }: ResultDocument, name: GeneratorCheck['name']): GeneratorCheck {
  return generator.checks.find((each) => each.name === name)!
}

function requestsOf(lines: readonly JournalLine[]): number {
  return lines.reduce((sum, line) => {
    if (line.type !== 'ended') return sum
    return sum + line.record.kickoff.answer.length + line.record.polls.answer.length
  }, 0)
}

/** Makes the first `late` of an instance's requests late. */
function lateIn(late: ReadonlyMap<number, number>): (record: ExecutionRecord) => void {
  const left = new Map(late)
  return ({ instance, kickoff }) => {
    const more = left.get(instance) ?? 0
    if (more === 0) return
    left.set(instance, more - 1)
    kickoff.lateMicros[0] = LATE_MICROS
  }
}

describe('lateness', () => {
  test('of one instance in ten makes the run invalid, and names it, where the p99 of all is fine', () => {
    const document = documentOf(tenInstances({ record: lateIn(new Map([[3, 40]])) }).flat())
    expect(document.metrics['lateness.p99']!.value).toBeLessThan(1)
    expect(check(document, 'lateness')).toMatchObject({
      ok: false,
      measured: expect.closeTo(38, 0),
      worst: { instance: 3, of: 10, over: 1 },
    })
    expect(document.verdict.outcome).toBe('invalid')
    expect(document.verdict.reasons.map(({ code }) => code)).toEqual(['lateness'])
    expect(document.verdict.reasons[0]?.message).toMatch(
      /^instance 3 of 10 was late: p99 38\.\d ms, bound 5\.00 ms$/,
    )
  })

  test('of several names them and the worst', () => {
    const late = new Map([
      [3, 40],
      [7, 60],
    ])
    const { verdict } = documentOf(tenInstances({ record: lateIn(late) }).flat())
    expect(verdict.reasons[0]?.message).toMatch(
      /^instances 3 and 7 of 10 were late: p99 38\.\d ms, bound/,
    )
  })

  test('of a few requests an instance is proven by all of them together', () => {
    const everywhere = new Map(Array.from({ length: INSTANCES }, (_, i) => [i, 9]))
    const document = documentOf(tenInstances({ record: lateIn(everywhere) }).flat())
    expect(document.verdict.reasons[0]?.message).toMatch(
      /^the generator was late: p99 38\.\d ms, bound/,
    )
    const one = documentOf(tenInstances({ record: lateIn(new Map([[3, 9]])) }).flat())
    expect(one.verdict.valid).toBe(true)
    expect(check(one, 'lateness').worst).toEqual({ instance: 3, of: 10, over: 0 })
  })

  test.each([
    [1, false],
    [10, true],
  ])('proven for one test in twenty: trusted where %d instances stand it: %s', (instances, ok) => {
    const run = { executions: 400 * instances, instances }
    const requests = requestsOf(instanceLines(0, run))
    let late = 3
    while (atLeast(late, requests, 0.01) >= 0.05) late++
    const spoil = lateIn(new Map([[0, late]]))
    const lines = Array.from({ length: instances }, (_, i) => instanceLines(i, { ...run, spoil }))
    expect(documentOf(lines.flat()).verdict.valid).toBe(ok)
  })
})

test('one busy event loop in ten is named', () => {
  const document = documentOf(
    tenInstances({
      finished: ({ instance, host }) => (host.utilisationSustained = instance === 4 ? 0.91 : 0.2),
    }).flat(),
  )
  expect(check(document, 'utilisation')).toMatchObject({
    measured: 0.91,
    worst: { instance: 4, of: 10, over: 1 },
  })
  expect(document.verdict.reasons.map(({ message }) => message)).toEqual([
    'instance 4 of 10 was busy: event loop at 91.0 % for five seconds, bound 70.0 %',
  ])
})

describe('what is missing is named', () => {
  const whole = tenInstances()

  test('instances without a journal', () => {
    const { verdict } = documentOf(whole.filter((_, i) => i !== 3 && i !== 7).flat())
    expect(verdict.outcome).toBe('invalid')
    expect(verdict.reasons.map(({ code }) => code)).toEqual(['records'])
    expect(verdict.reasons[0]?.message).toBe('no journal of instances 3 and 7 of 10')
  })

  test('many of them by the first ones', () => {
    const { verdict } = documentOf(whole[9]!)
    expect(verdict.reasons[0]?.message).toBe(
      'no journal of instances 0, 1, 2, 3, 4 and 4 more of 10',
    )
  })

  test('an instance that was killed', () => {
    const killed = whole[4]!.filter(
      (line) => line.type !== 'finished' && (line.type !== 'ended' || line.record.index < 884),
    )
    const { verdict, run } = documentOf(whole.flatMap((lines, i) => (i === 4 ? killed : lines)))
    expect(run.stopped).toBe('crashed')
    expect(verdict.reasons.map(({ message }) => message)).toEqual([
      'instance 4 of 10 did not finish: 12 executions without an end',
      expect.stringMatching(/^instance 4 of 10 was cut after .*: 12 executions in flight$/),
    ])
  })

  test('records of one instance, though another has as many too many', () => {
    const lines = whole.flatMap((own, i) => {
      const ended = own.filter(({ type }) => type === 'ended')
      if (i === 2) return own.filter((line) => line !== ended[5])
      return i === 5 ? [...own, ended[5]!] : own
    })
    const { verdict } = documentOf(lines)
    expect(verdict.reasons[0]?.message).toBe(
      '99 records for 100 arrivals of instance 2. 101 records for 100 arrivals of instance 5',
    )
  })

  test('the line that a journal begins with', () => {
    const lines = whole.flatMap((own, i) => (i === 6 ? own.slice(1) : own))
    expect(documentOf(lines).verdict.reasons[0]?.message).toBe(
      'instance 6 of 10 lost the beginning of the journal',
    )
  })
})

test.each([
  [[4], undefined, 'instance 4 of 1,000'],
  [[3, 7], undefined, 'instances 3 and 7 of 1,000'],
  [[0, 1, 2, 3, 4, 5], undefined, 'instances 0, 1, 2, 3, 4 and 1 more of 1,000'],
  [[0, 1, 2, 3, 4], 1_000, 'instances 0, 1, 2, 3, 4 and 995 more of 1,000'],
])('%j of %s: %s', (numbers, count, words) => {
  const all = numbers.map((instance) => ({ instance }))
  expect(instanceNames(someOf(all, 1_000, count))).toBe(words)
})

describe('the document has each instance', () => {
  test('those that did not finish first, then the latest', () => {
    const ten = tenInstances({ record: lateIn(new Map([[3, 9]])) })
    const lines = ten.flatMap((own, i) => (i === 6 ? own.slice(0, -1) : own))
    const { instances } = documentOf(lines).generator
    expect(instances).toHaveLength(10)
    expect(instances.slice(0, 2).map(({ instance }) => instance)).toEqual([6, 3])
    expect(instances[0]).toMatchObject({ finished: false, ended: 100, maxInFlight: null })
    expect(instances[1]).toEqual({
      instance: 3,
      engine: 'node',
      beganMs: 0,
      finished: true,
      ended: 100,
      maxInFlight: 20,
      latenessP99Ms: expect.closeTo(38, 0),
      utilisation: 0.2,
      peakMemoryBytes: 80_000_000,
    })
  })

  test('at most twenty of them', () => {
    const instances = 50
    const lines = Array.from({ length: instances }, (_, i) =>
      instanceLines(i, { executions: 100, instances }),
    )
    expect(documentOf(lines.flat()).generator.instances).toHaveLength(20)
  })
})

test.each<[number, number, string[]]>([
  [900, 0, []],
  [2_300, 0, ['the 10 instances began up to 2.30 s apart, instance 7 last, bound 1.00 s']],
  [2_300, 1_400_000, []],
])('instances that began %d ms apart, give or take %d us: %j', (apartMs, errorMicros, told) => {
  const lines = tenInstances().flat()
  for (const line of lines) {
    if (line.type !== 'run' || line.instance !== 7) continue
    line.anchorUnixMs += apartMs
    line.anchorErrorMicros = errorMicros
  }
  const { verdict, generator } = documentOf(lines)
  expect(verdict.reasons.map(({ message }) => message)).toEqual(told)
  expect(verdict.valid).toBe(told.length === 0)
  expect(generator.checks.find(({ name }) => name === 'start')?.ok).toBe(told.length === 0)
})

test('a single instance cannot begin apart from others', () => {
  const { generator } = documentOf(instanceLines(0, { executions: 10, instances: 1 }))
  expect(generator.checks.map(({ name }) => name)).not.toContain('start')
})
