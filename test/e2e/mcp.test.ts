/** The tools for coding agents, called by the client of the protocol's own SDK, over stdio too. */
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Io } from '../../src/cli/io/io.ts'
import { SharedBudget } from '../../src/cli/mcp/budget.ts'
import { serveMcp } from '../../src/cli/mcp/server.ts'
import type { ResultDocument } from '../../src/result/document.ts'
import { affordable } from '../../src/run/plan/prepare.ts'
import { askToStop } from '../../src/run/folder/stop.ts'
import { MAIN, cli, temporaryFolder } from '../support/cli.ts'
import { cleanEnv } from '../support/program/program.ts'
import { startedFakeCrew, startedStub } from '../support/targets/loopback.ts'

const TOKEN = 'of-the-person'

interface Called {
  isError: boolean
  texts: string[]
  /** Of a refusal. */
  code: string | undefined
  result: {
    budget: { left: number; spent: number; reserved: number }
    verdict: { outcome: string; sentence: string }
    [name: string]: unknown
  }
}

interface Agent extends AsyncDisposable {
  folder: string
  client: Client
  call(name: string, given: object, signal?: AbortSignal): Promise<Called>
}

/** As the options of `crewload mcp`. */
interface Given {
  target?: string
  kickoffs?: number
  maxCost?: number
  costPerKickoff?: number
}

const quiet = { isTerminal: false, width: 80, write: () => {} }
const io: Io = {
  args: [],
  stdout: quiet,
  stderr: quiet,
  env: cleanEnv({ CREWLOAD_TOKEN: TOKEN }),
  ask: async () => null,
  onInterrupt: () => () => {},
  onFailure: () => () => {},
  parentGone: async () => new Promise(() => {}),
  tellParent: () => {},
}

/** A server in this process, whose working folder is an empty one, and a client of it. */
async function agent({ target, kickoffs, ...price }: Given = {}): Promise<Agent> {
  const folder = await temporaryFolder()
  const before = process.cwd()
  process.chdir(folder.path)
  const [here, there] = InMemoryTransport.createLinkedPair()
  const { costPerKickoff = null } = price
  const allowed: Parameters<typeof serveMcp>[0] = {
    targets: target === undefined ? [] : [new URL(target)],
    budget: new SharedBudget(kickoffs ?? affordable(price), costPerKickoff),
    connection: { tokens: [TOKEN], headers: {}, tls: {} },
    env: io.env,
    out: 'reports',
    code: false,
  }
  const served = serveMcp(allowed, io, { transport: there, onEnd: () => {} })
  const own = await agentOver(here, folder)
  return {
    ...own,
    async [Symbol.asyncDispose]() {
      await own.client.close()
      await served
      process.chdir(before)
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** A server in a process of its own, as a client starts it. */
async function startedAgent(args: readonly string[]): Promise<Agent> {
  const folder = await temporaryFolder()
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    cwd: folder.path,
    env: io.env as Record<string, string>,
    stderr: 'pipe',
  })
  return agentOver(transport, folder)
}

async function agentOver(
  transport: Transport,
  folder: Awaited<ReturnType<typeof temporaryFolder>>,
): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return {
    folder: folder.path,
    client,
    async call(name, given, signal) {
      const options = signal === undefined ? {} : { signal }
      const answer = await client.callTool(
        { name, arguments: given as Record<string, unknown> },
        undefined,
        options,
      )
      const texts = (answer.content as { text: string }[]).map((part) => part.text)
      const { code } = JSON.parse(texts[1] ?? '{}') as { code?: string }
      return {
        isError: answer.isError === true,
        texts,
        code,
        result: answer.structuredContent as Called['result'],
      }
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

interface Paid extends AsyncDisposable {
  url: string
  /** The tokens that kickoffs came with. */
  kickoffs: string[]
  tokens: Set<string>
}

/** A crew that names itself no fake: its kickoffs may cost money. */
async function paidCrew(takesMs = 0, inputsMs = 0): Promise<Paid> {
  const kickoffs: string[] = []
  const tokens = new Set<string>()
  const begun = new Map<string, number>()
  const stub = await startedStub((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    if (token !== '') tokens.add(token)
    const { url = '', method } = request
    if (url.startsWith('/__fake__')) return answer(404, {})
    if (url === '/inputs') {
      setTimeout(() => answer(200, { inputs: ['topic'] }), inputsMs)
      return
    }
    if (method === 'POST') {
      const id = `0000000${kickoffs.length}-0000-4000-8000-000000000000`.slice(-36)
      kickoffs.push(token)
      begun.set(id, performance.now())
      return answer(200, { kickoff_id: id })
    }
    const since = begun.get(url.split('/').at(-1) ?? '')
    if (since === undefined) return answer(404, { error: 'Not Found' })
    return performance.now() - since < takesMs
      ? answer(200, { status: 'running', progress: {} })
      : answer(200, { status: 'completed', result: { output: 'x', tasks: [] } })
  })
  return { url: stub.url, kickoffs, tokens, [Symbol.asyncDispose]: stub[Symbol.asyncDispose] }
}

const scenario = (iterations: number, clients = 1): object => ({
  name: 'few',
  arrivals: { iterations, clients },
  inputs: { topic: 'bees' },
  polling: { fixed: '50ms' },
  // A busy machine is a matter for other tests.
  validity: { lateness: '5s', utilisation: 1 },
})

/** Without a target or a budget. */
let poor: Agent
beforeAll(async () => {
  poor = await agent()
})
afterAll(async () => poor[Symbol.asyncDispose]())

test('says which tools there are, what they take, and what they return', async () => {
  const { tools } = await poor.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['check', 'plan', 'run', 'verdict', 'explain'])
  for (const { inputSchema, outputSchema, description } of tools) {
    expect(description).toMatch(/\.$/)
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(outputSchema).toMatchObject({ type: 'object' })
  }
  expect(poor.client.getInstructions()).toContain('costs money')
})

test('plans, runs on a fake crew, reads the verdict and explains it, without a budget', async () => {
  const asked = { scenario: 'steady', profile: 'default', engine: 'virtual' }
  const changes = { set: { 'arrivals.rate': '16/m', 'arrivals.for': '15m' } }
  const plan = await poor.call('plan', { ...asked, ...changes })
  expect(plan.result).toMatchObject({ mayCost: false, kickoffs: expect.any(Number) })
  expect(plan.texts.join()).toContain('Plan of')
  const ran = await poor.call('run', { ...asked, ...changes })
  expect(ran.result.verdict).toMatchObject({ outcome: 'failed' })
  expect(ran.result.verdict.sentence).toContain('overloaded')
  const folder = ran.result['folder'] as string
  const { result: read } = await poor.call('verdict', { folder })
  expect(ran.result).toMatchObject(read)
  const { result: why } = await poor.call('explain', { folder })
  expect(why).toMatchObject({
    of: 'run',
    outcome: 'failed',
    reasons: expect.arrayContaining([
      expect.objectContaining({ code: 'threshold', remedy: expect.stringMatching(/./) }),
    ]),
  })
})

test('a name that no scenario has is no program', async () => {
  const { isError, texts } = await poor.call('plan', { scenario: 'smok', profile: 'fast' })
  expect([isError, texts[0]]).toEqual([true, expect.stringContaining('did you mean "smoke"')])
})

test('a check of a fake crew sends a kickoff only when asked', async () => {
  const { result } = await poor.call('check', { profile: 'fast' })
  expect(result).toMatchObject({ kickoff: 'skipped' })
  const asked = await poor.call('check', { profile: 'fast', kickoff: true })
  expect(asked.result).toMatchObject({ kickoff: 'ended', budget: { spent: 0 } })
})

describe('what may cost money', () => {
  test('is refused without a budget, and planned and examined all the same', async () => {
    await using crew = await paidCrew()
    await using it = await agent({ target: crew.url })
    const asked = { scenario: scenario(2), target: crew.url }
    const { result: plan } = await it.call('plan', asked)
    expect(plan).toMatchObject({ kickoffs: 2, mayCost: true, budget: { limit: null, left: 0 } })
    expect(plan['text']).toMatch(/budget +no limit/)
    expect(crew.tokens.size).toBe(0)
    const ran = await it.call('run', asked)
    expect(ran).toMatchObject({ isError: true, code: 'budget' })
    expect(ran.texts[0]).toContain('needs 2 kickoffs, but this server has no budget')
    const check = await it.call('check', { target: crew.url })
    expect(check.result).toMatchObject({ kickoff: 'skipped' })
    expect(await it.call('check', { target: crew.url, kickoff: true })).toMatchObject({
      code: 'budget',
    })
    // A budget in the scenario is the agent's own.
    const own = { scenario: { ...scenario(2), budget: { kickoffs: 2 } }, target: crew.url }
    expect(await it.call('run', own)).toMatchObject({ code: 'budget' })
    expect(crew.kickoffs).toEqual([])
  })

  test('two runs at once share one budget, and no more is ever sent', async () => {
    await using crew = await paidCrew(300)
    await using it = await agent({ target: crew.url, kickoffs: 5 })
    const asked = { scenario: scenario(3), target: crew.url }
    const both = await Promise.all([it.call('run', asked), it.call('run', asked)])
    expect(both.filter(({ isError }) => isError)).toHaveLength(1)
    expect(both.find(({ isError }) => isError)).toMatchObject({ code: 'budget' })
    const ran = both.find(({ isError }) => !isError)!
    expect(ran.result).toMatchObject({
      verdict: { outcome: 'passed' },
      budget: { limit: 5, spent: 3, reserved: 0, left: 2 },
    })
    const cut = await it.call('run', { ...asked, maxKickoffs: 2 })
    expect(cut.result).toMatchObject({
      verdict: { outcome: 'inconclusive' },
      budget: { spent: 5, left: 0 },
    })
    expect(await it.call('run', { ...asked, maxKickoffs: 1 })).toMatchObject({ code: 'budget' })
    expect(crew.kickoffs).toEqual([TOKEN, TOKEN, TOKEN, TOKEN, TOKEN])
  })

  test('a budget in money is one in kickoffs', async () => {
    await using crew = await paidCrew()
    await using it = await agent({ target: crew.url, maxCost: 1, costPerKickoff: 0.5 })
    const check = await it.call('check', { target: crew.url, kickoff: true })
    expect(check.result).toMatchObject({
      kickoff: 'ended',
      budget: { limit: 2, spent: 1, left: 1, costPerKickoff: 0.5 },
    })
    const asked = { scenario: scenario(2), target: crew.url }
    expect(await it.call('run', asked)).toMatchObject({ code: 'budget' })
    expect(crew.kickoffs).toHaveLength(1)
  })

  test('what clients complete has no number, and needs one', async () => {
    await using crew = await paidCrew()
    await using it = await agent({ target: crew.url, kickoffs: 9 })
    const endless = { ...scenario(1), arrivals: { clients: 2, for: '1s' } }
    const ran = await it.call('run', { scenario: endless, target: crew.url })
    expect(ran.texts[0]).toContain('maxKickoffs: missing')
    expect(crew.kickoffs).toEqual([])
  })

  test('a loopback target that nobody named never sees the token of the server', async () => {
    await using crew = await paidCrew()
    await using other = await paidCrew()
    await using it = await agent({ target: other.url, kickoffs: 3 })
    const asked = { scenario: scenario(1), target: crew.url }
    const ran = await it.call('run', { ...asked, token: 'of-the-agent' })
    expect(ran.result).toMatchObject({ budget: { spent: 1 } })
    await it.call('check', { target: crew.url })
    expect(crew.kickoffs).toEqual(['of-the-agent'])
    expect(crew.tokens).not.toContain(TOKEN)
    expect(other.tokens.size).toBe(0)
  })

  test('a fake crew on this machine costs nothing', async () => {
    await using crew = await startedFakeCrew()
    const ran = await poor.call('run', { scenario: scenario(1), target: crew.url, token: 'wrong' })
    expect(ran.texts[0]).toContain('give a valid one: the argument token (found 401)')
    expect(ran.code).toBe('TargetError')
  })
})

test('a cancelled run sends no more, keeps its reports, and gives back what it did not send', async () => {
  await using crew = await paidCrew(400)
  await using it = await agent({ target: crew.url, kickoffs: 50 })
  const cancel = new AbortController()
  const running = it.call('run', { scenario: scenario(40), target: crew.url }, cancel.signal)
  running.catch(() => {})
  await expect.poll(() => crew.kickoffs.length, { timeout: 10_000 }).toBeGreaterThan(1)
  cancel.abort()
  await expect(running).rejects.toThrow(/abort/i)
  const reserved = async () =>
    (await it.call('plan', { scenario: 'smoke', profile: 'fast' })).result
  await expect.poll(reserved, { timeout: 10_000 }).toMatchObject({ budget: { reserved: 0 } })
  const sent = crew.kickoffs.length
  expect(sent).toBeLessThan(10)
  expect(await reserved()).toMatchObject({ budget: { spent: sent, left: 50 - sent } })
  const [name = ''] = await readdir(join(it.folder, 'reports'))
  const { result } = await it.call('verdict', { folder: `reports/${name}` })
  expect(result).toMatchObject({ outcomes: { completed: sent } })
  expect(result.verdict.outcome).toBe('inconclusive')
})

test('a page that stops a run drains that run alone: the agent reads why, and the server lives', async () => {
  await using crew = await paidCrew(200)
  await using it = await agent({ target: crew.url, kickoffs: 500 })
  const running = it.call('run', { scenario: scenario(400), target: crew.url })
  await expect.poll(() => crew.kickoffs.length, { timeout: 10_000 }).toBeGreaterThan(1)
  const [name = ''] = await readdir(join(it.folder, 'reports'))
  expect(await askToStop(join(it.folder, 'reports', name), 'drain')).toBe(true)
  const { isError, result } = await running
  expect([isError, result.verdict.outcome]).toEqual([false, 'inconclusive'])
  expect(result).toMatchObject({
    notes: expect.arrayContaining(['a page of crewload ui stopped the run']),
    outcomes: { completed: crew.kickoffs.length },
    abandoned: [],
  })
  expect((await it.call('plan', { scenario: 'smoke', profile: 'fast' })).isError).toBe(false)
}, 60_000)

test('a check that is cancelled before its kickoff sends none', async () => {
  await using crew = await paidCrew(0, 1_000)
  await using it = await agent({ target: crew.url, kickoffs: 1 })
  const cancel = new AbortController()
  const checking = it.call('check', { target: crew.url, kickoff: true }, cancel.signal)
  checking.catch(() => {})
  await expect.poll(() => crew.tokens.size, { timeout: 10_000 }).toBe(1)
  cancel.abort()
  await expect(checking).rejects.toThrow(/abort/i)
  const left = async () => (await it.call('plan', { scenario: 'smoke', profile: 'fast' })).result
  await expect.poll(left, { timeout: 20_000 }).toMatchObject({ budget: { left: 1, spent: 0 } })
  expect(crew.kickoffs).toEqual([])
})

test('a client that goes away ends the server, when what is in flight has ended', async () => {
  await using crew = await paidCrew(600)
  const it = await startedAgent(['--target', crew.url, '--max-kickoffs', '50'])
  try {
    const running = it.call('run', { scenario: scenario(40), target: crew.url })
    running.catch(() => {})
    await expect.poll(() => crew.kickoffs.length, { timeout: 10_000 }).toBeGreaterThan(0)
    const sent = crew.kickoffs.length
    await it.client.close()
    const [name = ''] = await readdir(join(it.folder, 'reports'))
    const result = await readFile(join(it.folder, 'reports', name, 'result.json'), 'utf8')
    const { outcomes } = JSON.parse(result) as ResultDocument
    expect(outcomes).toMatchObject({ completed: sent, aborted: 0 })
    expect(crew.kickoffs).toHaveLength(sent)
  } finally {
    await it[Symbol.asyncDispose]()
  }
})

describe('hostile arguments', () => {
  const target = 'https://crew.example.com'
  const run = (changes: object): [string, object] => [
    'run',
    { scenario: scenario(1), profile: 'fast', engine: 'virtual', ...changes },
  ]
  const sends = (changes: object): [string, object] => [
    'run',
    { scenario: scenario(1), ...changes },
  ]
  test.each<[string, [string, object], string | RegExp]>([
    ['a target nobody named', sends({ target }), 'target'],
    ['one below the named', sends({ target: 'https://named.example/other' }), 'target'],
    ['one that looks like loopback', sends({ target: 'http://127.0.0.1.evil.example' }), 'target'],
    ['a check of it', ['check', { target }], 'target'],
    ['a plan for it', ['plan', { scenario: 'smoke', target }], 'target'],
    ['credentials', sends({ target: 'https://a:secret@crew.example.com' }), /credentials/],
    ['no URL', sends({ target: 'file:///etc/passwd' }), /http or https/],
    ['no place', sends({}), /missing/],
    ['two places', sends({ target, profile: 'fast' }), /choose one/],
    ['an unknown argument', run({ headers: {} }), /Unrecognized key/],
    ['another engine', run({ engine: 'k6' }), /engine/],
    ['no scenario', ['run', { profile: 'fast' }], /scenario/],
    ['a scenario with mistakes', run({ scenario: { name: 'x' } }), /arrivals/],
    [
      'a mix, whose parts could have targets of their own',
      run({ scenario: { name: 'mix', parts: { a: { scenario: 'smoke', target } } } }),
      /parts/,
    ],
    ['a program', run({ scenario: 'program.ts' }), 'program'],
    ['a link to a program', run({ scenario: 'program.json' }), 'program'],
    ['a program by the name of data', run({ scenario: 'code.json' }), /code\.json:1:/],
    ['a file outside', run({ scenario: '../other.json' }), 'file'],
    ['a link to outside', run({ scenario: 'link.json' }), 'file'],
    ['rows outside', run({ scenario: { ...scenario(1), inputs: { rows: '/etc/hosts' } } }), 'file'],
    ['rows by a change', run({ set: { inputs: '{"rows":"/etc/hosts"}' } }), 'file'],
    ['a replay', run({ scenario: { ...scenario(1), arrivals: { replay: '/etc' } } }), 'file'],
    [
      'a recording outside',
      run({ scenario: { ...scenario(1), arrivals: { replay: '/etc/hosts', format: 'csv' } } }),
      'file',
    ],
    ['a profile outside', run({ profile: '/etc/passwd.yaml' }), 'file'],
    [
      'pushes elsewhere',
      run({ scenario: { ...scenario(1), webhooks: { publicUrl: target } } }),
      'target',
    ],
    [
      'listening for all',
      run({ scenario: { ...scenario(1), webhooks: { listen: '0.0.0.0:0' } } }),
      'target',
    ],
    ['a folder outside', ['verdict', { folder: '/etc' }], 'file'],
    ['a folder with a NUL', ['verdict', { folder: 'a\0b' }], /./],
    ['no run', ['explain', { folder: '.' }], /no run can be read/],
    ['a damaged result', ['explain', { folder: 'damaged' }], /damaged/],
    ['a number for a folder', ['explain', { folder: 1 }], /folder/],
    [
      'a huge scenario',
      run({ scenario: { name: Array.from({ length: 20_000 }, () => 1) } }),
      /maximum/,
    ],
    ['an unknown tool', ['resume', {}], /not found/],
  ])('%s', async (_, [name, given], refusal) => {
    const { isError, texts, code } = await (await served()).call(name, given)
    expect(isError).toBe(true)
    expect(typeof refusal === 'string' ? code : texts[0]).toMatch(refusal)
    expect(texts.join()).not.toContain('secret@')
  })

  let shared: Promise<Agent> | null = null

  /** One server survives all of them. */
  async function served(): Promise<Agent> {
    shared ??= agent({ target: 'https://named.example', kickoffs: 5 }).then(async (it) => {
      await symlink('/etc/hosts', join(it.folder, 'link.json'))
      await writeFile(join(it.folder, 'program.ts'), 'export default {}')
      await symlink('program.ts', join(it.folder, 'program.json'))
      await writeFile(join(it.folder, 'code.json'), 'export default {}')
      await mkdir(join(it.folder, 'damaged'))
      await writeFile(join(it.folder, 'damaged/executions.ndjson'), '')
      await writeFile(
        join(it.folder, 'damaged/result.json'),
        '{"schema":"crewload/result/1","run":{},"verdict":{}}',
      )
      return it
    })
    return shared
  }

  test('and the server still answers', async () => {
    const it = await served()
    const { result } = await it.call('run', {
      scenario: 'smoke',
      profile: 'fast',
      engine: 'virtual',
    })
    expect(result).toMatchObject({ verdict: { outcome: 'passed' }, budget: { left: 5 } })
    await it[Symbol.asyncDispose]()
  })
})

test('nothing but the protocol is on stdout, whatever a scenario prints', async () => {
  await using folder = await temporaryFolder()
  await writeFile(
    join(folder.path, 'loud.ts'),
    `console.log('not the protocol')
process.stdout.write('neither')
export default { name: 'loud', arrivals: { iterations: 1, clients: 1 }, inputs: () => {
  console.info('nor this')
  return { topic: 'a', audience: 'b' }
} }`,
  )
  const child = spawn(process.execPath, [MAIN, 'mcp', '--allow-code'], {
    cwd: folder.path,
    env: cleanEnv(),
  })
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const ask = (id: number, method: string, params: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  const clientInfo = { name: 'raw', version: '1' }
  ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  child.stdin.write('no JSON at all\n')
  const given = { scenario: './loud.ts', profile: 'fast', engine: 'virtual' }
  ask(2, 'tools/call', { name: 'run', arguments: given })
  child.stdout.on('data', (part: Buffer) => {
    if (part.toString().includes('"id":2')) child.stdin.end()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  const [stdout, stderr] = await said
  expect(code).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2])
  expect(lines[1]).toContain('passed')
  for (const words of ['not the protocol', 'neither', 'nor this']) expect(stderr).toContain(words)
})

test.each([
  [['--target', 'https://crew.example.com'], 'CREWLOAD_TOKEN: no token'],
  [['--target', 'nowhere'], 'expected a URL'],
  [['--max-cost', '5'], '--max-cost: needs --cost-per-kickoff'],
  [['--cost-per-kickoff', '5'], '--cost-per-kickoff: only allowed with'],
  [['--max-kickoffs', '0'], 'whole number of 1 or more'],
])('a mistake at the start is one of the person: %s', async (args, words) => {
  const { code, stderr } = await cli(['mcp', ...args], { withinMs: 60_000 })
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
})
