/**
 * The clumsy user: each mistake gets one clear message on stderr, nothing on stdout, and exit code
 * 2; an address at which there is no crew is told at once, with nothing paid. And a target whose every
 * text tries to act, on the terminal, on the reader, and on the CI runner that keeps the log.
 */
import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import type { Finished } from '../../support/cli.ts'
import { cli, cliAlone, documentOf, folderIn, temporaryFolder } from '../../support/cli.ts'
import type { Answers } from '../../support/targets/loopback.ts'
import { startedStub } from '../../support/targets/loopback.ts'

const place = await temporaryFolder()
const folder = place.path
afterAll(async () => place[Symbol.asyncDispose]())

beforeAll(async () => {
  await writeFile(
    join(folder, 'wrong.ts'),
    `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'wrong one!',
  arrivals: { rate: 'fast', for: '5m' },
  inputs: {},
  poling: { fixed: '2s' },
  thresholds: { 'kickof.response.p95': '< 1s', 'execution.p95': 'quick' },
})
`,
  )
  await writeFile(join(folder, 'syntax.ts'), 'export default defineScenario({\n  name: ,\n})\n')
  await writeFile(join(folder, 'throws.ts'), "throw new Error('no inputs file')\n")
  await writeFile(
    join(folder, 'wrong.yaml'),
    `name: wrong
inputs: [topic]
speeed: 3
tasks:
  - id: research
    agent: researcher
    duration: { lognormal: { median: 60s, p95: 20s } }
    failure: { chance: 150% }
capacity:
  workers: many
`,
  )
  await writeFile(join(folder, 'slipped.yaml'), 'tasks:\n  - id: research\n   agent: researcher\n')
  await writeFile(join(folder, 'file'), '')
  await writeFile(join(folder, 'empty-tokens'), '\n')
})

/** The same text on every machine: folder and port have names. */
function neutral(text: string): string {
  return text.replaceAll(folder, '<folder>').replaceAll(/(:|port )\d{4,5}\b/g, '$1<port>')
}

const DRY = ['run', 'smoke', '--profile', 'fast', '--dry-run']
const VIRTUAL = ['run', 'smoke', '--engine', 'virtual']

const WEBHOOKS = [
  { listen: 'here', publicUrl: 'ftp://a', send: [] },
  { listen: '127.0.0.1:99999', publicUrl: 'http://me:pw@a', send: ['mail'] },
]
const COLLECTORS = ['127.0.0.1:4318', 'ftp://127.0.0.1', 'nonsense', '']
const ADDRESSES = ['nonsense', 'localhost:x', '127.0.0.1:70000', ':9464', 'http://a:1', '::1:80']

type Case = [title: string, args: string[], env?: Record<string, string>]

/** A dry run with each of them. */
function rows<Given>(what: string, given: Given[], flags: (each: Given) => string[]): Case[] {
  return given.map((each) => [`${what}: ${JSON.stringify(each)}`, [...DRY, ...flags(each)]])
}

const CASES: Case[] = [
  ['an unknown command', ['rum']],
  ['neither a scenario nor a target', ['run', 'stedy']],
  ['an unknown scenario and profile', ['run', 'stedy', '--profile', 'fst']],
  ['an unknown flag', ['run', 'smoke', '--profle', 'fast']],
  ['a flag without its value', ['run', 'smoke', '--profile']],
  ['a number that is none', ['run', 'smoke', '--profile', 'fast', '--speed', 'high']],
  ['a token on the command line', ['run', 'smoke', '--header', 'Authorization: Bearer x']],
  ['no place to go', ['run', 'smoke']],
  ['two places to go', ['run', 'smoke', '--profile', 'fast', '--target', 'http://127.0.0.1:1']],
  ['a target that is no URL', ['run', 'smoke', '--target', 'my-crew'], { CREWLOAD_TOKEN: 't' }],
  ['no token', ['run', 'smoke', '--target', 'http://127.0.0.1:1']],
  [
    'an empty token file',
    ['run', 'smoke', '--target', 'http://127.0.0.1:1', '--token-file', '<folder>/empty-tokens'],
  ],
  [
    'a real target without a budget',
    ['run', 'smoke', '--target', 'https://crew.example'],
    { CREWLOAD_TOKEN: 't' },
  ],
  ['a cost without a price', ['run', 'smoke', '--profile', 'fast', '--max-cost', '10']],
  ['one scenario too many', ['run', 'smoke', 'steady', '--profile', 'fast']],
  ['a word that demo does not take', ['demo', 'now']],
  ['a profile in the place of a scenario', ['run', '<folder>/wrong.yaml', '--profile', 'fast']],
  ['a folder in the place of a scenario', ['run', '<folder>', '--profile', 'fast']],
  ['a report of nothing', ['report']],
  [
    'a token with its scheme',
    ['run', 'smoke', '--target', 'http://127.0.0.1:1'],
    { CREWLOAD_TOKEN: 'Bearer secret' },
  ],
  ['a value that two rules refuse', [...DRY, '--set', 'arrivals.iterations=-1.5']],
  ['an indentation that slipped', ['fake', '--profile', '<folder>/slipped.yaml']],
  ['an unknown scenario', ['run', 'smok', '--profile', 'fast']],
  ['a wrong scenario', ['run', '<folder>/wrong.ts', '--profile', 'fast']],
  ['a wrong scenario, and no place to go', ['gate', '<folder>/wrong.ts', '--seed', '1']],
  ['a scenario that does not compile', ['run', '<folder>/syntax.ts', '--profile', 'fast']],
  ['a scenario that throws', ['run', '<folder>/throws.ts', '--profile', 'fast']],
  [
    'an override of an unknown key',
    ['run', 'smoke', '--profile', 'fast', '--set', 'arrivals.clientz=3'],
  ],
  [
    'an unknown metric',
    ['run', 'smoke', '--profile', 'fast', '--set', 'thresholds={"execution.p9x":"< 1s"}'],
  ],
  ['flags of other engines', [...DRY, '--network', 'lan', '--k6-vus', '2']],
  ['several engines', [...DRY, '--engine', 'node,virtual']],
  ['an unknown profile', ['run', 'smoke', '--profile', 'fats']],
  ['a wrong profile', ['run', 'smoke', '--profile', '<folder>/wrong.yaml']],
  [
    'an unwritable out folder',
    ['run', 'smoke', '--profile', 'fast', '--out', '<folder>/file/reports'],
  ],
  ['a fake crew with a wrong profile', ['fake', '--profile', '<folder>/wrong.yaml']],
  ['a fake crew open to the network', ['fake', '--host', '0.0.0.0']],
  ['a proxy to no target', ['fake', '--proxy', 'crew.example']],
  ['a proxy for faults of a crew', ['fake', '--proxy', 'http://127.0.0.1:9', '--profile', 'chaos']],
  ['a folder that is no run', ['report', '<folder>']],
  ['a journal that is none', ['report', 'merge', '<folder>/file']],
  ['an unknown schema', ['schema', 'metric']],
  ['a target in virtual time', [...VIRTUAL, '--target', 'http://127.0.0.1:1']],
  ['an unknown profile and network', [...VIRTUAL, '--profile', 'defualt', '--network', 'lann']],
  ['a network that was never seen', [...VIRTUAL, '--profile', 'fast', '--network', './nowhere']],
  ['metrics of virtual time', [...VIRTUAL, '--profile', 'fast', '--prometheus']],
  ['money for no kickoff', [...DRY, '--max-cost', '0.1', '--cost-per-kickoff', '0.2']],
  [
    'a wrong scenario, profile and exporter',
    ['run', '<folder>/wrong.ts', '--profile', 'defualt', '--prometheus', 'nowhere'],
  ],
  ['pushes to k6', [...DRY, '--engine', 'k6', '--set', 'webhooks={}']],
  [
    'pushes that have no way back',
    [
      'run',
      'smoke',
      '--target',
      'https://a.example',
      '--max-kickoffs',
      '1',
      '--set',
      'webhooks={}',
    ],
    { CREWLOAD_TOKEN: 't' },
  ],
  ...rows('wrong webhooks', WEBHOOKS, (each) => ['--set', `webhooks=${JSON.stringify(each)}`]),
  ...rows('no collector', COLLECTORS, (url) => [`--otlp=${url}`]),
  ...rows('no address for metrics', ADDRESSES, (address) => ['--prometheus', address]),
  ['a share of no traces', [...DRY, '--otlp-traces', '0.1']],
  ['a share that is none', [...DRY, '--otlp', '--otlp-traces', '2']],
  ['inputs that are no JSON', ['check', '--profile', 'fast', '--inputs', 'topic=AI']],
]

describe('a mistake', () => {
  test.each(CASES)('%s', async (_, args, env = {}) => {
    const told = await cli(
      args.map((arg) => arg.replace('<folder>', folder)),
      { env, cwd: folder },
    )
    expect(told.stdout).toBe('')
    expect(told.code).toBe(2)
    expect(neutral(told.stderr)).toMatchSnapshot()
  })

  test('ends the process of its own that a shell starts with the same words and code', async () => {
    expect(await cliAlone(['rum'], { cwd: folder })).toEqual(await cli(['rum'], { cwd: folder }))
  })

  test('a port that is taken', async () => {
    await using fake = await startFakeCrew({ profile: 'fast' })
    const told = await cli(['fake', '--port', new URL(fake.url).port])
    expect(told.code).toBe(2)
    expect(neutral(told.stderr)).toMatchSnapshot()
  })
})

const ENV = { CREWLOAD_TOKEN: 'sesame-4711' }
const NO_CREW = 'this does not look like a crew: check the base URL'
const html =
  (status: number, text: string): Answers =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(text)
  }

const STRANGERS: [string, Answers, string][] = [
  ['a plain file server', html(404, '<h1>Not Found</h1>'), NO_CREW],
  ['a page for every path', html(200, '<!doctype html><title>x</title>'), NO_CREW],
  [
    'a redirect to a login',
    (_, response) => {
      response.writeHead(302, { location: '/login' }).end()
    },
    'redirects elsewhere, which is not followed',
  ],
]

describe.concurrent('what is no crew', () => {
  test.each(STRANGERS)('%s gets no kickoff, by run, check or saturate', async (_, acts, words) => {
    const methods: string[] = []
    await using stranger = await startedStub((request, response) => {
      methods.push(request.method ?? '')
      acts(request, response)
    })
    const target = ['--target', stranger.url]
    for (const args of [
      ['run', 'smoke', ...target],
      ['check', ...target],
      ['saturate', 'kickoff', ...target, '--max-kickoffs', '1000'],
    ]) {
      const { code, stderr } = await cli(args, { env: ENV, cwd: folder })
      expect([code, stderr]).toEqual([5, expect.stringContaining(words)])
    }
    expect(methods).not.toContain('POST')
  })

  test('a wrong path at a crew is none either', async () => {
    const crew = await startFakeCrew({ profile: 'fast' })
    const args = ['check', '--target', `${crew.url}/v1/crew`]
    const { code, stderr } = await cli(args, { env: { CREWLOAD_TOKEN: crew.token } })
    await crew.stop()
    expect(stderr).toContain('check the base URL (found GET /inputs answered 404')
    expect(code).toBe(5)
  })

  test('https to a port of http is told the scheme', async () => {
    await using plain = await startedStub((_, response) => response.end('{}'))
    const https = plain.url.replace('http:', 'https:')
    const args = ['run', 'smoke', '--target', https, '--max-kickoffs', '1']
    const { code, stderr } = await cli(args, { env: ENV })
    expect(stderr).toContain('it does not use TLS: use http://')
    expect(stderr).not.toContain('certificate')
    expect(code).toBe(5)
  })
})

/** Every name that a plain object has already: somebody's text may be one of them. */
const OBJECT_NAMES: readonly string[] = Object.getOwnPropertyNames(Object.prototype)

const COMMANDS = [
  '::error::owned',
  '##vso[task.setvariable variable=a]b',
  '##[error]owned',
  "##teamcity[buildStop comment='a']",
  'section_start:1560896352:a\r\u001B[0K',
]
const ACTING = '\u001B]0;title\u0007\u009B31m\u0085\u007F\r\u2028\u2029\u202E\u2066\u061C'
const EVIL = [ACTING, ...COMMANDS.map((command) => `x\n${command}`), ...COMMANDS].join(' ')
/** Of a header: Latin-1 without the controls of ASCII. */
const EVIL_FIELD = `::error::owned \u009B31m\u0085 ##vso[a]b ##teamcity[c]`

const LIVE = [
  /^\s*::[a-z]/im,
  /##\w*\[/,
  /section_(start|end):\d/,
  /[^\P{Cc}\t\n]|[\u2028\u2029]|\p{Bidi_Control}/u,
]

type Story = 'fails' | 'completes' | 'unknown words' | 'no kickoff'

const TASK = { task_id: EVIL, output: EVIL, agent: EVIL, execution_time: 1 }
const STATUS: Readonly<Record<Story, unknown>> = {
  fails: { status: 'error', error: EVIL, execution_time: EVIL },
  completes: { status: 'completed', result: { output: EVIL, tasks: [TASK] }, execution_time: 0.1 },
  'unknown words': { status: EVIL, state: EVIL, current_task: EVIL, [EVIL]: EVIL },
  'no kickoff': {},
}

async function hostileTarget(story: Story, inputs: readonly string[]) {
  return startedStub((request, response) => {
    request.resume().once('end', () => {
      response.setHeader('content-type', `application/json; ${EVIL_FIELD}`)
      response.setHeader('keep-alive', `timeout=5, ${EVIL_FIELD}`)
      if (request.url === '/inputs') return response.end(JSON.stringify({ inputs }))
      if (request.method !== 'POST') return response.end(JSON.stringify(STATUS[story]))
      if (story !== 'no kickoff') {
        return response.end(JSON.stringify({ kickoff_id: `${randomUUID()} ${EVIL}`.slice(0, 250) }))
      }
      response.statusCode = 422
      return response.end(JSON.stringify({ error: EVIL, message: EVIL, detail: EVIL }))
    })
  })
}

const STORIES: Story[] = ['fails', 'completes', 'unknown words', 'no kickoff']

async function runAt(url: string, folder: string): Promise<Finished> {
  const file = join(folder, 'any.ts')
  await writeFile(
    file,
    `export default {
  name: 'any', arrivals: { clients: 1, iterations: 2 }, inputs: {}, polling: { fixed: '100ms' }, deadline: '1s',
  checks: { throws: ({ output }) => { throw new Error(output) } },
}`,
  )
  const place = ['--target', url, '--max-kickoffs', '9', '--out', join(folder, 'out')]
  return cli(['run', file, ...place], { env: ENV })
}

function demandHarmless(texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts)) {
    const found = LIVE.map((sign) => sign.exec(text)?.[0] ?? null)
    expect({ name, isEmpty: text === '', found }).toEqual({
      name,
      isEmpty: false,
      found: LIVE.map(() => null),
    })
  }
}

describe.concurrent.each(STORIES)('a target that %s', (story) => {
  test('acts on nothing by a run, its JSON or its reports', async () => {
    await using folder = await temporaryFolder()
    await using target = await hostileTarget(story, [])
    const { stdout } = await runAt(target.url, folder.path)
    const run = await folderIn(join(folder.path, 'out'))
    const texts: Record<string, string> = { stdout }
    for (const name of ['report.html', 'summary.md', 'comment.md', 'junit.xml', 'result.json']) {
      texts[name] = await readFile(join(run, name), 'utf8')
    }
    demandHarmless(texts)
    const json = await cli(['report', run, '--json'])
    demandHarmless({ json: json.stdout })
    expect(JSON.parse(json.stdout)).toHaveProperty('verdict')
  })

  test('acts on nothing by a check, with its one kickoff', async () => {
    await using target = await hostileTarget(story, [EVIL, `${EVIL}2`])
    const args = ['check', '--target', target.url, '--wait', '3s']
    const { stdout, stderr } = await cli(args, { env: ENV })
    demandHarmless({ stdout, stderr })
    expect(stdout).toContain('<U+009B>')
    const json = await cli([...args, '--json'], { env: ENV })
    demandHarmless({ json: json.stdout })
  })
})

describe.concurrent('the names that a crew lists', () => {
  test('are harmless in the message that they are missing', async () => {
    await using folder = await temporaryFolder()
    await using target = await hostileTarget('no kickoff', [EVIL, "a'; rm -rf ~; echo '"])
    const { code, stderr } = await runAt(target.url, folder.path)
    expect(code).toBe(2)
    demandHarmless({ stderr })
    expect(stderr).not.toContain('--set')
  })

  test('are told in part when they are many', async () => {
    await using folder = await temporaryFolder()
    const many = Array.from({ length: 100_000 }, (_, i) => `name ${i}`)
    await using target = await hostileTarget('no kickoff', many)
    const { stderr } = await runAt(target.url, folder.path)
    expect(stderr).toContain('and 99980 more')
    expect(stderr.length).toBeLessThan(2_000)
    const args = ['check', '--no-kickoff', '--target', target.url]
    const { stdout } = await cli(args, { env: ENV })
    expect(stdout).toContain('and 99980 more')
    expect(stdout.length).toBeLessThan(4_000)
  })
})

/** JavaScript itself keeps this one from being a key like the others. */
const KEYS = OBJECT_NAMES.filter((name) => name !== '__proto__')

const CREW = `name: constructor
inputs: ${JSON.stringify(OBJECT_NAMES)}
tasks:
${OBJECT_NAMES.map((name) => `  - { id: ${name}, agent: ${name}, duration: 200ms, output: 20B }`).join('\n')}
capacity: { workers: 2 }
`

const SCENARIO = `import { defineScenario } from 'crewload'
const names = ${JSON.stringify(OBJECT_NAMES)}
const keys = ${JSON.stringify(KEYS)}
const record = (of, value) => Object.fromEntries(of.map((name) => [name, value(name)]))
export default defineScenario({
  name: '__proto__',
  arrivals: { rate: '1/s', for: '40s' },
  inputs: () => record(names, (name) => name),
  tags: record(keys, (name) => name),
  headers: record(keys.map((name) => name.toLowerCase()), (name) => name),
  checks: record(keys, () => () => true),
  thresholds: record(keys.map((name) => 'checks.' + name), () => '>= 100%'),
  polling: { fixed: '500ms' },
  deadline: '1m',
})
`

test('a run of such names is measured, reported, rendered, compared and learned from', async () => {
  await using folder = await temporaryFolder()
  const at = (name: string): string => join(folder.path, name)
  await writeFile(at('crew.yaml'), CREW)
  await writeFile(at('toString.ts'), SCENARIO)
  const call = async (...args: string[]): Promise<void> => {
    const { code, stdout, stderr } = await cli(args, { cwd: folder.path })
    expect([2, 70], `${args.join(' ')}\n${stdout}\n${stderr}`).not.toContain(code)
  }
  for (const seed of ['1', '2']) {
    const options = ['--profile', 'crew.yaml', '--engine', 'virtual', '--seed', seed]
    await call('run', 'toString.ts', ...options, '--out', at(`run-${seed}/`))
  }
  const folders = await Promise.all(['run-1', 'run-2'].map(async (each) => folderIn(at(each))))
  const stdout = await readFile(join(folders[0]!, 'result.json'), 'utf8')
  const result = documentOf({ code: 0, stdout, stderr: '' })
  expect(result.checks.map(({ name, passed }) => [name, passed])).toEqual(
    KEYS.toSorted().map((name) => [name, 40]),
  )
  expect(Object.keys(result.tags).toSorted()).toEqual(
    KEYS.map((name) => `${name}=${name}`).toSorted(),
  )
  const tasks = new Set(result.breakdown[0]!.parts.map(({ task }) => task))
  expect(OBJECT_NAMES.filter((name) => !tasks.has(name))).toEqual([])
  expect(result.thresholds.filter(({ status }) => status === 'met').length).toBeGreaterThanOrEqual(
    KEYS.length,
  )

  await call('report', 'render', folders[0]!)
  await call('twin', folders[0]!, '--replays', '0', '--write-profile', at('twin.yaml'))
  await call('compare', folders[0]!, folders[1]!, '--out', at('compare/'))
  await call('polling', folders[0]!, '--out', at('polling/'))
})

test.each(['checks', 'tags', 'headers'])(
  '%s refuse the name __proto__ with words',
  async (part) => {
    await using folder = await temporaryFolder()
    const value = part === 'checks' ? '() => true' : '"text"'
    const scenario = `import { defineScenario } from 'crewload'
export default defineScenario({ name: 'a', arrivals: { clients: 1, iterations: 1 }, inputs: {},
  ${part}: { ['__proto__']: ${value} } })`
    await writeFile(join(folder.path, 'a.ts'), scenario)
    const { code, stderr } = await cli(['run', 'a.ts', '--profile', 'fast', '--dry-run'], {
      cwd: folder.path,
    })
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('__proto__'),
    })
  },
)
