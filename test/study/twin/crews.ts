/** Runs of crews with known numbers, without a run: what a client would see of them. */
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { ReadExecution } from '../../../src/study/frame/executions/reader.ts'
import type { SeenRun } from '../../../src/study/twin/analyse/seen.ts'
import { emptyColumns } from '../../../src/execution/record/columns.ts'
import { executionRecord } from '../../result/lines.ts'

const SECOND = 1_000_000

interface Crew {
  workers: number
  /** In seconds. */
  service: (random: Random) => number
  perMinute: number
  executions: number
  truth: SeenRun['truth']
  /** Of the polls, seconds. */
  every?: number
  seed?: number
}

/** First come, first served, by a list of free times that is searched from end to end. */
export function runOf({
  workers,
  service,
  perMinute,
  executions,
  truth,
  every = 2,
  seed = 1,
}: Crew): SeenRun {
  const random = createRandom(seed)
  const free = Array.from({ length: workers }, () => 0)
  let now = 0
  const seen = Array.from({ length: executions }, (): ReadExecution => {
    now += (60 * random.exponential()) / perMinute
    const place = free.indexOf(Math.min(...free))
    const start = Math.max(now, free[place]!)
    const took = Math.round(1_000 * service(random)) / 1_000
    free[place] = start + took
    return seenOf({ accepted: now, start, took, truth, every })
  })
  return seenRun(seen, truth)
}

/** A run of which nothing but its executions is known. */
export function seenRun(executions: readonly ReadExecution[], truth: SeenRun['truth']): SeenRun {
  const requests = { kickoff: [], status: [] }
  const unknown = { requests, pauses: [], taskNames: [], agents: [], asksPeople: false, speed: 1 }
  return { ...unknown, executions, truth, dialect: 'interface' }
}

/** What an execution has where nothing but its polls is known of it. */
export function unknown(polls: number) {
  const answer = Array.from({ length: polls }, () => 200)
  const record = { ...executionRecord(0), tags: {}, output: null }
  return {
    record: { ...record, polls: { ...emptyColumns(), answer } },
    row: null,
    pushes: null,
    ranMicros: null,
    tasks: [],
    failedIn: null,
  }
}

function micros(seconds: number): number {
  return Math.round(seconds * SECOND)
}

interface Lived {
  accepted: number
  start: number
  took: number
  truth: SeenRun['truth']
  every: number
}

function seenOf({ accepted, start, took, truth, every }: Lived): ReadExecution {
  const end = start + took
  const before = Math.floor((end - accepted) / every) * every
  const polls = { low: micros(accepted + before), high: micros(accepted + before + every) }
  const ran = { low: micros(took) - 500, high: micros(took) + 500 }
  const isExact = truth === 'ledger'
  const low = Math.max(micros(accepted), polls.low - ran.high)
  return {
    ...unknown(Math.ceil((end - accepted) / every)),
    outcome: 'completed',
    intended: micros(accepted),
    accepted: micros(accepted),
    started: isExact
      ? { low: micros(start), high: micros(start) }
      : truth === 'polls'
        ? null
        : { low, high: Math.max(low, polls.high - ran.low) },
    ended: isExact ? { low: micros(end), high: micros(end) } : polls,
    known: polls.high,
    ranMicros: truth === 'polls' ? null : ran,
    isStuck: false,
  }
}
