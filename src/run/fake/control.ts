/**
 * The client of a fake crew's control interface, `/__fake__/`: identity, clock, ledger and faults.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import type { ClockSample } from '../../result/clock.ts'
import type { FaultAccount } from '../../result/ledger/faults.ts'
import { touchesOf } from '../../result/ledger/faults.ts'
import { excerpt } from '../../crew/excerpt.ts'
import type { LedgerRow } from '../../crew/ledger.ts'
import { faultMark, faultSpells, ledgerRow } from '../../crew/ledger.ts'
import { CONTROL_PATH, isClock } from '../../crew/fake/clock.ts'
import { isLoopback } from '../../base/loopback.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Micros } from '../../base/units.ts'
import type { FetchBounds, Question } from './http.ts'
import { ask, AnsweredOtherwise, linesOfBody, patiently, textOfBody } from './http.ts'
import type { Environment } from '../options.ts'

/** The answer with the clock has about 100 bytes. */
const SMALL: FetchBounds = { timeMs: 2_000, bytes: 4_096 }
/** A profile, or the answer to faults. */
const MIDDLING: FetchBounds = { timeMs: 5_000, bytes: 2 ** 21 }
const LARGE: FetchBounds = { timeMs: 60_000, bytes: 2 ** 28 }
const MOST_ROWS = 1_000_000
const MOST_NAME_CHARACTERS = 80

/** The number of readings of the clock at the start and at the end of a run. */
interface Readings {
  count: number
  pauseMs: number
}

/** For a crew started by the run, which has nothing in front of it. */
const AT_ONCE: Readings = { count: 15, pauseMs: 0 }
/**
 * A crew that was already running may have a limiter in front of it: the tightest of the usual
 * limits allows 10 requests a second.
 */
const PACED: Readings = { count: 6, pauseMs: 100 }

/** The marks of its faults that a crew still has. */
export interface MarksKept {
  /** The number of marks that it no longer has: the oldest ones, of all runs that it served. */
  droppedMarks: number
  /** The time of the oldest mark that it has, on the ledger's clock; null without any. */
  oldestMarkMs: number | null
}

interface FaultRecord extends MarksKept {
  account: FaultAccount
}

export interface FakeControl {
  /** `now`: the clock to map to, the host's. Returns as many samples as succeeded. */
  sampleClock(now: () => Micros): Promise<ClockSample[]>
  /**
   * Null from a crew that keeps no ledger, such as a proxy. Throws, with the reason, when it cannot
   * be fetched.
   */
  ledger(): Promise<LedgerRow[] | null>
  /** The faults seen by that run; undefined from a crew that does not report them. */
  faults(runId: string): Promise<FaultRecord | undefined>
  /**
   * Adds one fault or a list, in YAML, with times counted from now; the returned function removes
   * them. Throws UserError for what the crew refuses.
   */
  addFaults(yaml: string): Promise<() => Promise<void>>
  profileName: string | null
  /** The factor by which the crew divides its times. */
  speed: number
  /** The base URL behind a proxy; null for a crew, which is itself where executions end. */
  forwardsTo: string | null
  /** Its clock stands still until somebody advances it. */
  isManual: boolean
}

/**
 * The control of a fake crew that was started for the run; null when it is disabled. `token` is
 * sent when the control needs one. Once `isGone` is true, failed requests are not repeated.
 */
export async function openFakeControl(
  target: URL,
  token: string,
  isGone: () => boolean = () => false,
): Promise<FakeControl | null> {
  return open(target, token, { readings: AT_ONCE, isGone })
}

/**
 * The control of a crew that was already running; null unless it is a fake crew. A target on
 * another machine is never asked, and the token of the run is never sent: what listens on this
 * machine may be a tunnel to a deployment. `adminToken` belongs to a fake crew, and is sent only
 * when the clock is refused without one.
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
  const base = `${target.origin}${target.pathname.replace(/\/$/, '')}${CONTROL_PATH}`
  try {
    const clock = await readJson({ url: `${base}/clock`, token }, SMALL)
    if (!isClock(clock)) return null
    const { speed, forwards_to: forwardsTo = null, manual: isManual = false } = clock
    return await controlAt(base, { token, ...manner, speed, forwardsTo, isManual })
  } catch (error) {
    const closed = error instanceof AnsweredOtherwise && error.status === 401
    return closed && adminToken !== undefined ? open(target, adminToken, manner) : null
  }
}

/** The way in which the control is queried. */
interface Manner {
  readings: Readings
  isGone: () => boolean
}

interface Access extends Manner {
  token: string | null
  speed: number
  forwardsTo: string | null
  isManual: boolean
}

async function controlAt(base: string, access: Access): Promise<FakeControl> {
  const { token, readings, isGone, speed, forwardsTo, isManual } = access
  const patience = { inVain: false }
  const at = (path: string): Question => ({ url: `${base}/${path}`, token, isGone, patience })
  const profile = await readJson(at('profile'), MIDDLING).catch(() => null)
  return {
    profileName: nameOf(profile),
    sampleClock: async (now) => sampleClock(now, readings, at('clock')),
    ledger: async () => readLedger(at('ledger')),
    faults: async (runId) => readFaults(at, runId),
    addFaults: async (yaml) => addFaults(at('faults'), yaml),
    speed,
    forwardsTo,
    isManual,
  }
}

function nameOf(profile: unknown): string | null {
  const { name } = (profile ?? {}) as { name?: unknown }
  return typeof name === 'string' ? excerpt(name, MOST_NAME_CHARACTERS) : null
}

async function readJson(question: Question, bounds: FetchBounds): Promise<unknown> {
  return ask(question, bounds, [200], async (body) => JSON.parse(await textOfBody(body)) as unknown)
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
    // One sample is enough for a mapping; without any, the ledger is reported as missing.
  }
  return samples
}

async function sampleOnce(now: () => Micros, clock: Question): Promise<ClockSample> {
  const sentMicros = now()
  const reading = await readJson(clock, SMALL)
  const receivedMicros = now()
  if (!isClock(reading)) throw new Error('did not report a clock')
  return { sentMicros, receivedMicros, ledgerMs: reading.now_ms }
}

async function readLedger(question: Question): Promise<LedgerRow[] | null> {
  try {
    return await patiently(question, async () => readAll(question, ledgerRow))
  } catch (error) {
    if (error instanceof AnsweredOtherwise && error.status === 404) return null
    throw error
  }
}

async function readFaults(
  at: (path: string) => Question,
  runId: string,
): Promise<FaultRecord | undefined> {
  const list = async <Row>(path: string, row: z.ZodType<Row>): Promise<Row[]> =>
    patiently(at(path), async () => readAll(at(path), row))
  try {
    const spells = await list('faults/spells', faultSpells)
    const marks = await list('faults/marks', faultMark)
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

/** Returns 0 for a crew that does not report it. */
async function readDroppedMarks(metrics: Question): Promise<number> {
  const read = async (): Promise<string> => ask(metrics, MIDDLING, [200], textOfBody)
  const text = await patiently(metrics, read).catch(() => '')
  return Number(DROPPED_MARKS.exec(text)?.[1] ?? 0)
}

/** Reads NDJSON. Throws for an answer that is not NDJSON, and for a row of another shape. */
async function readAll<Row>(question: Question, schema: z.ZodType<Row>): Promise<Row[]> {
  return ask(question, LARGE, [200], async (body) => {
    const rows: Row[] = []
    for await (const line of linesOfBody(body)) {
      if (line.trim() === '') continue
      const { data, success } = schema.safeParse(JSON.parse(line))
      if (!success) throw new Error(`row ${rows.length + 1} has another shape`)
      if (rows.push(data) > MOST_ROWS) throw new Error(`sent more than ${MOST_ROWS} rows`)
    }
    return rows
  })
}

interface AddedFaults {
  faults?: { fault: { name: string } }[]
  message?: string
}

async function addFaults(faults: Question, yaml: string): Promise<() => Promise<void>> {
  const added = await ask(
    { ...faults, method: 'POST', body: yaml },
    MIDDLING,
    [201, 422],
    async (body) => JSON.parse(await textOfBody(body)) as AddedFaults,
  ).catch(({ message }: Error): AddedFaults => ({ message }))
  if (added.faults === undefined) {
    const problem = `the fake crew refused it: ${excerpt(added.message ?? 'without a reason')}`
    throw new UserError({ source: 'faults', problem })
  }
  return async () => {
    for (const { fault } of added.faults ?? []) {
      const url = `${faults.url}/${encodeURIComponent(fault.name)}`
      await ask({ ...faults, url, method: 'DELETE' }, SMALL, [204], textOfBody).catch(() => null)
    }
  }
}

/** The token of a fake crew's control, never of a deployment. */
export function adminTokenIn(env: Environment): string | undefined {
  return env['CREWLOAD_FAKE_ADMIN_TOKEN']
}
