/** A crew that a search can be driven against without HTTP: workers, a queue, service times. */
import { createRandom } from '../../../src/base/random.ts'
import type { Random } from '../../../src/base/random.ts'
import type { Load, LoadSeen, Seen } from '../../../src/study/capacity/analyse/learn/seen.ts'

export interface TestCrew {
  slots: number
  /** Executions that may wait; default no limit. */
  queueLimit?: number
  /** By the number that run with it. */
  serviceMicros: (random: Random, busy: number) => number
  seed?: number
  /** Takes the last that came instead of the first. */
  lastComeFirst?: boolean
  /** Nothing tells when an execution begins. */
  hides?: boolean
  /** Ends are seen by polls at this interval, and starts by what the crew reports of itself. */
  pollMicros?: number
  /** Kickoffs within an hour; more are refused. */
  perHour?: number
}

const HOUR = 3_600_000_000
const PAUSE = 1_000_000

interface Waiting {
  accepted: number
  place: number
}

/** One run of it from empty, event by event. */
export function put(crew: TestCrew, load: Load, run: number): LoadSeen {
  const random = createRandom(crew.seed ?? 1).fork('run', run)
  const executions: Seen[] = []
  const due = firstArrivals(load, random)
  const running: { end: number; place: number }[] = []
  const waiting: Waiting[] = []
  const taken: number[] = []
  let begun = due.length
  const begin = ({ accepted, place }: Waiting, now: number): void => {
    const end = now + Math.max(1, crew.serviceMicros(random, running.length + 1))
    running.push({ end, place })
    executions[place] = seen(accepted, now, end)
  }
  const returns = (now: number): void => {
    if (load.kind === 'closed' && begun++ < load.executions) due.push(now)
  }
  for (;;) {
    due.sort((a, b) => a - b)
    running.sort((a, b) => a.end - b.end)
    const [arrival = Infinity, end = Infinity] = [due[0], running[0]?.end]
    if (arrival === Infinity && end === Infinity) break
    if (end <= arrival) {
      running.shift()
      const next = crew.lastComeFirst === true ? waiting.pop() : waiting.shift()
      if (next !== undefined) begin(next, end)
      returns(end)
      continue
    }
    due.shift()
    const place = executions.length
    const recent = taken.filter((at) => at > arrival - HOUR).length
    const isFull = running.length >= crew.slots
    if (recent >= (crew.perHour ?? Infinity)) {
      executions.push(refused(arrival, 429))
      returns(arrival + PAUSE)
      continue
    }
    if (isFull && waiting.length >= (crew.queueLimit ?? Infinity)) {
      executions.push(refused(arrival, 503))
      returns(arrival + PAUSE)
      continue
    }
    taken.push(arrival)
    executions.push(seen(arrival, null, null))
    if (isFull) waiting.push({ accepted: arrival, place })
    else begin({ accepted: arrival, place }, arrival)
  }
  const polls = { refused: 0, all: 0, tookMicros: 0 }
  const { pollMicros } = crew
  if (pollMicros !== undefined) {
    const seenByPolls = executions.map((each) => byPolls(each, pollMicros))
    return { load, executions: seenByPolls, truth: 'reported', polls }
  }
  if (crew.hides !== true) return { load, executions, truth: 'ledger', polls }
  const hidden = executions.map((each) => Object.assign({}, each, { started: null }))
  return { load, executions: hidden, truth: 'polls', polls }
}

function byPolls(each: Seen, pollMicros: number): Seen {
  const { accepted, started, ended } = each
  if (accepted === null || started === null || ended === null) return each
  const polls = Math.ceil((ended - accepted) / pollMicros)
  const middle = accepted + (polls - 0.5) * pollMicros
  return {
    ...each,
    ended: middle,
    endedWithin: pollMicros,
    started: Math.max(accepted, middle - (ended - started)),
  }
}

function firstArrivals(load: Load, random: Random): number[] {
  if (load.kind === 'closed') {
    return Array.from({ length: Math.min(load.clients, load.executions) }, () => 0)
  }
  let at = 0
  return Array.from({ length: load.executions }, () => {
    at += (random.exponential() * HOUR) / load.perHour
    return at
  })
}

function seen(accepted: number, started: number | null, ended: number | null): Seen {
  const times = { kickoffMicros: 0, admittedMicros: 0, endedWithin: 0 }
  const outcome = 'completed' as const
  return {
    intended: accepted,
    accepted,
    started,
    ended,
    known: ended,
    outcome,
    refusals: [],
    ...times,
  }
}

function refused(at: number, status: number): Seen {
  const nothing = { accepted: null, started: null, ended: null, known: null }
  const times = { kickoffMicros: 0, admittedMicros: 0, endedWithin: 0 }
  return { intended: at, ...nothing, ...times, outcome: 'rejected', refusals: [{ at, status }] }
}
