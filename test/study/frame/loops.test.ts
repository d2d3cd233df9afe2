/**
 * The loops to paste, run as they are: in virtual time each polls as its strategy says, and over
 * sockets each follows an execution of a fake crew behind paths of its own.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { transform } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import type { PollingPolicy } from '../../../src/scenario/polling/index.ts'
import { loopsOf } from '../../../src/study/frame/loops.ts'
import { temporaryFolder } from '../../support/cli.ts'
import type { Answers } from '../../support/targets/loopback.ts'
import { startedStub } from '../../support/targets/loopback.ts'

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

const FIXED: PollingPolicy = { kind: 'fixed', everyMicros: 150 * MS, initialDelayMicros: 150 * MS }
const exponential = { kind: 'exponential', initialMicros: 80 * MS, factor: 1.5 } as const
const POLICIES: Record<string, PollingPolicy> = {
  fixed: FIXED,
  'initial delay': { kind: 'fixed', everyMicros: 100 * MS, initialDelayMicros: 400 * MS },
  schedule: { kind: 'schedule', intervalsMicros: [300 * MS, 100 * MS, 200 * MS] },
  progress: { kind: 'progress', minMicros: 60 * MS, maxMicros: 300 * MS, pollsPerTask: 2 },
  ...Object.fromEntries(
    (['none', 'equal', 'full', 'decorrelated'] as const).map((jitter) => [
      `exponential, ${jitter}`,
      { ...exponential, maxMicros: 300 * MS, jitter },
    ]),
  ),
}

type Bounds = readonly [leastMs: number, mostMs: number]

/** The shortest and the longest pause before a poll, by its number. */
function boundsOf(policy: PollingPolicy, poll: number): Bounds {
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

/** The execution has three tasks. The second poll is answered with `second`, where it is given. */
interface Case {
  policy: PollingPolicy
  second?: { status: number; headers: Record<string, string> }
  deadlineSeconds?: number
}
const TASK_MS = 300
const TASKS = 3
const EPOCH_MS = Date.UTC(2026, 0, 1)

interface Polled {
  /** Before each poll. */
  pausesMs: number[]
  /** The last answer, or what was thrown. */
  end: unknown
}

/** Everything that the loop in TypeScript asks of its world. */
async function typescriptPolls({ policy, second, deadlineSeconds = 30 }: Case): Promise<Polled> {
  const pausesMs: number[] = []
  let [nowMs, lastMs] = [0, 0]
  const fetchStatus = async () => {
    pausesMs.push(nowMs - lastMs)
    lastMs = nowMs
    const completed = Math.min(TASKS, Math.floor(nowMs / TASK_MS))
    const { status = 200, headers = {} } = pausesMs.length === 2 ? (second ?? {}) : {}
    const answer = {
      status: completed === TASKS ? 'completed' : 'running',
      progress: { completed_tasks: completed, total_tasks: TASKS },
    }
    return {
      status,
      ok: status === 200,
      headers: new Headers(headers),
      text: async () => '',
      json: async () => answer,
    }
  }
  const { code } = await transform(loopsOf(policy).typescript, {
    loader: 'ts',
    format: 'iife',
    globalName: 'loop',
  })
  const world = {
    fetch: fetchStatus,
    setTimeout: (resolve: () => void, ms: number) => {
      nowMs += ms
      resolve()
    },
    performance: { now: () => nowMs },
    Date: { parse: (text: string) => Date.parse(text), now: () => EPOCH_MS + nowMs },
    AbortSignal: { timeout: () => undefined },
  }
  const call = `loop.waitForEnd('http://crew', 'token', 'id', ${deadlineSeconds})`
  const ended = runInNewContext(`${code}\n${call}`, world) as Promise<unknown>
  const end = await ended.catch((error: Error) => error.message)
  return { pausesMs, end }
}

/** The same for the loop in Python: all cases in one process. */
const PYTHON_WORLD = `
import email.message, io, json, sys, time, urllib.error, urllib.request

def polled(source, second, deadline):
    clock, last, pauses = [0.0], [0.0], []
    def sleep(seconds):
        clock[0] += seconds
    def urlopen(request, timeout):
        pauses.append(1000 * (clock[0] - last[0]))
        last[0] = clock[0]
        completed = min(${TASKS}, int((1000 * clock[0] + 1e-6) // ${TASK_MS}))
        if len(pauses) == 2 and second and second["status"] != 200:
            headers = email.message.Message()
            for name, value in second["headers"].items():
                headers[name] = value
            raise urllib.error.HTTPError("http://crew", second["status"], "", headers, io.BytesIO())
        status = "completed" if completed == ${TASKS} else "running"
        progress = {"completed_tasks": completed, "total_tasks": ${TASKS}}
        return io.BytesIO(json.dumps({"status": status, "progress": progress}).encode())
    loop = {}
    exec(source, loop)
    time.sleep, time.monotonic = sleep, lambda: clock[0]
    time.time = lambda: ${EPOCH_MS} / 1000 + clock[0]
    urllib.request.urlopen = urlopen
    try:
        end = loop["wait_for_end"]("http://crew", "token", "id", deadline)
    except TimeoutError as error:
        end = str(error)
    return {"pausesMs": pauses, "end": end}

print(json.dumps([polled(*case) for case in json.load(sys.stdin)]))
`

function pythonPolls(cases: readonly Case[]): Polled[] {
  const asked = cases.map(({ policy, second = null, deadlineSeconds = 30 }) => [
    loopsOf(policy).python,
    second,
    deadlineSeconds,
  ])
  const { stdout, stderr } = spawnSync(python!, ['-c', PYTHON_WORLD], {
    input: JSON.stringify(asked),
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Polled[]
}

function expectWithin(pauseMs: number, [leastMs, mostMs]: Bounds): void {
  expect(pauseMs).toBeGreaterThan(leastMs - 0.001)
  expect(pauseMs).toBeLessThan(mostMs + 0.001)
}

const DONE = { status: 'completed', progress: { completed_tasks: TASKS } }

/** `third`: the pause before the third poll, if it is another than that of the policy. */
function expectPaced({ policy }: Case, { pausesMs }: Polled, third?: Bounds): void {
  expect(pausesMs.length).toBeGreaterThan(third === undefined ? 1 : 2)
  for (const [poll, pauseMs] of pausesMs.entries()) {
    expectWithin(pauseMs, poll === 2 && third !== undefined ? third : boundsOf(policy, poll))
  }
}

const HOUR_MS = 3_600_000
const dateIn = (ms: number): string => new Date(EPOCH_MS + ms).toUTCString()

/** What a refusal asks for, 300 ms after the kickoff, and the pause that obeys it. */
const REFUSALS: [string, Record<string, string>, pauseMs: number][] = [
  ['seconds', { 'retry-after': '1' }, 1_000],
  ['a fraction', { 'retry-after': '0.7' }, 700],
  [
    'a date, by the clock of the answer',
    { 'retry-after': dateIn(HOUR_MS + 1_000), date: dateIn(HOUR_MS) },
    1_000,
  ],
  ['a date alone', { 'retry-after': dateIn(2_000) }, 1_700],
  ['less than the interval', { 'retry-after': '0' }, 150],
  ['a date that is over', { 'retry-after': dateIn(-HOUR_MS) }, 150],
  ['words', { 'retry-after': 'later' }, 150],
]

const CASES: [name: string, asked: Case, third?: Bounds][] = [
  ...Object.entries(POLICIES).map(([name, policy]): [string, Case] => [name, { policy }]),
  ...REFUSALS.map(([what, headers, pauseMs]): [string, Case, Bounds] => [
    `a refusal that asks for ${what}`,
    { policy: FIXED, second: { status: 429, headers } },
    [pauseMs, pauseMs],
  ]),
  [
    'an answer with 200 that asks for a wait refuses nothing: the interval counts',
    { policy: FIXED, second: { status: 200, headers: { 'retry-after': '2' } } },
  ],
]

describe('in virtual time', () => {
  test.each(CASES)('TypeScript: %s', async (_, asked, third) => {
    const found = await typescriptPolls(asked)
    expect(found.end).toMatchObject(DONE)
    expectPaced(asked, found, third)
  })

  test.skipIf(python === null)('Python: each of these', () => {
    const found = pythonPolls(CASES.map(([, asked]) => asked))
    expect(found).toMatchObject(CASES.map(() => ({ end: DONE })))
    for (const [i, [, asked, third]] of CASES.entries()) expectPaced(asked, found[i]!, third)
  })

  test('a loop gives up at its deadline', async () => {
    const asked = { policy: FIXED, deadlineSeconds: 0.5 }
    const given = { pausesMs: [150, 150, 150], end: 'not done within the deadline' }
    const all = [await typescriptPolls(asked), ...(python === null ? [] : pythonPolls([asked]))]
    for (const { pausesMs, end } of all) {
      expect([pausesMs.map(Math.round), end]).toEqual([given.pausesMs, given.end])
    }
  })
})

/** Kicks off by itself. */
const CALL_IN_TYPESCRIPT = `
const [base, token] = process.argv.slice(2)
const kickoff = await fetch(base + '/kickoff', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
  body: JSON.stringify({ inputs: { topic: 'loops', audience: 'children' } }),
})
const { kickoff_id: id } = await kickoff.json()
const end = await waitForEnd(base, token, id).catch((error) => error.message)
console.log(JSON.stringify(end))
`

const CALL_IN_PYTHON = `
if __name__ == "__main__":
    import sys

    base, token = sys.argv[1:3]
    kickoff = urllib.request.Request(
        base + "/kickoff",
        data=json.dumps({"inputs": {"topic": "loops", "audience": "children"}}).encode(),
        headers={"Authorization": "Bearer " + token, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(kickoff) as response:
        execution = json.load(response)["kickoff_id"]
    try:
        print(json.dumps(wait_for_end(base, token, execution)))
    except TimeoutError as error:
        print(json.dumps(str(error)))
`

/** Of a loop as it is, or with other text in place of some of it. */
type Edit = (loop: string) => string

/** What the program printed as JSON. */
async function ended(
  language: 'typescript' | 'python',
  [url, token]: readonly [url: string, token: string],
  edit: Edit = (loop) => loop,
): Promise<unknown> {
  await using folder = await temporaryFolder()
  const loop = edit(loopsOf(FIXED, STATUS_PATH)[language])
  const isPython = language === 'python'
  const file = join(folder.path, isPython ? 'loop.py' : 'loop.mjs')
  const code = isPython
    ? loop + CALL_IN_PYTHON
    : (await transform(loop, { loader: 'ts' })).code + CALL_IN_TYPESCRIPT
  await writeFile(file, code)
  const child = spawn(isPython ? python! : process.execPath, [file, url, token])
  let [said, complaint] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  await once(child, 'close')
  expect(complaint).toBe('')
  return JSON.parse(said)
}

/** A poll at any other path than the one that the loop was made for finds nothing. */
function crewPath({ method, url = '' }: IncomingMessage): string {
  if (method === 'POST') return url
  const id = url.split('/').at(-2) ?? ''
  return decodeURI(url) === STATUS_PATH.replace('{id}', id) ? `/status/${id}` : '/nowhere'
}

/** More than is read before anybody asks for it. */
const LONG_REFUSAL = 'x'.repeat(1_000_000)

/** Stands in front of the crew, and refuses the second poll. `connections`: those of polls. */
function inFrontOf(crew: string, connections: Set<Socket>): Answers {
  let polls = 0
  return (request, response) => {
    void (async () => {
      const { method = 'GET' } = request
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk as Uint8Array)
      if (method === 'GET') connections.add(request.socket)
      if (method === 'GET' && ++polls === 2) {
        response.writeHead(429, { 'retry-after': '0' }).end(LONG_REFUSAL)
        return
      }
      const { authorization = '' } = request.headers
      const headers = { authorization, 'content-type': 'application/json' }
      const sent = method === 'POST' ? { body: Buffer.concat(chunks) } : {}
      const answer = await fetch(`${crew}${crewPath(request)}`, { method, headers, ...sent })
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(await answer.text())
    })()
  }
}

/** As a loop has it, in place of half a minute. */
function sooner(loop: string, from: string, to: string): string {
  expect(loop.split(from)).toHaveLength(2)
  return loop.replace(from, to)
}

describe.each(['typescript', 'python'] as const)('over sockets, %s', (language) => {
  const isAbsent = language === 'python' && python === null

  test.skipIf(isAbsent)('follows an execution to its end, past a refusal', async () => {
    await using crew = await startFakeCrew({ profile: 'fast' })
    const connections = new Set<Socket>()
    await using front = await startedStub(inFrontOf(crew.url, connections))
    expect(await ended(language, [front.url, crew.token])).toMatchObject({ status: 'completed' })
    // Python opens one for each request.
    const most = { typescript: 1, python: Infinity }[language]
    expect(connections.size).toBeLessThanOrEqual(most)
  })

  test.skipIf(isAbsent)('gives up a poll that is never answered', async () => {
    await using crew = await startedStub((request, response) => {
      if (request.method === 'POST') response.end('{"kickoff_id":"silent"}')
    })
    const said = await ended(language, [crew.url, 'token'], (loop) =>
      language === 'typescript'
        ? sooner(loop, 'AbortSignal.timeout(30_000)', 'AbortSignal.timeout(300)')
        : sooner(loop, 'timeout=30', 'timeout=0.3'),
    )
    expect(said).toMatch(/aborted due to timeout|timed out/)
  })
})

test('both take any path as it is', () => {
  const { python: py, typescript } = loopsOf(FIXED, '/{b}/`${c}/"\\/{id}/status')
  expect(py).toContain('f"{base}/{{b}}/`${{c}}/\\"\\\\/{execution}/status"')
  expect(typescript).toContain('`${base}/{b}/\\`\\${c}/"\\\\/${id}/status`')
})
