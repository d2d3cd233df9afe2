/**
 * What a watched run costs its generator: `crewload run` with 500 executions in flight that poll
 * 500 times a second, in turn without a page and with `--live`, whose events a client reads. The
 * page's own process and its client take cores of the same machine: prints the lateness of each
 * run, and the medians side by side.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ResultDocument } from '../../src/result/document.ts'
import { median } from '../support/median.ts'

const MAIN = 'dist/bin/crewload.js'
const ROUNDS = Number(process.argv[2] ?? 3)

const folder = mkdtempSync(join(tmpdir(), 'crewload-bench-'))
const profile = join(folder, 'profile.yaml')
writeFileSync(
  profile,
  `name: watched
inputs: [topic]
capacity: { workers: unlimited }
tasks:
  - { id: research, agent: researcher, duration: { uniform: { min: 4s, max: 6s } } }
`,
)

const SETTINGS = {
  inputs: { topic: 'load' },
  tags: {},
  checks: {},
  thresholds: {},
  arrivals: { rate: '100/s', for: '20s' },
  polling: { fixed: '1s' },
  deadline: '40s',
}

interface Lateness {
  p50Ms: number
  p99Ms: number
  /** Events that the client received. */
  events: number
}

async function run(isWatched: boolean): Promise<Lateness> {
  const set = Object.entries(SETTINGS).flatMap(([path, value]) => [
    '--set',
    `${path}=${JSON.stringify(value)}`,
  ])
  const place = ['--profile', profile, '--out', join(folder, 'reports')]
  const args = [MAIN, 'run', 'steady', ...place, '--json', ...(isWatched ? ['--live'] : []), ...set]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  const reading = isWatched ? eventsOf(child.stderr) : Promise.resolve(0)
  await new Promise((resolve) => child.on('close', resolve))
  const { metrics } = JSON.parse(stdout) as ResultDocument
  const valueOf = (name: string): number => Number(metrics[name]?.value)
  return {
    p50Ms: valueOf('lateness.p50'),
    p99Ms: valueOf('lateness.p99'),
    events: await reading,
  }
}

/** Follows the page as a browser does: the next run, then the run; returns what came. */
async function eventsOf(stderr: NodeJS.ReadableStream): Promise<number> {
  const page = await new Promise<string>((resolve, reject) => {
    let text = ''
    stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const [, url] = /live page: (\S+)/.exec(text) ?? []
      if (url !== undefined) resolve(url)
    })
    stderr.on('end', () => reject(new Error(`no page was served: ${text}`)))
  })
  let count = 0
  for (let address: string | null = page; address !== null;) {
    const events = await fetch(address.replace('/live', '/events/live'))
    let next: string | null = null
    try {
      for await (const chunk of events.body!.pipeThrough(new TextDecoderStream())) {
        count += chunk.split('\n\n').length - 1
        const [, go] = /"go":"([^"]+)"/.exec(chunk) ?? []
        if (go !== undefined) {
          next = new URL(go, page).href
          break
        }
        if (chunk.includes('"over":')) break
      }
    } catch {
      // The run has ended, and its page with it.
    }
    address = next
  }
  return count
}

const alone: Lateness[] = []
const watched: Lateness[] = []
for (let round = 0; round < ROUNDS; round++) {
  for (const isWatched of [false, true]) {
    const taken = await run(isWatched)
    ;(isWatched ? watched : alone).push(taken)
    const { p50Ms, p99Ms, events } = taken
    const title = isWatched ? `with --live, ${events} events read` : 'alone'
    console.log(`${title.padEnd(32)} lateness p50 ${p50Ms} ms, p99 ${p99Ms} ms`)
  }
}
const [without, withPage] = [alone, watched].map((runs) => median(runs.map(({ p99Ms }) => p99Ms)))
console.log(`lateness p99, medians: ${without} ms alone, ${withPage} ms with --live`)
rmSync(folder, { recursive: true })
