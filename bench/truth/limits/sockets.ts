/**
 * Limiters over real HTTP, with another client on some of them: `crewload limits` as a user starts
 * it, in a process of its own. What one study computes then delays neither the crews, which are
 * in this process, nor the requests of the others.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SUSPECTS } from './trial.ts'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import type { LimitsDocument, OperationLimit } from '../../../src/study/limits/document.ts'
import { askBeside } from '../../../test/support/targets/other-client.ts'

interface Case {
  limiter: Limiter
  headers: string
  /**
   * The time between requests of another client with the same token, in milliseconds; null if there
   * is none.
   */
  otherMs: number | null
}

/**
 * `limit` is the largest number of requests at once; `ms` is the window or, for a bucket, the time
 * of one token.
 */
interface Truth {
  limit: number
  ms: number
}

interface Limiter {
  /** The limiter as a profile writes it. */
  rule: string
  kinds: readonly string[]
  truth: Truth
}

const LIMITERS: readonly Limiter[] = [
  windowed('fixedWindow', 'fixed-window', 5, 2),
  windowed('fixedWindow', 'fixed-window', 20, 3),
  windowed('fixedWindow', 'fixed-window', 40, 2),
  windowed('slidingLog', 'sliding-log', 8, 2),
  windowed('slidingLog', 'sliding-log', 25, 3),
  windowed('slidingLog', 'sliding-log', 60, 4),
  windowed('slidingCounter', 'sliding-counter', 10, 2),
  windowed('slidingCounter', 'sliding-counter', 30, 3),
  windowed('slidingCounter', 'sliding-counter', 50, 4),
  bucket('tokenBucket: { rate: 2/s, capacity: 5 }', 2, 5),
  bucket('tokenBucket: { rate: 5/s, capacity: 20 }', 5, 20),
  bucket('tokenBucket: { rate: 1/s, capacity: 10 }', 1, 10),
  bucket('leakyBucket: { rate: 3/s, burst: 9 }', 3, 10),
  bucket('leakyBucket: { rate: 8/s, burst: 30 }', 8, 31),
  bucket('leakyBucket: { rate: 1/s, burst: 4 }', 1, 5),
]

function windowed(name: string, kind: string, limit: number, seconds: number): Limiter {
  const rule = `${name}: { limit: ${limit}, window: ${seconds}s }`
  return { rule, kinds: [kind], truth: { limit, ms: seconds * 1_000 } }
}

function bucket(rule: string, rate: number, capacity: number): Limiter {
  return {
    rule,
    kinds: ['token-bucket', 'leaky-bucket'],
    truth: { limit: capacity, ms: 1_000 / rate },
  }
}

const BESIDE: readonly (readonly [number, string, number])[] = [
  [1, 'draft-10', 300],
  [4, 'draft-7', 300],
  [10, 'x-ratelimit-delta', 500],
  [1, 'none', 300],
  [10, 'none', 500],
]

/** 15 limiters alone and without headers, then 5 with another client, 3 of which send headers. */
const CASES: readonly Case[] = [
  ...LIMITERS.map((limiter) => ({ limiter, headers: 'none', otherMs: null })),
  ...BESIDE.map(([index, headers, otherMs]) => ({
    limiter: LIMITERS.at(index)!,
    headers,
    otherMs,
  })),
]

const AT_ONCE = 4
const MAIN = 'dist/bin/crewload.js'
const MOST_BYTES = 16 * 1_024 ** 2

/** Infers each limiter, and prints its row of the table as soon as it ends. */
export async function inferOverSockets(): Promise<void> {
  const queue = [...CASES]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      process.stdout.write(`${rowOf(next, await studied(next))}\n`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

function rowOf({ limiter, headers, otherMs }: Case, document: LimitsDocument): string {
  const { rule, kinds, truth } = limiter
  const inputs = document.operations.inputs!
  const told = document.findings.some(({ message }) => message.includes('somebody else'))
  const hinted = inputs.reasons.some(({ code }) => SUSPECTS.has(code))
  const isLate = inputs.reasons.some(({ code }) => code === 'late')
  const trips = inputs.roundTripMs!
  const cells = [
    `\`${rule}\``,
    headers,
    otherMs === null ? 'alone' : `every ${otherMs} ms`,
    kinds.includes(inputs.kind) ? 'right' : inputs.kind,
    holds(inputs, truth) ? 'yes' : 'no',
    told ? 'told by headers' : hinted ? 'told as possible' : '',
    document.verdict.outcome === 'answered' ? 'yes' : isLate ? 'no, late' : 'no',
    String(inputs.requests),
    `${Math.round(trips.p50)}, ${Math.round(trips.p90)}, ${Math.round(trips.max)}`,
  ]
  return `| ${cells.join(' | ')} |`
}

/** Whether every stated interval contains the truth. */
function holds(
  { ratePerSecond: rate, windowMs, capacity, limit: count }: OperationLimit,
  { limit, ms }: Truth,
): boolean {
  const times = rate === null ? windowMs : { low: 1_000 / rate.high, high: 1_000 / rate.low }
  return isWithin(capacity ?? count, limit) && isWithin(times, ms)
}

function isWithin(stated: { low: number; high: number } | null, value: number): boolean {
  return stated === null || (stated.low <= value && value <= stated.high)
}

async function studied({ limiter, headers, otherMs }: Case): Promise<LimitsDocument> {
  const folder = await mkdtemp(join(tmpdir(), 'crewload-bench-'))
  const profile = join(folder, 'crew.yaml')
  const limits = `limits:\n  headers: ${headers}\n  rules:\n    - { name: names, operations: [inputs], per: all, refusal: { retryAfter: none }, ${limiter.rule} }\n`
  await writeFile(
    profile,
    `tasks:\n  - { id: work, agent: Worker, duration: 20s, output: 100B }\n${limits}`,
  )
  const crew = await startFakeCrew({ profile })
  const stop = new AbortController()
  const other = otherMs === null ? null : askBeside(crew, otherMs, stop.signal)
  try {
    return await commanded(crew, folder)
  } finally {
    stop.abort()
    await other
    await crew.stop()
    await rm(folder, { recursive: true })
  }
}

/** `crewload limits --json`; exit code 4 gives a document as well. */
async function commanded(
  { url, token }: { url: string; token: string },
  out: string,
): Promise<LimitsDocument> {
  const args = ['limits', '--target', url, '--operations', 'inputs', '--sustain', '0s']
  const env = { ...process.env, CREWLOAD_TOKEN: token }
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [MAIN, ...args, '--json', '--quiet', '--out', out],
      { env, maxBuffer: MOST_BYTES },
      (error, stdout, stderr) => {
        if (stdout === '') reject(new Error(stderr, { cause: error }))
        else resolve(JSON.parse(stdout) as LimitsDocument)
      },
    )
  })
}
