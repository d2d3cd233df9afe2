/**
 * Compares the fake crew with bare Fastify: each runs in its own process, and this process sends
 * load to both at the same time, so that other activity on the machine affects both equally. The
 * measure is requests per second of a server's own CPU time. The goal is a ratio of 0.85.
 *
 * The comparison is fair: the bare server does what any server of the interface must, in the way
 * that Fastify does it best. It has the same routes, checks the bearer token in a hook, validates a
 * kickoff's body by a schema, assigns a new UUID and writes every answer by its response schema, as
 * long as the fake crew's. It stores nothing: the executions, their draws, the ledger and the
 * metrics are the fake crew's own work and count against it. Neither has any latency.
 */
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { fastify } from 'fastify'
import { startFakeCrew } from '../../fake-crew/index.ts'
import { median } from '../support/median.ts'

const ROUND_SECONDS = 1
const ROUNDS = 9
/** The number of connections to each server. */
const CONNECTIONS = 16
const TOKEN = 'bench'
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
const INPUTS = JSON.stringify({ inputs: { topic: 'tides', audience: 'sailors' } })

/** The number of polls per kickoff in the mix. */
const POLLS_A_KICKOFF = 12

interface Request {
  method: 'GET' | 'POST'
  path: string
  body?: string
}

interface Load {
  name: string
  requests: Request[]
}

function loads(kickoffId: string): Load[] {
  const status: Request = { method: 'GET', path: `/status/${kickoffId}` }
  const kickoff: Request = { method: 'POST', path: '/kickoff', body: INPUTS }
  const polls = Array.from({ length: POLLS_A_KICKOFF }, () => status)
  return [
    { name: 'status', requests: [status] },
    { name: 'inputs', requests: [{ method: 'GET', path: '/inputs' }] },
    { name: 'kickoff', requests: [kickoff] },
    { name: `mix of ${POLLS_A_KICKOFF} status to 1 kickoff`, requests: [...polls, kickoff] },
  ]
}

async function serveFake(): Promise<string> {
  const { url } = await startFakeCrew({
    token: TOKEN,
    // One second takes a thousand, so polled executions are still running at the end.
    speed: 0.001,
    profile: {
      inputs: ['topic', 'audience'],
      tasks: ['research', 'analysis', 'writing'].map((id) => ({
        id,
        agent: id,
        duration: { lognormal: { median: '15s', p95: '90s', cap: '15m' } },
      })),
    },
  })
  return url
}

const text = { type: 'string' } as const
const integer = { type: 'integer' } as const

function object(properties: Record<string, unknown>) {
  return { type: 'object', properties, required: Object.keys(properties) }
}

function answers(schema: unknown) {
  return { schema: { response: { 200: schema } } }
}

async function serveBare(): Promise<string> {
  const app = fastify()
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.authorization === HEADERS.authorization) done()
    else reply.code(401).send({ error: 'Unauthorized', message: 'Invalid or missing bearer token' })
  })
  const running = object({
    status: text,
    current_task: text,
    progress: object({ completed_tasks: integer, total_tasks: integer }),
  })
  const inputs = ['topic', 'audience']
  const progress = { completed_tasks: 0, total_tasks: 3 }
  const reply = { status: 'running', current_task: 'research', progress }
  app.get('/status/:id', answers(running), async () => reply)
  app.get('/inputs', answers(object({ inputs: { type: 'array', items: text } })), async () => ({
    inputs,
  }))
  const { schema } = answers(object({ kickoff_id: text }))
  const body = object({ inputs: object({ topic: text, audience: text }) })
  app.post('/kickoff', { schema: { ...schema, body } }, async () => ({ kickoff_id: randomUUID() }))
  return app.listen({ port: 0, host: '127.0.0.1' })
}

interface Side {
  child: ChildProcess
  url: string
}

async function startSide(name: string): Promise<Side> {
  const child = fork(fileURLToPath(import.meta.url), [name])
  const [url] = (await once(child, 'message')) as [string]
  return { child, url }
}

/** Returns the id of a new execution. The bare server answers for any id. */
async function kickoff({ url }: Side): Promise<string> {
  const answer = await fetch(`${url}/kickoff`, { method: 'POST', headers: HEADERS, body: INPUTS })
  return ((await answer.json()) as { kickoff_id: string }).kickoff_id
}

/** Requests per second of the CPU time of each server, in one round. */
interface Round {
  fake: number
  bare: number
}

async function cpuSeconds({ child }: Side): Promise<number> {
  child.send('cpu')
  const [seconds] = (await once(child, 'message')) as [number]
  return seconds
}

async function measure(side: Side, { name, requests }: Load): Promise<number> {
  const cpuBefore = await cpuSeconds(side)
  const result = await autocannon({
    url: side.url,
    requests,
    headers: HEADERS,
    connections: CONNECTIONS,
    duration: ROUND_SECONDS,
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${name}: errors`)
  return result['2xx'] / ((await cpuSeconds(side)) - cpuBefore)
}

/** The ratio is the median of the rounds' ratios. */
function report(name: string, rounds: Round[]): number {
  const ratio = median(rounds.map(({ fake, bare }) => fake / bare))
  const [fake, bare] = (['fake', 'bare'] as const).map((side) =>
    Math.round(median(rounds.map((round) => round[side]))),
  )
  console.log(
    `${name.padEnd(30)} fake ${fake}, bare ${bare} a CPU second, ratio ${ratio.toFixed(2)}`,
  )
  return ratio
}

async function compare(): Promise<void> {
  const fakeSide = await startSide('fake')
  const bareSide = await startSide('bare')
  const round = async (load: Load): Promise<Round> => {
    const sides = [measure(fakeSide, load), measure(bareSide, load)] as const
    const [fake, bare] = await Promise.all(sides)
    return { fake, bare }
  }
  const ratios: number[] = []
  for (const load of loads(await kickoff(fakeSide))) {
    await round(load)
    const rounds: Round[] = []
    while (rounds.length < ROUNDS) rounds.push(await round(load))
    ratios.push(report(load.name, rounds))
  }
  console.log(`least ratio ${Math.min(...ratios).toFixed(2)} (goal: at least 0.85)`)
  fakeSide.child.kill()
  bareSide.child.kill()
}

async function serve(kind: string): Promise<void> {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send!((user + system) / 1e6)
  })
  process.send!(kind === 'fake' ? await serveFake() : await serveBare())
}

const kind = process.argv[2]
if (kind === undefined) await compare()
else await serve(kind)
