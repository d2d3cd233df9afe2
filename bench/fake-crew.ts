/**
 * The fake crew against bare Fastify with the same routes and response schemas, side by side: each in a process of its own, this
 * process is the load generator. What counts is requests a second of the server's own CPU time, which other work on the machine
 * hardly moves; requests a second of wall time stand beside it. The goal is a ratio of 0.85.
 */
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { fastify } from 'fastify'
import { startFakeCrew } from '../fake-crew/index.ts'

const SECONDS_A_SIDE = 1
const ROUNDS = 7
const CONNECTIONS = 32
const TOKEN = 'bench'
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
const NO_LATENCY = { kind: 'constant', value: 0 } as const
const INPUTS = JSON.stringify({ inputs: { topic: 'tides', audience: 'sailors' } })

interface Load {
  operation: string
  method: 'GET' | 'POST'
  path: string
  body?: string
}

const LOADS: Load[] = [
  { operation: 'status', method: 'GET', path: '/status/' },
  { operation: 'inputs', method: 'GET', path: '/inputs' },
  { operation: 'kickoff', method: 'POST', path: '/kickoff', body: INPUTS },
]

async function serveFake(): Promise<string> {
  const { url } = await startFakeCrew({
    token: TOKEN,
    profile: {
      inputs: ['topic', 'audience'],
      capacity: { workers: 10, queueLimit: null, coldStart: null },
      http: {
        latency: { inputs: NO_LATENCY, kickoff: NO_LATENCY, status: NO_LATENCY },
        pool: null,
      },
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
  const running = object({
    status: text,
    current_task: text,
    progress: object({ completed_tasks: integer, total_tasks: integer }),
  })
  const kickoff_id = '8b0b9f0e-4a07-4d0a-9a55-0123456789ab'
  const inputs = ['topic', 'audience']
  const progress = { completed_tasks: 1, total_tasks: 3 }
  const reply = { status: 'running', current_task: 'writing', progress }
  app.get('/status/:id', answers(running), async () => reply)
  app.get('/inputs', answers(object({ inputs: { type: 'array', items: text } })), async () => ({
    inputs,
  }))
  app.post('/kickoff', answers(object({ kickoff_id: text })), async () => ({ kickoff_id }))
  return app.listen({ port: 0, host: '127.0.0.1' })
}

interface Side {
  child: ChildProcess
  url: string
  kickoffId: string
}

async function startSide(name: string): Promise<Side> {
  const child = fork(fileURLToPath(import.meta.url), [name])
  const [url] = (await once(child, 'message')) as [string]
  const answer = await fetch(`${url}/kickoff`, { method: 'POST', headers: HEADERS, body: INPUTS })
  const { kickoff_id: kickoffId } = (await answer.json()) as { kickoff_id: string }
  return { child, url, kickoffId }
}

interface Rate {
  /** Requests a second of wall time. */
  wall: number
  /** Requests a second of the server's CPU time. */
  cpu: number
}

interface Round {
  fake: Rate
  bare: Rate
}

async function cpuSeconds({ child }: Side): Promise<number> {
  child.send('cpu')
  const [seconds] = (await once(child, 'message')) as [number]
  return seconds
}

async function measure(side: Side, load: Load): Promise<Rate> {
  const { method, body } = load
  const path = load.operation === 'status' ? load.path + side.kickoffId : load.path
  const cpuBefore = await cpuSeconds(side)
  const result = await autocannon({
    url: side.url + path,
    method,
    headers: HEADERS,
    connections: CONNECTIONS,
    duration: SECONDS_A_SIDE,
    ...(body === undefined ? {} : { body }),
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${load.operation}: errors`)
  const requests = result['2xx']
  const cpu = requests / ((await cpuSeconds(side)) - cpuBefore)
  return { wall: requests / result.duration, cpu }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

/** The ratio is the median of the rounds' own: what disturbs the machine for long disturbs both sides of a round. */
function compareBy(key: keyof Rate, rounds: Round[]): { text: string; ratio: number } {
  const ratio = median(rounds.map(({ fake, bare }) => fake[key] / bare[key]))
  const fake = Math.round(median(rounds.map((round) => round.fake[key])))
  const bare = Math.round(median(rounds.map((round) => round.bare[key])))
  return { text: `  ${key}: fake ${fake}/s, bare ${bare}/s, ratio ${ratio.toFixed(2)}`, ratio }
}

async function compare(): Promise<void> {
  const fake = await startSide('fake')
  const bare = await startSide('bare')
  const ratios: number[] = []
  for (const load of LOADS) {
    for (const side of [fake, bare]) await measure(side, load)
    const rounds: Round[] = []
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({ fake: await measure(fake, load), bare: await measure(bare, load) })
    }
    const byCpu = compareBy('cpu', rounds)
    ratios.push(byCpu.ratio)
    console.log(`${load.operation}\n${byCpu.text}\n${compareBy('wall', rounds).text}`)
  }
  console.log(`least ratio by CPU ${Math.min(...ratios).toFixed(2)} (goal: at least 0.85)`)
  fake.child.kill()
  bare.child.kill()
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
