/**
 * Compares crewload with other load generators, as whole programs against one target of fixed
 * bytes: requests per second of CPU time without a pause, CPU time per request at a given rate, and
 * memory per execution held at once. Each cost is the difference between a long and a short run, or
 * between many and few held, so that starting the program cancels out. The programs take turns, for
 * several rounds, and the median is told.
 *
 * Prints the tables of `bench/results/performance.md`, and draws its plot. `peers ROUNDS NAME...`
 * takes other rounds than 3, and some programs alone, which draws nothing.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveCannedCrew, startCannedCrew } from '../support/canned-crew.ts'
import { costOf } from '../support/process-cost.ts'
import { crewload } from './peers/crewload.ts'
import { autocannon, k6, locust, vegeta, wrk } from './peers/others.ts'
import type { Job, Peer } from './peers/peer.ts'
import { pageOf } from './peers/page.ts'
import type { Measured } from './peers/page.ts'
import { HELD, PACES } from './peers/page.ts'
import { plotOf } from './peers/plot.ts'

const SHORT_SECONDS = 3
const LONG_SECONDS = 9
const LIMIT_MS = 120_000
const PLOT = 'bench/results/performance.svg'
/** The few that the small memory figure holds: what it measures is the program itself. */
const FEW = 10

interface Run {
  requests: number
  cpuSeconds: number
  peakBytes: number
  latenessP99Ms: number | null
}

/**
 * Runs a job. Null if there is none, or, after a message, if it took too long or the program
 * failed.
 */
async function runOf(job: Job | null): Promise<Run | null> {
  if (job === null) return null
  const { program, args } = job.command
  const lost = (why: string): null => {
    console.error(`  nothing from ${program} ${args.join(' ')}: ${why}`)
    return null
  }
  try {
    const cost = await costOf(job.command, LIMIT_MS)
    if (cost === null) return lost(`it took longer than ${LIMIT_MS / 1_000} s`)
    const run = { ...cost, ...job.read(cost.stdout) }
    return run.requests > 0 ? run : lost('it sent no request')
  } catch (error) {
    return lost(String(error))
  }
}

/**
 * Returns the difference between a short and a long run; null if the program cannot do the job, or
 * took too long.
 */
async function slopeOf(jobOf: (seconds: number) => Job | null): Promise<Run | null> {
  const short = await runOf(jobOf(SHORT_SECONDS))
  const long = short === null ? null : await runOf(jobOf(LONG_SECONDS))
  if (short === null || long === null) return null
  const requests = long.requests - short.requests
  const cpuSeconds = long.cpuSeconds - short.cpuSeconds
  if (requests > 0 && cpuSeconds > 0) return { ...long, requests, cpuSeconds }
  console.error(
    `  nothing to tell: the longer run made ${requests} more requests in ${cpuSeconds} s`,
  )
  return null
}

async function flatOut(peer: Peer, url: string, into: Measured): Promise<void> {
  const slope = await slopeOf((seconds) => peer.flatOut(url, seconds))
  if (slope !== null) into.perCpuSecond.push(slope.requests / slope.cpuSeconds)
}

async function paced(peer: Peer, url: string, rate: number, into: Measured): Promise<void> {
  const slope = await slopeOf((seconds) => peer.paced(url, rate, seconds))
  if (slope === null) return
  into.paced.push({
    rate,
    microsOfCpu: (slope.cpuSeconds / slope.requests) * 1e6,
    kept: slope.requests / (rate * (LONG_SECONDS - SHORT_SECONDS)),
    latenessP99Ms: slope.latenessP99Ms,
  })
}

async function held(peer: Peer, url: string, into: Measured): Promise<void> {
  const few = await runOf(peer.held(url, FEW))
  if (few === null) return
  for (const size of HELD) {
    const job = size > peer.mostHeld ? null : peer.held(url, size)
    const many = await runOf(job)
    if (many === null) return
    const bytes = (many.peakBytes - few.peakBytes) / (size - FEW)
    into.held.push({ size, bytes, latenessP99Ms: many.latenessP99Ms })
  }
}

async function main(rounds: number, chosen: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'crewload-bench-'))
  const own = [
    crewload('crewload', 'the whole loop, with journal and report (Node)', 'node', folder),
    crewload('crewload --engine k6', 'the same within k6', 'k6', folder),
  ]
  const peers = [wrk, autocannon, vegeta, k6, locust, ...own].filter(
    ({ name }) => chosen.length === 0 || chosen.includes(name),
  )
  const ready = peers.filter((peer) => {
    const why = peer.prepare()
    if (why !== null) console.error(`${peer.name} is left out: ${why}`)
    return why === null
  })
  const crew = await startCannedCrew(fileURLToPath(import.meta.url))
  const measured = new Map(ready.map((peer) => [peer, emptyOf(peer)]))
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const [peer, into] of measured) {
        console.error(`round ${round} of ${rounds}: ${peer.name}`)
        await flatOut(peer, crew.url, into)
        for (const rate of PACES) await paced(peer, crew.url, rate, into)
        if (round === 1) await held(peer, crew.url, into)
      }
    }
  } finally {
    crew.stop()
    rmSync(folder, { recursive: true })
  }
  const all = [...measured.values()]
  console.log(pageOf(all, rounds))
  if (chosen.length === 0) writeFileSync(PLOT, plotOf(all))
}

function emptyOf({ name, does }: Peer): Measured {
  return { name, does, perCpuSecond: [], paced: [], held: [] }
}

const [first, ...rest] = process.argv.slice(2)
if (first === 'serve') serveCannedCrew()
else {
  const rounds = Number(first ?? 3)
  await main(Number.isInteger(rounds) ? rounds : 3, rest)
}
