/** Tokens are secrets: they must be in nothing that is written, printed or shown of the process. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { areExperimentsRun } from '../../experiments.ts'
import {
  cli,
  everythingBelow,
  finished,
  folderIn,
  startCli,
  temporaryFolder,
} from '../../support/cli.ts'
import { startedStub } from '../../support/targets/loopback.ts'

const TOKEN = 'sesame-4711-open'
const ENV = { CREWLOAD_TOKEN: TOKEN }

const HEADER_SECRET = 'swordfish-header'

/** A target that gives away what it was told, in answers, errors and outputs. */
async function blabbingTarget(polls = Infinity): ReturnType<typeof startedStub> {
  let left = polls
  return startedStub((request, response) => {
    const said = `${request.headers.authorization} ${String(request.headers['x-api-key'])}`
    response.setHeader('content-type', 'application/json')
    response.setHeader('x-echo', said)
    if (request.url === '/inputs') return response.end(JSON.stringify({ inputs: [] }))
    if (request.method === 'POST') {
      return response.end(JSON.stringify({ kickoff_id: '00000000-0000-4000-8000-000000000001' }))
    }
    const token = said.replace('Bearer ', '')
    if (left-- <= 0) {
      response.statusCode = 429
      response.setHeader('ratelimit-policy', `"${token}"`)
      return response.end(`${token} asks too often`)
    }
    return response.end(
      JSON.stringify({ status: 'error', error: `bad token ${token}`, execution_time: token }),
    )
  })
}

describe.concurrent('a token', () => {
  test('is in no artefact, on no stream and on no command line, wherever it came from', async () => {
    await using folder = await temporaryFolder()
    const tokens = { token: TOKEN, userToken: `${TOKEN}-user` }
    await using fake = await startFakeCrew({ profile: 'fast', ...tokens })
    await writeFile(join(folder.path, 'tokens'), `${TOKEN}\n`)
    const args = ['run', 'smoke', '--target', fake.url, '--out', join(folder.path, 'out')]
    args.push('--header', `x-api-key: ${HEADER_SECRET}`)
    const child = startCli([...args, '--token-file', join(folder.path, 'tokens')])
    const result = finished(child)
    const shown = await readFile(`/proc/${child.pid}/cmdline`, 'utf8').catch(() => '')
    const { stdout, stderr } = await result
    const written = await everythingBelow(join(folder.path, 'out'))
    expect(written.length).toBeGreaterThan(10_000)
    for (const text of [written, stdout, stderr, shown]) expect(text).not.toContain(TOKEN)
    for (const text of [written, stdout, stderr]) expect(text).not.toContain(HEADER_SECRET)
  })

  test('that is a common word changes nothing that is measured', async () => {
    await using folder = await temporaryFolder()
    await using fake = await startFakeCrew({ profile: 'fast', token: 'honey' })
    const args = ['run', 'smoke', '--target', fake.url, '--out', folder.path]
    const { stdout } = await cli(args, { env: { CREWLOAD_TOKEN: 'honey' } })
    expect(stdout).toContain('agrees on 5 of 5 rows')
  })

  test('of a fake crew started for a run is on no command line either', async () => {
    await using folder = await temporaryFolder()
    const args = ['run', 'smoke', '--profile', 'fast', '--out', folder.path, '--json']
    const { stdout, stderr } = await cli(args)
    const text = `${stdout}${stderr}${await everythingBelow(folder.path)}`
    expect(text).not.toMatch(/Bearer [0-9a-f]{12}/)
  })

  const SHORT = ['--connections', '1', '--duration', '1s', '--max-kickoffs', '1']
  const FEW = ['--max-requests', '60', '--yes']
  test.each([
    ['run', ['run', 'smoke', '--max-kickoffs', '99'], Infinity, [1, 3]],
    ['check', ['check', '--yes'], Infinity, [1]],
    ['saturate', ['saturate', 'status', ...SHORT, ...FEW], 0, [0, 3, 4]],
    ['limits', ['limits', '--max-kickoffs', '1', '--max-duration', '3s', ...FEW], 30, [0, 4]],
  ])('is blanked by %s where the target itself gives it away', async (_, command, polls, codes) => {
    await using folder = await temporaryFolder()
    await using target = await blabbingTarget(polls)
    const header = ['--header', `x-api-key: ${HEADER_SECRET}`]
    const words = [...command, '--target', target.url, ...header]
    const told = await cli(words, { cwd: folder.path, env: ENV })
    const { code, stdout, stderr } = told
    expect([codes, stderr]).toEqual([expect.arrayContaining([code]), expect.any(String)])
    const written = await everythingBelow(folder.path)
    for (const text of [written, stdout, stderr]) {
      expect(text).not.toContain(TOKEN)
      expect(text).not.toContain(HEADER_SECRET)
    }
  })
})

/** Where something secret may be written, with a text of its own in each place. */
const SCENARIO = {
  name: 'owned',
  arrivals: { rate: '4/s', for: '2s' },
  headers: { 'x-file': 'planted-header' },
  inputs: { topic: 'planted-input', audience: 'b' },
  kickoff: { crewWebhookUrl: 'http://127.0.0.1:9/planted-member' },
  human: { answer: { approve: true, feedback: 'planted-answer' } },
  polling: { fixed: '100ms' },
  validity: { lateness: '20s', utilisation: 1 },
}
const CHANGES = [
  'headers.x-set=planted-set-header',
  'inputs.note=planted-set-input',
  'kickoff.meta={"key":"planted-set-member"}',
  'human.answer=[{"approve":true,"feedback":"planted-set-answer"}]',
]
const changed = (part = ''): string[] => CHANGES.flatMap((change) => ['--set', `${part}${change}`])
const HEADER = ['--header', 'x-flag: planted-flag']
const FLAGS = [...HEADER, ...changed()]
const BODY = ['--inputs', '{"topic":"planted-inputs","audience":"b"}']
const WAYS = [...HEADER, ...BODY, '--members', '{"meta":{"key":"planted-members"}}']
const FAST = ['--profile', 'fast']
const VIRTUAL = [...FAST, '--engine', 'virtual']
const ONE = ['--connections', '1', '--duration', '1s', '--repeats', '1']
const TRIGGER = ['--for', '2s', '--before', '5s', '--observe', '5s', '--no-bisect', '--no-control']

/** A line that holds a planted text; pages carry some of theirs compressed. */
function plantedIn(text: string): string[] {
  const packed = text.match(/(?<![\w+/])eJ[\w+/]{40,}={0,2}/g) ?? []
  const unpacked = packed.map((part) => inflateSync(Buffer.from(part, 'base64')).toString())
  return [text, ...unpacked].flatMap((each) => each.match(/.{0,80}planted-[\w-]+/g) ?? [])
}

describe('what may be secret in a scenario, on a command line and from a program', () => {
  let place: Awaited<ReturnType<typeof temporaryFolder>>
  beforeAll(async () => {
    place = await temporaryFolder()
    await writeFile(join(place.path, 'owned.json'), JSON.stringify(SCENARIO))
    const parts = { first: './owned.json', headers: './owned.json' }
    await writeFile(join(place.path, 'mix.json'), JSON.stringify({ name: 'pair', parts }))
    await cli(['run', './owned.json', ...VIRTUAL, ...FLAGS, '--out', 'one'], { cwd: place.path })
    const other = [...FLAGS, '--seed', '7', '--out', 'other']
    await cli(['run', './owned.json', ...VIRTUAL, ...other], { cwd: place.path })
  })
  afterAll(async () => place[Symbol.asyncDispose]())

  const COMMANDS: [name: string, args: string[]][] = [
    ['a run', ['run', './owned.json', ...FAST, ...FLAGS]],
    ['a run in virtual time, as JSON', ['run', './owned.json', ...VIRTUAL, ...FLAGS, '--json']],
    ['its plan', ['run', './owned.json', ...VIRTUAL, ...FLAGS, '--dry-run', '--json']],
    [
      'a run without a file',
      ['run', '--rate', '4/s', '--for', '2s', ...BODY, ...VIRTUAL, '--json'],
    ],
    ['a mix', ['run', './mix.json', ...VIRTUAL, ...changed('first.'), ...changed('headers.')]],
    ['limits', ['limits', '--profile', 'rate-limited', '--sustain', '0s', ...WAYS]],
    ['saturate', ['saturate', 'status', ...FAST, ...ONE, ...WAYS]],
    ['gate', ['gate', './owned.json', ...VIRTUAL, '--runs', '3', '--baseline', 'base', ...FLAGS]],
    ['compare', ['compare', 'one', 'other']],
    ['check', ['check', ...FAST, ...WAYS]],
    ['a report that is made again', ['report', 'one']],
  ]
  /** Calculate for seconds, and are tried with the experiments. */
  const LONG: typeof COMMANDS = [
    ['capacity', ['capacity', './owned.json', ...FAST, '--slo', 'execution.p95 < 9s', ...FLAGS]],
    ['recovery', ['recovery', './owned.json', ...FAST, '--seeds', '2', ...TRIGGER, ...FLAGS]],
    ['polling', ['polling', '--scenario', './owned.json', ...FAST, '--executions', '60', ...FLAGS]],
    ['twin', ['twin', 'one', '--write-profile', 'twin.yaml', '--replays', '2', '--out', 'reports']],
  ]
  const tried = [...COMMANDS, ...(areExperimentsRun ? LONG : [])]

  test.each(tried)('is shown and kept nowhere by %s', async (_, args) => {
    const runs = ['one', 'other'].map(async (name) => [
      name,
      await folderIn(join(place.path, name)),
    ])
    const named = Object.fromEntries(await Promise.all(runs)) as Record<string, string>
    const options = { cwd: place.path, env: ENV }
    const { code, stdout, stderr } = await cli(
      args.map((arg) => named[arg] ?? arg),
      options,
    )
    // A ladder is INVALID on a machine whose CPU time others take.
    const codes = args[0] === 'saturate' ? [0, 1, 3, 4] : [0, 1, 4]
    expect([code, stderr]).toEqual([expect.toBeOneOf(codes), expect.any(String)])
    expect(plantedIn(stdout + stderr)).toEqual([])
  })

  test('nor by the files of all of them, but for the ledger of the fake crew', async () => {
    const entries = await readdir(place.path, { recursive: true, withFileTypes: true })
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name))
    const written = files.filter((file) => !/(?:owned\.json|ledger\.ndjson)$/.test(file))
    expect(written.length).toBeGreaterThan(80)
    const planted: [string, string[]][] = []
    for (const file of written) planted.push([file, plantedIn(await readFile(file, 'utf8'))])
    expect(planted.filter(([, found]) => found.length > 0)).toEqual([])
  })
})

describe('a secret in what was written wrongly', () => {
  const run = ['run', 'smoke', '--profile', 'fast']
  test.each<[string, string[]]>([
    ['a header without a colon', [...run, '--header', 'x-api-key SECRET']],
    ['a header on two lines', [...run, '--header', 'x-api-key: SECRET\r\nx: y']],
    ['a change without its sign', [...run, '--set', 'headers.x-key:SECRET']],
    ['a change of the kickoff', [...run, '--set', 'kickoff=SECRET']],
    ['a change of the inputs', [...run, '--set', 'inputs=SECRET']],
    ['an answer', [...run, '--set', 'human.answer=SECRET']],
    ['inputs', ['run', '--rate', '1/s', '--for', '1s', '--inputs', 'SECRET', ...run.slice(2)]],
    ['members', ['limits', '--members', 'SECRET', ...run.slice(2)]],
    ['an output of k6', [...run, '--engine', 'node', '--k6-out', 'influxdb=http://SECRET@db']],
    ['a collector of a study', ['limits', ...run.slice(2), '--otlp', 'http://SECRET@db']],
    ['a change of a run that is not made', ['polling', '.', '--set', 'headers.x-key=SECRET']],
    ['a header of one', ['polling', '.', '--header', 'x-key: SECRET']],
    ['a token as a header', [...run, '--header=Authorization: Bearer SECRET']],
    ['a target with one slash too few', ['run', 'smoke', '--target', 'http:user:SECRET@127.0.0.1']],
    ['a target with two at signs', ['run', 'smoke', '--target', 'http://u:A@SECRET@127.0.0.1']],
    ['a password with a slash', ['run', 'smoke', '--target', 'http://u:a/SECRET@127.0.0.1']],
    ['a password', ['run', 'smoke', '--target', 'http://user:SECRET@127.0.0.1:1']],
    ['a target with a query', ['run', 'smoke', '--target', 'http://127.0.0.1/?token=SECRET']],
    [
      'a proxy',
      [...run.slice(0, 2), '--target', 'http://crew.invalid', '--max-kickoffs', '1', '--yes'],
    ],
  ])('%s is not repeated', async (_, args) => {
    const env = { ...ENV, HTTP_PROXY: 'http://u:50%SECRET@127.0.0.1:1' }
    const { code, stdout, stderr } = await cli(args, { env })
    expect(stderr).toMatch(/^crewload: /m)
    expect(stdout + stderr).not.toContain('SECRET')
    expect(code).toBe(2)
  })
})
