/** The fake crew's side door, `/__fake__/`: is this one, what is its clock, what is the truth. */
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { ClockSample } from '../analysis/clock.ts'
import type { FaultAccount } from '../analysis/faults.ts'
import { touchesOf } from '../analysis/faults.ts'
import type { FaultMark, FaultSpells, LedgerClock, LedgerRow } from '../crew/ledger.ts'
import { UserError } from '../mistakes.ts'
import type { Micros } from '../units.ts'

const CLOCK_READINGS = 15
/** Ten seconds in all. */
const TRIES = 100
const PAUSE_MS = 100
/** A crew whose faults refuse connections, or one that restarts just then. */
const PASSING: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'])

export interface FakeControl {
  /** `now` is the clock to map onto: the host's. */
  sampleClock(now: () => Micros): Promise<ClockSample[]>
  ledger(): Promise<LedgerRow[]>
  /** As of that run; undefined from a crew that does not tell. */
  faults(runId: string): Promise<FaultAccount | undefined>
  /** One fault or a list, in YAML: their times count from now. What it gives takes them back. Throws UserError for what is refused. */
  addFaults(yaml: string): Promise<() => Promise<void>>
  profileName: string | null
  /** By which the crew divides its times. */
  speed: number
}

/** Null when the target is no fake crew (or hides its control). `token` is sent for a control that needs one. */
export async function openFakeControl(target: URL, token: string): Promise<FakeControl | null> {
  const base = `${target.origin}${target.pathname.replace(/\/$/, '')}/__fake__`
  const headers = { authorization: `Bearer ${token}` }
  const get = async (path: string): Promise<unknown> => {
    const answer = await request(`${base}/${path}`, {
      headers,
      headersTimeout: 5_000,
      bodyTimeout: 30_000,
    })
    if (answer.statusCode !== 200) {
      await answer.body.dump()
      return undefined
    }
    return answer.body.json()
  }
  const clock = await get('clock').catch(() => undefined)
  if (!isClock(clock)) return null
  const profile = (await get('profile').catch(() => undefined)) as { name?: string } | undefined
  return {
    profileName: typeof profile?.name === 'string' ? profile.name : null,
    sampleClock: async (now) => patiently(async () => sampleClock(now, async () => get('clock'))),
    ledger: async () => patiently(async () => readAll<LedgerRow>(`${base}/ledger`, headers)),
    faults: async (runId) => readFaults(`${base}/faults`, headers, runId),
    addFaults: async (yaml) => addFaults(`${base}/faults`, headers, yaml),
    speed: clock.speed,
  }
}

async function addFaults(
  url: string,
  headers: Record<string, string>,
  yaml: string,
): Promise<() => Promise<void>> {
  const { statusCode, body } = await request(url, { method: 'POST', headers, body: yaml })
  const told = (await body.json()) as { faults?: { fault: { name: string } }[]; message?: string }
  if (statusCode !== 201) {
    const problem = `the fake crew refused it: ${told.message ?? statusCode}`
    throw new UserError({ source: 'faults', path: '', problem })
  }
  return async () => {
    for (const { fault } of told.faults ?? []) {
      const path = `${url}/${encodeURIComponent(fault.name)}`
      const answer = await request(path, { method: 'DELETE', headers }).catch(() => null)
      await answer?.body.dump()
    }
  }
}

/** Bad weather that passes must not cost the run its truth: it is asked again. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (!PASSING.has(code) || tries === TRIES) throw error
      await sleep(PAUSE_MS)
    }
  }
}

function isClock(value: unknown): value is LedgerClock {
  return (
    typeof value === 'object' && value !== null && typeof (value as LedgerClock).now_ms === 'number'
  )
}

async function sampleClock(
  now: () => Micros,
  read: () => Promise<unknown>,
): Promise<ClockSample[]> {
  const samples: ClockSample[] = []
  for (let i = 0; i < CLOCK_READINGS; i++) {
    const sentMicros = now()
    const clock = await read()
    const receivedMicros = now()
    if (isClock(clock)) samples.push({ sentMicros, receivedMicros, ledgerMs: clock.now_ms })
  }
  return samples
}

async function readFaults(
  url: string,
  headers: Record<string, string>,
  runId: string,
): Promise<FaultAccount | undefined> {
  try {
    const spells = await patiently(async () => readAll<FaultSpells>(`${url}/spells`, headers))
    const marks = await patiently(async () => readAll<FaultMark>(`${url}/marks`, headers))
    return { spells, touches: touchesOf(marks, runId) }
  } catch {
    return undefined
  }
}

/** NDJSON. Throws for an answer that is none. */
async function readAll<Row>(url: string, headers: Record<string, string>): Promise<Row[]> {
  const options = { headers, headersTimeout: 30_000, bodyTimeout: 60_000 }
  const { body, statusCode } = await request(url, options)
  if (statusCode !== 200) {
    await body.dump()
    throw new Error(`${url} answered ${statusCode}`)
  }
  const rows: Row[] = []
  for await (const line of createInterface({ input: body })) {
    if (line.trim() !== '') rows.push(JSON.parse(line) as Row)
  }
  return rows
}
