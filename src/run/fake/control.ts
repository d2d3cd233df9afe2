/** The fake crew's side door, `/__fake__/`: is this one, what is its clock, what is the truth. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClockSample } from '../../analysis/validity/clock.ts'
import type { FaultAccount } from '../../analysis/ledger/faults.ts'
import { touchesOf } from '../../analysis/ledger/faults.ts'
import { excerpt } from '../../crew/excerpt.ts'
import type { FaultMark, FaultSpells, LedgerRow } from '../../crew/ledger.ts'
import { isLoopback } from '../../base/loopback.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Micros } from '../../base/units.ts'
import { isClock, isFaultMark, isFaultSpells, isLedgerRow } from './answers.ts'
import type { Bounds, Question } from './http.ts'
import { ask, AnsweredOtherwise, linesOf, patiently, readText } from './http.ts'
import type { MarksKept } from './missing-marks.ts'

/** A clock is some 100 bytes long. */
const SMALL: Bounds = { timeMs: 2_000, bytes: 4_096 }
/** A profile, or the answer to faults. */
const MIDDLING: Bounds = { timeMs: 5_000, bytes: 2 ** 21 }
const LARGE: Bounds = { timeMs: 60_000, bytes: 2 ** 28 }
const MOST_ROWS = 1_000_000
const MOST_NAME_CHARACTERS = 80

/** How often the clock is read at either end of a run. */
interface Readings {
  count: number
  pauseMs: number
}

/** Of our own: nothing stands in front of it. */
const AT_ONCE: Readings = { count: 15, pauseMs: 0 }
/**
 * A limiter may stand in front of one that was there before: 10 a second are what the tightest of
 * the usual ones allow.
 */
const PACED: Readings = { count: 6, pauseMs: 100 }

interface FaultsTold extends MarksKept {
  account: FaultAccount
}

export interface FakeControl {
  /** `now` is the clock to map onto: the host's. As many as could be had. */
  sampleClock(now: () => Micros): Promise<ClockSample[]>
  /** Null from one that keeps none: a proxy. Throws, with why, when it cannot be fetched. */
  ledger(): Promise<LedgerRow[] | null>
  /** As of that run; undefined from a crew that does not tell. */
  faults(runId: string): Promise<FaultsTold | undefined>
  /**
   * One fault or a list, in YAML: their times count from now. What it gives takes them back. Throws
   * UserError for what is refused.
   */
  addFaults(yaml: string): Promise<() => Promise<void>>
  profileName: string | null
  /** By which the crew divides its times. */
  speed: number
}

/**
 * The control of a fake crew that was started for the run; null when it hides. `token` is sent for
 * a control that needs one. Once `isGone`, what fails is not tried again.
 */
export async function openFakeControl(
  target: URL,
  token: string,
  isGone: () => boolean = () => false,
): Promise<FakeControl | null> {
  return open(target, token, { readings: AT_ONCE, isGone })
}

/**
 * The control of a crew that was there before; null unless it is a fake one. A target elsewhere is
 * never asked, and no target gets a token by this: what listens on this machine may be a tunnel to
 * a deployment. `adminToken` is that of a fake crew, and is sent only where a clock is told to
 * nobody without one.
 */
export async function findFakeControl(
  target: URL,
  adminToken: string | undefined,
): Promise<FakeControl | null> {
  if (!isLoopback(target.hostname)) return null
  return open(target, null, { readings: PACED, isGone: () => false }, adminToken)
}

async function open(
  target: URL,
  token: string | null,
  manner: Manner,
  adminToken?: string,
): Promise<FakeControl | null> {
  const base = `${target.origin}${target.pathname.replace(/\/$/, '')}/__fake__`
  try {
    const told = await readJson({ url: `${base}/clock`, token }, SMALL)
    return isClock(told) ? await controlAt(base, { token, ...manner, speed: told.speed }) : null
  } catch (error) {
    const closed = error instanceof AnsweredOtherwise && error.status === 401
    return closed && adminToken !== undefined ? open(target, adminToken, manner) : null
  }
}

/** How one is asked. */
interface Manner {
  readings: Readings
  isGone: () => boolean
}

interface Access extends Manner {
  token: string | null
  speed: number
}

async function controlAt(base: string, access: Access): Promise<FakeControl> {
  const { token, readings, isGone, speed } = access
  const at = (path: string): Question => ({ url: `${base}/${path}`, token, isGone })
  const profile = await readJson(at('profile'), MIDDLING).catch(() => null)
  return {
    profileName: nameOf(profile),
    sampleClock: async (now) => sampleClock(now, readings, at('clock')),
    ledger: async () => readLedger(at('ledger')),
    faults: async (runId) => readFaults(at, runId),
    addFaults: async (yaml) => addFaults(at('faults'), yaml),
    speed,
  }
}

function nameOf(profile: unknown): string | null {
  const { name } = (profile ?? {}) as { name?: unknown }
  return typeof name === 'string' ? excerpt(name, MOST_NAME_CHARACTERS) : null
}

async function readJson(question: Question, bounds: Bounds): Promise<unknown> {
  return ask(question, bounds, [200], async (body) => JSON.parse(await readText(body)) as unknown)
}

async function sampleClock(
  now: () => Micros,
  { count, pauseMs }: Readings,
  clock: Question,
): Promise<ClockSample[]> {
  const samples: ClockSample[] = []
  try {
    for (let i = 0; i < count; i++) {
      if (i > 0 && pauseMs > 0) await sleep(pauseMs)
      samples.push(await patiently(clock, async () => sampleOnce(now, clock)))
    }
  } catch {
    // One sample is enough for a mapping; without any the ledger is told to be missing.
  }
  return samples
}

async function sampleOnce(now: () => Micros, clock: Question): Promise<ClockSample> {
  const sentMicros = now()
  const told = await readJson(clock, SMALL)
  const receivedMicros = now()
  if (!isClock(told)) throw new Error('told no clock')
  return { sentMicros, receivedMicros, ledgerMs: told.now_ms }
}

async function readLedger(question: Question): Promise<LedgerRow[] | null> {
  try {
    return await patiently(question, async () => readAll(question, isLedgerRow))
  } catch (error) {
    if (error instanceof AnsweredOtherwise && error.status === 404) return null
    throw error
  }
}

async function readFaults(
  at: (path: string) => Question,
  runId: string,
): Promise<FaultsTold | undefined> {
  const list = async <Row>(path: string, isRow: (value: unknown) => value is Row): Promise<Row[]> =>
    patiently(at(path), async () => readAll(at(path), isRow))
  try {
    const spells: FaultSpells[] = await list('faults/spells', isFaultSpells)
    const marks: FaultMark[] = await list('faults/marks', isFaultMark)
    return {
      account: { spells, touches: touchesOf(marks, runId) },
      droppedMarks: await readDroppedMarks(at('metrics')),
      oldestMarkMs: marks[0]?.at_ms ?? null,
    }
  } catch {
    return undefined
  }
}

const DROPPED_MARKS = /^fake_crew_marks_dropped_total\{list="faults"\} (\d{1,15})$/m

/** 0 from a crew that does not tell. */
async function readDroppedMarks(metrics: Question): Promise<number> {
  const read = async (): Promise<string> => ask(metrics, MIDDLING, [200], readText)
  const text = await patiently(metrics, read).catch(() => '')
  return Number(DROPPED_MARKS.exec(text)?.[1] ?? 0)
}

/** NDJSON. Throws for an answer that is none, and for a row of another shape. */
async function readAll<Row>(
  question: Question,
  isRow: (value: unknown) => value is Row,
): Promise<Row[]> {
  return ask(question, LARGE, [200], async (body) => {
    const rows: Row[] = []
    for await (const line of linesOf(body)) {
      if (line.trim() === '') continue
      const row: unknown = JSON.parse(line)
      if (!isRow(row)) throw new Error(`row ${rows.length + 1} has another shape`)
      if (rows.push(row) > MOST_ROWS) throw new Error(`sent more than ${MOST_ROWS} rows`)
    }
    return rows
  })
}

interface Added {
  faults?: { fault: { name: string } }[]
  message?: string
}

async function addFaults(faults: Question, yaml: string): Promise<() => Promise<void>> {
  const added = await ask(
    { ...faults, method: 'POST', body: yaml },
    MIDDLING,
    [201, 422],
    async (body) => JSON.parse(await readText(body)) as Added,
  ).catch(({ message }: Error): Added => ({ message }))
  if (added.faults === undefined) {
    const problem = `the fake crew refused it: ${excerpt(added.message ?? 'without a reason')}`
    throw new UserError({ source: 'faults', path: '', problem })
  }
  return async () => {
    for (const { fault } of added.faults ?? []) {
      const url = `${faults.url}/${encodeURIComponent(fault.name)}`
      await ask({ ...faults, url, method: 'DELETE' }, SMALL, [204], readText).catch(() => null)
    }
  }
}
