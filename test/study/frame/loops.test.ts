/**
 * The loops to paste, run as they are against a fake crew behind paths of its own: each polls as
 * its strategy says.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FakeCrew } from '../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import type { PollingPolicy } from '../../../src/scenario/polling/index.ts'
import { loopsOf } from '../../../src/study/frame/loops.ts'
import { temporaryFolder } from '../../support/cli.ts'

const MS = 1_000
/** Of a status, in front of the crew. */
const STATUS_PATH = "/v1/$it's/{id}/status"

const python = pythonHere()

/** Null where there is none, which is told; with `CREWLOAD_CI=1` it must be there. */
function pythonHere(): string | null {
  if (spawnSync('python3', ['--version']).status === 0) return 'python3'
  if (process.env['CREWLOAD_CI'] === '1') throw new Error('CREWLOAD_CI=1 needs python3')
  process.stderr.write('skipped: the loops in Python, for there is no python3\n')
  return null
}

const POLICIES: Record<string, PollingPolicy> = {
  fixed: { kind: 'fixed', everyMicros: 150 * MS, initialDelayMicros: 150 * MS },
  'initial delay': { kind: 'fixed', everyMicros: 100 * MS, initialDelayMicros: 400 * MS },
  schedule: { kind: 'schedule', intervalsMicros: [300 * MS, 100 * MS, 200 * MS] },
  progress: { kind: 'progress', minMicros: 60 * MS, maxMicros: 300 * MS, pollsPerTask: 2 },
  ...Object.fromEntries(
    (['none', 'equal', 'full', 'decorrelated'] as const).map((jitter) => [
      `exponential, ${jitter}`,
      {
        kind: 'exponential',
        initialMicros: 80 * MS,
        factor: 1.5,
        maxMicros: 300 * MS,
        jitter,
      } satisfies PollingPolicy,
    ]),
  ),
}

/** The shortest and the longest pause before a poll, in milliseconds; by number of the poll. */
function boundsOf(policy: PollingPolicy, poll: number): [number, number] {
  switch (policy.kind) {
    case 'fixed': {
      const pause = (poll === 0 ? policy.initialDelayMicros : policy.everyMicros) / MS
      return [pause, pause]
    }
    case 'schedule': {
      const { intervalsMicros: all } = policy
      const pause = all[Math.min(poll, all.length - 1)]! / MS
      return [pause, pause]
    }
    case 'progress':
      return [policy.minMicros / MS, policy.maxMicros / MS]
    case 'exponential': {
      const { initialMicros, factor, maxMicros, jitter } = policy
      const base = Math.min(maxMicros, initialMicros * factor ** poll) / MS
      if (jitter === 'decorrelated') return [initialMicros / MS, maxMicros / MS]
      return [jitter === 'none' ? base : jitter === 'equal' ? base / 2 : 0, base]
    }
    default:
      throw new Error('the pauses of that strategy are not known here')
  }
}

let crew: FakeCrew
beforeAll(async () => {
  crew = await startFakeCrew({ profile: 'fast' })
})
afterAll(async () => crew.stop())

/** Kicks off by itself, so that how long a program takes to start is no part of the execution. */
const CALL_IN_TYPESCRIPT = `
const [base, token, deadline] = process.argv.slice(2)
const kickoff = await fetch(base + '/kickoff', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
  body: JSON.stringify({ inputs: { topic: 'loops', audience: 'children' } }),
})
const { kickoff_id: id } = await kickoff.json()
const end = await waitForEnd(base, token, id, Number(deadline)).catch((error) => error.message)
console.log(JSON.stringify(end))
`

const CALL_IN_PYTHON = `
if __name__ == "__main__":
    import sys

    base, token, deadline = sys.argv[1:4]
    kickoff = urllib.request.Request(
        base + "/kickoff",
        data=json.dumps({"inputs": {"topic": "loops", "audience": "children"}}).encode(),
        headers={"Authorization": "Bearer " + token, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(kickoff) as response:
        execution = json.load(response)["kickoff_id"]
    print(json.dumps(wait_for_end(base, token, execution, float(deadline))))
`

interface Watched extends AsyncDisposable {
  url: string
  /** When each poll came and was answered, in milliseconds. */
  polls: { cameMs: number; answeredMs: number }[]
  /** Connections on which polls came. */
  connections: Set<Socket>
}

/**
 * Stands in front of the crew and looks at the clock. `asking` makes the headers with which the
 * second poll is refused, or answered where `status` is 200; default: as the crew answers.
 */
async function watchedCrew(
  asking?: () => Record<string, string>,
  status: 200 | 429 = 429,
  refusal = '{"error":"Too Many Requests"}',
): Promise<Watched> {
  const polls: Watched['polls'] = []
  const connections: Watched['connections'] = new Set()
  const server = createServer((request, response) => {
    const cameMs = performance.now()
    void (async () => {
      const { method = 'GET' } = request
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk as Uint8Array)
      const headers = {
        authorization: request.headers.authorization ?? '',
        'content-type': 'application/json',
      }
      const sent = method === 'POST' ? { body: Buffer.concat(chunks) } : {}
      const path = crewPath(method, request.url ?? '')
      const answer = await fetch(`${crew.url}${path}`, { method, headers, ...sent })
      const body = await answer.text()
      if (method === 'GET') polls.push({ cameMs, answeredMs: performance.now() })
      if (method === 'GET') connections.add(request.socket)
      if (method === 'GET' && polls.length === 2 && asking !== undefined) {
        response.sendDate = false
        const told = status === 200 ? body : refusal
        response.writeHead(status, asking()).end(told)
        return
      }
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
    })()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    polls,
    connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Program {
  command: string
  args: readonly string[]
}

/** A poll at any other path than the one that the loop was made for finds nothing. */
function crewPath(method: string, url: string): string {
  if (method === 'POST') return url
  const id = url.split('/').at(-2) ?? ''
  return decodeURI(url) === STATUS_PATH.replace('{id}', id) ? `/status/${id}` : '/nowhere'
}

/** What it printed as JSON. Its own clock starts when it does, which takes it a while. */
async function ran({ command, args }: Program): Promise<unknown> {
  const child = spawn(command, [...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [said, complaint] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  await once(child, 'close')
  expect(complaint).toBe('')
  return JSON.parse(said)
}

/** A timer may be a little early by another clock, and a busy machine late. */
const EARLY_MS = 3
const LATE_MS = 1_000

function expectPaced(policy: PollingPolicy, { polls }: Watched): void {
  expect(polls.length).toBeGreaterThanOrEqual(2)
  polls.slice(1).forEach(({ cameMs }, i) => {
    const [least, most] = boundsOf(policy, i + 1)
    const pause = cameMs - polls[i]!.answeredMs
    expect(pause).toBeGreaterThanOrEqual(least - EARLY_MS)
    expect(pause).toBeLessThanOrEqual(most + LATE_MS)
  })
}

/** Of a loop as it is, or with other text in place of some of it. */
type Edit = (loop: string) => string

async function pythonEnd(
  policy: PollingPolicy,
  url: string,
  edit: Edit = (loop) => loop,
): Promise<unknown> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'loop.py')
  await writeFile(file, edit(loopsOf(policy, STATUS_PATH).python) + CALL_IN_PYTHON)
  return await ran({ command: python!, args: [file, url, crew.token, '30'] })
}

async function typescriptEnd(
  policy: PollingPolicy,
  url: string,
  deadline = 30,
  edit: Edit = (loop) => loop,
): Promise<unknown> {
  await using folder = await temporaryFolder()
  const { code } = await transform(edit(loopsOf(policy, STATUS_PATH).typescript), { loader: 'ts' })
  const file = join(folder.path, 'loop.mjs')
  await writeFile(file, code + CALL_IN_TYPESCRIPT)
  const args = [file, url, crew.token, String(deadline)]
  return await ran({ command: process.execPath, args })
}

describe.concurrent.each(Object.entries(POLICIES))('%s', (_, policy) => {
  test('TypeScript', async () => {
    await using watched = await watchedCrew()
    expect(await typescriptEnd(policy, watched.url)).toMatchObject({ status: 'completed' })
    expectPaced(policy, watched)
  })

  test.skipIf(python === null)('Python', async () => {
    await using watched = await watchedCrew()
    expect(await pythonEnd(policy, watched.url)).toMatchObject({ status: 'completed' })
    expectPaced(policy, watched)
  })
})

const HOUR_MS = 3_600_000

/** An HTTP date, which has no fractions of a second. */
function dateIn(ms: number): string {
  return new Date(Date.now() + ms).toUTCString()
}

/** What a refusal asks for, and the shortest and the longest pause that obey it. */
const REFUSALS: [string, () => Record<string, string>, [least: number, most: number]][] = [
  ['seconds', () => ({ 'retry-after': '1' }), [1_000, 1_000]],
  ['a fraction', () => ({ 'retry-after': '0.7' }), [700, 700]],
  [
    'a date, by the clock of the answer',
    () => ({ 'retry-after': dateIn(HOUR_MS + 1_000), date: dateIn(HOUR_MS) }),
    [1_000, 1_000],
  ],
  ['a date alone', () => ({ 'retry-after': dateIn(1_600) }), [600, 1_600]],
  ['less than the interval', () => ({ 'retry-after': '0' }), [150, 150]],
  ['a date that is over', () => ({ 'retry-after': dateIn(-HOUR_MS) }), [150, 150]],
  ['words', () => ({ 'retry-after': 'later' }), [150, 150]],
]

function expectObeyed({ polls }: Watched, [least, most]: [number, number]): void {
  const pause = polls[2]!.cameMs - polls[1]!.answeredMs
  expect(pause).toBeGreaterThanOrEqual(least - EARLY_MS)
  expect(pause).toBeLessThanOrEqual(most + LATE_MS)
}

describe.concurrent.each(REFUSALS)('a refusal that asks for %s', (_, refusal, bounds) => {
  test('TypeScript', async () => {
    await using watched = await watchedCrew(refusal)
    const end = await typescriptEnd(POLICIES['fixed']!, watched.url)
    expect(end).toMatchObject({ status: 'completed' })
    expectObeyed(watched, bounds)
  })

  test.skipIf(python === null)('Python', async () => {
    await using watched = await watchedCrew(refusal)
    expect(await pythonEnd(POLICIES['fixed']!, watched.url)).toMatchObject({ status: 'completed' })
    expectObeyed(watched, bounds)
  })
})

const PACING = (): Record<string, string> => ({ 'retry-after': '2' })

describe.concurrent('an answer with 200 that asks for a wait refuses nothing: the interval counts', () => {
  test('TypeScript', async () => {
    await using watched = await watchedCrew(PACING, 200)
    const end = await typescriptEnd(POLICIES['fixed']!, watched.url)
    expect(end).toMatchObject({ status: 'completed' })
    expectPaced(POLICIES['fixed']!, watched)
  })

  test.skipIf(python === null)('Python', async () => {
    await using watched = await watchedCrew(PACING, 200)
    expect(await pythonEnd(POLICIES['fixed']!, watched.url)).toMatchObject({ status: 'completed' })
    expectPaced(POLICIES['fixed']!, watched)
  })
})

test('a loop gives up at its deadline', async () => {
  await using watched = await watchedCrew()
  const said = await typescriptEnd(POLICIES['fixed']!, watched.url, 0.2)
  expect(said).toBe('not done within the deadline')
})

test('after a refusal, the loop in TypeScript polls on the same connection', async () => {
  // More than is read before anybody asks for it.
  const page = 'x'.repeat(1_000_000)
  await using watched = await watchedCrew(() => ({ 'retry-after': '0' }), 429, page)
  const end = await typescriptEnd(POLICIES['fixed']!, watched.url)
  expect(end).toMatchObject({ status: 'completed' })
  expect(watched.polls.length).toBeGreaterThan(3)
  expect(watched.connections.size).toBe(1)
})

/** Answers the kickoff, and no poll. */
async function silentCrew(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((request, response) => {
    if (request.method === 'POST') response.end('{"kickoff_id":"silent"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** As a loop has it, in place of half a minute. */
function sooner(loop: string, from: string, to: string): string {
  expect(loop.split(from)).toHaveLength(2)
  return loop.replace(from, to)
}

describe.concurrent('a poll that is never answered is given up', () => {
  test('TypeScript', async () => {
    await using silent = await silentCrew()
    const said = await typescriptEnd(POLICIES['fixed']!, silent.url, 30, (loop) =>
      sooner(loop, 'AbortSignal.timeout(30_000)', 'AbortSignal.timeout(300)'),
    )
    expect(said).toMatch(/aborted due to timeout/)
  })

  test.skipIf(python === null)('Python', async () => {
    await using silent = await silentCrew()
    const said = await pythonEnd(POLICIES['fixed']!, silent.url, (loop) =>
      sooner(
        sooner(loop, 'timeout=30', 'timeout=0.3'),
        'def wait_for_end(',
        'def wait_for_end(*args):\n    try:\n        return waited(*args)\n' +
          '    except TimeoutError as error:\n        return str(error)\n\n\ndef waited(',
      ),
    )
    expect(said).toMatch(/timed out/)
  })
})

test('both take any path as it is', () => {
  const { python: py, typescript } = loopsOf(POLICIES['fixed']!, '/{b}/`${c}/"\\/{id}/status')
  expect(py).toContain('f"{base}/{{b}}/`${{c}}/\\"\\\\/{execution}/status"')
  expect(typescript).toContain('`${base}/{b}/\\`\\${c}/"\\\\/${id}/status`')
})
