/** Arrivals from CSV files, JSON lines and access logs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSchedule } from '../../../src/scenario/arrivals/index.ts'
import { createRandom } from '../../../src/base/random.ts'
import { planLoaded } from '../../../src/run/scenario/files.ts'
import type { Plan } from '../../../src/scenario/plan.ts'

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crewload-recording-test-'))
})
afterAll(async () => rm(folder, { recursive: true, force: true }))

interface Written {
  name: string
  text: string | Buffer
  arrivals?: object
  inputs?: unknown
  seed?: number
}

async function planOf({
  name,
  text,
  arrivals = {},
  inputs = {},
  seed = 1,
}: Written): Promise<Plan> {
  await writeFile(join(folder, name), text)
  const scenario = { name: 'replay', arrivals: { replay: name, ...arrivals }, inputs }
  return planLoaded({ scenario, source: 'test.ts', folder, code: null }, { seed })
}

/** When each arrives, in seconds. */
function secondsOf(plan: Plan): number[] {
  const schedule = createSchedule(plan, createRandom(plan.seed))
  const times: number[] = []
  for (let next = schedule.next(); next !== null; next = schedule.next()) {
    times.push(next.intendedMicros / 1e6)
  }
  return times
}

function inputsOf(plan: Plan, count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => plan.inputs(index).inputs)
}

async function mistakesOf(written: Written): Promise<string> {
  return planOf(written).then(
    () => '',
    (error: Error) => error.message,
  )
}

test('recorded inputs may be all there are', async () => {
  await writeFile(join(folder, 'own.csv'), 'at,subject\n1,bees\n2,ants\n')
  const planned = async (arrivals: object): Promise<Plan> => {
    const scenario = { name: 'replay', arrivals: { replay: 'own.csv', time: 'at', ...arrivals } }
    return planLoaded({ scenario, source: 'test.ts', folder, code: null }, { seed: 1 })
  }
  const plan = await planned({ inputs: { topic: 'subject' } })
  expect(inputsOf(plan, 2)).toEqual([{ topic: 'bees' }, { topic: 'ants' }])
  await expect(planned({})).rejects.toThrow(/^test.ts inputs: /)
})

describe('a CSV file', () => {
  const text = `\uFEFFcreated at,subject,state
2026-03-01T10:00:02.5Z,"bees, wasps",done
2026-03-01 11:00:00+01:00,ants,done
2026-03-01T10:00:09Z,moths,failed

2026-03-01T10:00:04Z,"line
two",done
`

  test('gives times and inputs by its columns, in the order of time', async () => {
    const arrivals = { time: 'created at', inputs: { topic: 'subject' } }
    const plan = await planOf({ name: 'a.csv', text, arrivals, inputs: { audience: 'experts' } })
    expect(secondsOf(plan)).toEqual([0, 2.5, 4, 9])
    expect(inputsOf(plan, 4)).toEqual([
      { audience: 'experts', topic: 'ants' },
      { audience: 'experts', topic: 'bees, wasps' },
      { audience: 'experts', topic: 'line\ntwo' },
      { audience: 'experts', topic: 'moths' },
    ])
  })

  test('takes the lines that `where` names, from a compressed file too', async () => {
    const arrivals = { time: 'created at', where: { state: 'failed' } }
    const plan = await planOf({ name: 'a.csv.gz', text: gzipSync(text), arrivals })
    expect(secondsOf(plan)).toEqual([0])
  })

  test('lists every line that cannot be used, with its number', async () => {
    const lines = ['time,topic', '1,bees', 'soon,wasps', '2,ants,more', '"3",moths', ',flies']
    const told = await mistakesOf({ name: 'bad.csv', text: lines.join('\n') })
    expect(told).toMatch(/bad\.csv:3: time "soon" is no time: expected ISO 8601/)
    expect(told).toMatch(/bad\.csv:4: .*(column|Column|length)/)
    expect(told).toMatch(/bad\.csv:6: time "" is no time/)
    expect(told.split('\n')).toHaveLength(3)
  })

  test('counts the bad lines beyond the first twenty', async () => {
    const text = `time\n${'never\n'.repeat(90)}`
    const told = (await mistakesOf({ name: 'many.csv', text })).split('\n')
    expect(told).toHaveLength(21)
    expect(told.at(-1)).toMatch(/70 more lines cannot be used/)
  })

  test('names columns that are not there, and those that are', async () => {
    const told = await mistakesOf({
      name: 'no.csv',
      text: 'at,topic\n1,bees\n',
      arrivals: { inputs: { topic: 'subject' } },
    })
    expect(told).toMatch(/no\.csv:1: no column has the name "time"; its columns: at, topic/)
    expect(told).toMatch(/no column has the name "subject"/)
  })

  test('is refused when it has no arrival, cannot be read, or its quotes never end', async () => {
    expect(await mistakesOf({ name: 'e.csv', text: 'time\n' })).toMatch(/has no arrival in 0 lines/)
    const endless = await mistakesOf({ name: 'q.csv', text: 'time\n1\n"2\n3\n' })
    expect(endless).toMatch(/q\.csv.*[Qq]uote/)
    const broken = await mistakesOf({ name: 'z.csv.gz', text: 'no gzip' })
    expect(broken).toMatch(/z\.csv\.gz: cannot be read/)
    const log = await mistakesOf({ name: 'z.log.gz', text: 'no gzip' })
    expect(log).toMatch(/z\.log\.gz: cannot be read/)
    const cut = await mistakesOf({ name: 'y.log.gz', text: gzipSync(LOG).subarray(0, 60) })
    expect(cut).toMatch(/y\.log\.gz: cannot be read/)
  })
})

async function seconds(times: string[]): Promise<number[]> {
  return secondsOf(await planOf({ name: 't.csv', text: ['time', ...times].join('\n') }))
}

describe('times', () => {
  test('are ISO 8601, numbers since 1970 by their size, or durations', async () => {
    expect(await seconds(['2026-03-01T10:00:00.000250Z', '2026-03-01 10:00:01'])).toEqual([
      0, 0.99975,
    ])
    expect(await seconds(['1772359200', '1772359201.5'])).toEqual([0, 1.5])
    expect(await seconds(['1772359200000', '1772359201500'])).toEqual([0, 1.5])
    expect(await seconds(['1772359200000000', '1772359201500000'])).toEqual([0, 1.5])
    expect(await seconds(['90s', '1h30m', '0'])).toEqual([0, 90, 5_400])
  })

  test('in whole seconds are spread over each of them', async () => {
    expect(await seconds(['5', '5', '5', '5', '7'])).toEqual([0, 0.25, 0.5, 0.75, 2])
    expect(await seconds(['5.5', '5.5', '7'])).toEqual([0, 0, 1.5])
  })

  test('of different kinds in one file are mistakes, with both lines', async () => {
    for (const [first, other, words] of [
      ['90s', '2026-03-01T10:00:00Z', /a point in time, but line 2 has an offset/],
      ['1772359200', '90s', /an offset, but line 2 has a point in time/],
      ['5', '1772359200000', /a point in time, but line 2 has an offset/],
      ['2026-03-01T10:00:00', '2026-03-01T10:00:00+02:00', /in a zone .* line 2 .* without a zone/],
      ['2026-03-01T10:00:00+0200', '2026-03-01T10:00:00', /without a zone, .* line 2 .* in a zone/],
    ] as const) {
      const told = await mistakesOf({ name: 't.csv', text: `time\n${first}\n${first}\n${other}\n` })
      expect(told).toMatch(/^[^\n]*t\.csv:4: its time is [^\n]*: write both alike$/)
      expect(told).toMatch(words)
    }
  })

  test('of no calendar are mistakes', async () => {
    for (const time of ['2026-02-30T10:00:00Z', '31/Apr/2026:10:00:00 +0000']) {
      const told = await mistakesOf({ name: 't.csv', text: `time\n2026-01-01T00:00Z\n${time}` })
      expect(told).toMatch(/t\.csv:3: time/)
    }
    for (const time of ['2026-13-01T10:00:00Z', '-5', 'NaN', '01/Foo/2026:10:00:00 +0000']) {
      const told = await mistakesOf({ name: 't.csv', text: `time\n1\n${time}` })
      expect(told).toMatch(/t\.csv:3: time/)
    }
  })
})

const LOG = `10.0.0.1 - - [01/Mar/2026:10:00:00 +0000] "POST /kickoff HTTP/1.1" 200 52
10.0.0.2 - ann [01/Mar/2026:11:00:02 +0100] "POST /kickoff?topic=bees%20and+ants HTTP/2.0" 200 52 "-" "curl/8"
10.0.0.2 - - [01/Mar/2026:10:00:03 +0000] "GET /status/7 HTTP/1.1" 200 99 "-" "a \\"quoted\\" agent"
10.0.0.3 - - [01/Mar/2026:10:00:03 +0000] "\\x16\\x03\\x01" 400 0 "-" "-"
crew.example:443 ::1 - - [01/Mar/2026:10:00:06 +0000] "POST /kickoff HTTP/1.1" 503 0 "-" "-" 0.004
`

describe('an access log', () => {
  test('common or combined: its kickoffs, whatever else it has', async () => {
    expect(secondsOf(await planOf({ name: 'access.log', text: LOG }))).toEqual([0, 2, 6])
  })

  test('gives inputs from the query, of the requests that `where` names', async () => {
    const arrivals = {
      where: { path: '/kickoff', address: '10.0.0.2' },
      inputs: { topic: 'topic' },
    }
    const plan = await planOf({ name: 'access.log', text: LOG, arrivals })
    expect(inputsOf(plan, 1)).toEqual([{ topic: 'bees and ants' }])
    const told = await mistakesOf({
      name: 'b.log',
      text: LOG,
      arrivals: { inputs: { topic: 'topic' } },
    })
    expect(told).toMatch(/b\.log:1: has no "topic"\n.*b\.log:5: has no "topic"$/)
  })

  test('lists the lines that are none, and says what no line has', async () => {
    expect(await mistakesOf({ name: 'c.log', text: `${LOG}oops\n` })).toMatch(
      /^.*c\.log:6: is no line of an access log/,
    )
    const arrivals = { where: { method: 'PUT' } }
    expect(await mistakesOf({ name: 'd.log', text: LOG, arrivals })).toMatch(
      /d\.log: has no arrival with method PUT in 5 lines/,
    )
  })
})

describe('inputs with the names of columns', () => {
  test('are sent under these names', async () => {
    const text = '{"time":1,"inputs":{"n":3}}\n{"time":2,"inputs":{"n":4},"tags":{}}\n'
    const arrivals = { inputs: { inputs: 'inputs', time: 'time' } }
    const plan = await planOf({ name: 'c.jsonl', text, arrivals, inputs: { a: 'b' } })
    expect(inputsOf(plan, 2)).toEqual([
      { a: 'b', inputs: { n: 3 }, time: 1 },
      { a: 'b', inputs: { n: 4 }, time: 2 },
    ])
    const alone = await planOf({
      name: 'c.jsonl',
      text,
      arrivals: { inputs: { inputs: 'inputs' } },
    })
    expect(inputsOf(alone, 1)).toEqual([{ inputs: { n: 3 } }])
  })

  test('in the query of an access log must say so', async () => {
    const text = LOG.replace('topic=bees', 'path=bees&query=ants')
    const where = { address: '10.0.0.2', method: 'POST' }
    const log = async (column: string): Promise<Plan> =>
      planOf({ name: 'q.log', text, arrivals: { where, inputs: { a: column } } })
    await expect(log('path')).rejects.toThrow(
      /q\.log:2: has "path" in its query too: name that "query\.path"/,
    )
    expect(inputsOf(await log('query.path'), 1)).toEqual([{ a: 'bees' }])
    expect(inputsOf(await log('status'), 1)).toEqual([{ a: '200' }])
  })

  test('in the query of one line alone leave the log’s own columns to be named', async () => {
    const targets = ['/a', '/b?path=/evil&log.path=/worse&log.log.path=/worst']
    const text = targets
      .map((target) => `::1 - - [01/Mar/2026:10:00:00 +0000] "POST ${target} HTTP/1.1" 200 -\n`)
      .join('')
    const log = async (column: string): Promise<Plan> =>
      planOf({
        name: 'stranger.log',
        text,
        arrivals: { where: { method: 'POST' }, inputs: { a: column } },
      })
    await expect(log('path')).rejects.toThrow(/:2: has "path" .*, or the log's own "log\.path"/)
    expect(inputsOf(await log('log.path'), 2)).toEqual([{ a: '/a' }, { a: '/b' }])
    expect(inputsOf(await log('log.status'), 2)).toEqual([{ a: '200' }, { a: '200' }])
  })
})

test('JSON lines: columns may be inside others, and values keep their types', async () => {
  const lines = [
    { ts: 1772359200.25, request: { method: 'POST', body: { n: 3 } } },
    { ts: 1772359201, request: { method: 'GET' } },
    { ts: '2026-03-01T10:00:02Z', request: { method: 'POST', body: { n: [1] } } },
  ]
  const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
  const where = { 'request.method': 'POST' }
  const arrivals = { time: 'ts', where, inputs: { n: 'request.body.n' } }
  const plan = await planOf({ name: 'a.jsonl', text, arrivals })
  expect(secondsOf(plan)).toEqual([0, 1.75])
  expect(inputsOf(plan, 2)).toEqual([{ n: 3 }, { n: [1] }])
  const named = { ...arrivals, format: 'json-lines' }
  expect(secondsOf(await planOf({ name: 'other.txt', text, arrivals: named }))).toHaveLength(2)
  const told = await mistakesOf({
    name: 'b.jsonl',
    text: `${text}{"ts":\n[1]\n{"request":{"method":"POST"}}`,
    arrivals,
  })
  expect(told).toMatch(/:4: is no JSON\n.*:5: expected a JSON object\n.*:6: has no "ts"$/)
})

function at(times: readonly number[]): string {
  return `time,n\n${times.map((t, i) => `${t},${i}`).join('\n')}`
}

describe('what a replay changes', () => {
  const TIMES = [0.5, 1, 3, 600, 601]

  test('speed divides gaps, and maxGap shortens them', async () => {
    const name = 'change.csv'
    const fast = await planOf({ name, text: at(TIMES), arrivals: { speed: 2 } })
    expect(secondsOf(fast)).toEqual([0, 0.25, 1.25, 299.75, 300.25])
    const capped = await planOf({ name, text: at(TIMES), arrivals: { maxGap: '10s', speed: 2 } })
    expect(secondsOf(capped)).toEqual([0, 0.25, 1.25, 6.25, 6.75])
  })

  test('order and gaps hold at any speed, whatever the order of the lines', async () => {
    const times = Array.from({ length: 300 }, (_, i) => (i * 7_919) % 1_201)
    const rising = times.toSorted((a, b) => a - b)
    const inputs = { n: 'n' }
    for (const speed of [0.37, 1, 13]) {
      const changes = { speed, maxGap: '4s' }
      const plan = await planOf({
        name: 'o.csv',
        text: at(times),
        arrivals: { inputs, ...changes },
      })
      const seconds = secondsOf(plan)
      const sent = inputsOf(plan, times.length) as { n: string }[]
      expect(sent.map(({ n }) => times[Number(n)])).toEqual(rising)
      for (const [i, second] of seconds.entries()) {
        if (i === 0) continue
        const gap = Math.min(rising[i]! - rising[i - 1]!, 4) / speed
        expect(Math.abs(second - seconds[i - 1]! - gap)).toBeLessThan(2e-6)
      }
    }
  })

  test('a scale keeps or repeats arrivals with their inputs, the same for a seed', async () => {
    const times = Array.from({ length: 4_000 }, (_, i) => i + 0.5)
    const scaled = async (scale: number, seed = 1): Promise<Plan> =>
      planOf({ name: 's.csv', text: at(times), arrivals: { scale, inputs: { n: 'n' } }, seed })
    const [few, half, more] = [await scaled(0.2), await scaled(0.5), await scaled(2.5)]
    const [fewTimes, halfTimes, moreTimes] = [few, half, more].map(secondsOf)
    // Three standard deviations of the binomial: 76 and 95.
    expect(Math.abs(fewTimes!.length - 800)).toBeLessThan(76)
    expect(Math.abs(moreTimes!.length - 10_000)).toBeLessThan(95)
    expect(halfTimes).toEqual(expect.arrayContaining(fewTimes!))
    expect(secondsOf(await scaled(0.2))).toEqual(fewTimes)
    expect(secondsOf(await scaled(0.2, 2))).not.toEqual(fewTimes)
    // Every repetition comes before the next recorded arrival, with its own inputs.
    const inputs = inputsOf(more, moreTimes!.length) as { n: string }[]
    expect(inputs.map(({ n }) => Number(n))).toEqual(moreTimes!.map((time) => Math.floor(time)))
    expect(new Set(moreTimes).size).toBe(moreTimes!.length)
  })

  test('mistakes of the author have their place', async () => {
    const text = at(TIMES)
    const told = (arrivals: object, inputs: unknown = {}): Promise<string> =>
      mistakesOf({ name: 'm.csv', text, arrivals, inputs })
    expect(await told({ speed: 0, scale: 2_000, maxGap: '0', time: 3 })).toMatch(
      /arrivals\.time.*arrivals\.speed.*arrivals\.scale.*arrivals\.maxGap/s,
    )
    expect(await told({ format: 'journal', where: { n: '1' } })).toMatch(
      /`where` needs a recording/,
    )
    expect(await told({ inputs: { n: 'n' } }, [{ n: 1 }])).toMatch(/inputs.*same for every arrival/)
    expect(await told({ scale: 0.001 })).toMatch(/no arrivals are left at a scale of 0.001/)
    expect(await told({ warmUp: '2h' })).toMatch(/arrivals\.warmUp.*10 min/)
  })
})
