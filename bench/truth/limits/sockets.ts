/** Limiters over real HTTP, with another client on some of them: the command's own study. */
import { setTimeout as sleep } from 'node:timers/promises'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { inferLimits } from '../../../src/study/limits/conduct/conduct.ts'
import type { LimitsDocument } from '../../../src/study/limits/document.ts'

interface Case {
  rule: string
  kinds: readonly string[]
  headers: string
  /** Between requests of another client with the same token; null for none. */
  otherMs: number | null
}

const bucket = ['token-bucket', 'leaky-bucket']
const RULES: readonly (readonly [string, readonly string[]])[] = [
  ['fixedWindow: { limit: 5, window: 2s }', ['fixed-window']],
  ['fixedWindow: { limit: 20, window: 3s }', ['fixed-window']],
  ['fixedWindow: { limit: 40, window: 2s }', ['fixed-window']],
  ['slidingLog: { limit: 8, window: 2s }', ['sliding-log']],
  ['slidingLog: { limit: 25, window: 3s }', ['sliding-log']],
  ['slidingLog: { limit: 60, window: 4s }', ['sliding-log']],
  ['slidingCounter: { limit: 10, window: 2s }', ['sliding-counter']],
  ['slidingCounter: { limit: 30, window: 3s }', ['sliding-counter']],
  ['slidingCounter: { limit: 50, window: 4s }', ['sliding-counter']],
  ['tokenBucket: { rate: 2/s, capacity: 5 }', bucket],
  ['tokenBucket: { rate: 5/s, capacity: 20 }', bucket],
  ['tokenBucket: { rate: 1/s, capacity: 10 }', bucket],
  ['leakyBucket: { rate: 3/s, burst: 9 }', bucket],
  ['leakyBucket: { rate: 8/s, burst: 30 }', bucket],
  ['leakyBucket: { rate: 1/s, burst: 4 }', bucket],
]
const BESIDE: readonly (readonly [number, string, number])[] = [
  [1, 'draft-10', 300],
  [4, 'draft-7', 300],
  [10, 'x-ratelimit-delta', 500],
  [1, 'none', 300],
  [10, 'none', 500],
]

/** 15 alone and without headers, and 5 beside another client, 3 of them with headers. */
const CASES: readonly Case[] = [
  ...RULES.map(([rule, kinds]) => ({ rule, kinds, headers: 'none', otherMs: null })),
  ...BESIDE.flatMap(([index, headers, otherMs]) =>
    RULES.slice(index, index + 1).map(([rule, kinds]) => ({ rule, kinds, headers, otherMs })),
  ),
]

const AT_ONCE = 4

/** Prints a line for each, as it ends. */
export async function inferOverSockets(): Promise<void> {
  const queue = [...CASES]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      process.stdout.write(`${lineOf(next, await studied(next))}\n`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

function lineOf({ rule, kinds, headers, otherMs }: Case, document: LimitsDocument): string {
  const { inputs } = document.operations
  const told = document.findings.some(({ message }) => message.includes('somebody else'))
  const hinted = inputs!.reasons.some((text) => text.includes('another client'))
  const cells = [
    rule,
    headers,
    otherMs === null ? 'alone' : `another every ${otherMs} ms`,
    kinds.includes(inputs!.kind) ? 'right' : inputs!.kind,
    document.verdict.sentence,
    told ? 'told by headers' : hinted ? 'told as possible' : '',
    String(inputs!.requests),
  ]
  return `| ${cells.join(' | ')} |`
}

async function studied({ rule, headers, otherMs }: Case): Promise<LimitsDocument> {
  const folder = await mkdtemp(join(tmpdir(), 'crewload-bench-'))
  const profile = join(folder, 'crew.yaml')
  const limits = `limits:\n  headers: ${headers}\n  rules:\n    - { name: names, operations: [inputs], per: all, refusal: { retryAfter: none }, ${rule} }\n`
  await writeFile(
    profile,
    `tasks:\n  - { id: work, agent: Worker, duration: 20s, output: 100B }\n${limits}`,
  )
  const crew = await startFakeCrew({ profile })
  const stop = new AbortController()
  const other = otherMs === null ? null : beside(crew, otherMs, stop.signal)
  try {
    const { document } = await inferLimits({
      target: crew.url,
      tokens: [crew.token],
      operations: ['inputs'],
      sustainMs: 0,
      out: false,
    })
    return document
  } finally {
    stop.abort()
    await other
    await crew.stop()
    await rm(folder, { recursive: true })
  }
}

async function beside(
  { url, token }: { url: string; token: string },
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(`${url}/inputs`, { headers: { authorization: `Bearer ${token}` } })
    await answer.text()
    await sleep(everyMs)
  }
}
