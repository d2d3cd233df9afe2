/**
 * The k6 script that a bundle makes: its options, and the one iteration of each VU, which runs the
 * engine to its end.
 */
import type { Options } from 'k6/options'
import { createEngine } from '../../engine/engine.ts'
import type { RunLine } from '../../execution/record/journal-lines.ts'
import type { StopReason } from '../../execution/record/reason.schema.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { PortablePlan } from '../../scenario/plan-data.ts'
import { planFrom } from '../../scenario/plan-data.ts'
import type { Rehearsal } from '../../scenario/author/rehearsal.ts'
import { SendingBudget } from '../../engine/sending-budget.ts'
import { fingerprint } from '../../base/fingerprint.ts'
import type { ClockAnchor } from './clock.ts'
import { anchorOf } from './clock.ts'
import { K6Host } from './index.ts'
import type { Settings, K6Variables } from './settings.ts'
import { abortUnbudgeted, readSettings } from './settings.ts'
import { VARIABLES } from './variables.ts'
import type { World } from './world.ts'
import { rehearse } from '../../scenario/author/rehearsal.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'

/** The contents of a bundle: only data. */
export interface Bundled {
  /**
   * Header values are blank because they are secrets; rows and replayed offsets are empty because
   * they come as `Shared`.
   */
  plan: PortablePlan
  /** The run line of every instance: run id, instance, place and anchor are blank. */
  line: RunLine
  vus: number
  /** Results of the author's checks on made-up results, from when the script was made. */
  rehearsed: Rehearsal['answered']
  /** The target unless the environment names another; null if it must name one. */
  target: string | null
}

/** Stored once for all VUs of a process: k6's `SharedArray`. */
export interface SharedByVus {
  rows: PortablePlan['inputs']['rows']
  offsetsMicros: readonly number[]
  /** Drawn once for the process if the environment gives none. */
  runId: string
}

/**
 * Setting up the engines takes a moment in which the VUs of a process compete, 5 ms each just for
 * the wall clock of the zero. This lead comes after it, so that the first arrivals are on time.
 */
export function leadMs(vus: number): number {
  return 250 + 5 * vus
}

/** Receives the record of every ended execution, for k6's own metrics. */
export type MeasureRecord = (record: ExecutionRecord) => void

export interface ScriptParts {
  bundled: Bundled
  shared: SharedByVus
  /** The default export of the author's file. */
  scenario: unknown
  /** Null if k6 measures nothing. */
  measure: MeasureRecord | null
}

/**
 * Called once per VU, in k6's init context: it may not send, and has no clock yet. `iteration` is
 * instance `vu` - 1 of the run, and resolves when the engine has written its last line. Throws if
 * the author's functions need something that k6's JavaScript engine lacks.
 */
export function createScript(
  world: World,
  variables: K6Variables,
  { bundled, shared, scenario, measure }: ScriptParts,
): { options: Options; iteration: (vu: number) => Promise<void> } {
  const { vus } = bundled
  const plan = planFrom(withShared(bundled.plan, shared), scenario)
  demandRehearsed(world, plan, bundled)
  const userAgent = `crewload/${bundled.line.crewload}`
  return {
    options: k6Options(bundled.plan, variables, { vus, userAgent, measured: measure !== null }),
    iteration: async (vu) => {
      const settings = readSettings(world, variables, plan, bundled.target)
      await abortUnbudgeted(world, settings, plan.budget)
      const { requestsSpent, missingInputs } = settings
      const spent = { kickoffs: 0, requests: requestsSpent }
      const share = { instance: vu - 1, instances: vus }
      const begun = anchorOf(world)
      const control = settings.control === null ? null : openControl(world, settings.control)
      const anchorUnixMs = control === null ? startOf(begun, settings, vus) : await control.start
      if (anchorUnixMs === null) return
      const runId = runIdOf(variables[VARIABLES.runId] ?? shared.runId, settings, anchorUnixMs)
      const host = new K6Host(world, {
        ...settings,
        http: { ...plan.http, headers: settings.headers },
        budget: new SendingBudget(plan.budget, { spent }).shareOf(share),
        share,
        userAgent,
        zeroMs: anchorUnixMs - begun.unixMs,
      })
      const ended = new Promise<void>((resolve) => {
        const engine = createEngine(plan, host, {
          ...share,
          runId,
          budgetIsPart: vus > 1,
          missingInputs,
          ...(measure === null ? {} : { onEnded: measure }),
          onDone: () => resolve(),
        })
        if (control !== null) control.stop = (how, reason) => engine.stop(how, reason)
        const { crew, target } = settings
        const place = crew ?? { kind: 'deployment' as const, target: target.replace(/\/$/, '') }
        const { errorMicros: anchorErrorMicros } = begun
        const origin = { ...share, runId, place, anchorUnixMs, anchorErrorMicros }
        host.emit({ ...bundled.line, ...origin })
        engine.start()
      })
      await ended
      control?.close()
    },
  }
}

/**
 * The zero of a process that nobody controls, Unix milliseconds. All processes that start within
 * one period of the wall clock begin together.
 */
function startOf(
  { unixMs: begunMs }: ClockAnchor,
  { startEverySeconds }: Pick<Settings, 'startEverySeconds'>,
  vus: number,
): number {
  const leastMs = begunMs + leadMs(vus)
  if (startEverySeconds === null) return leastMs
  const everyMs = startEverySeconds * 1_000
  return Math.ceil(leastMs / everyMs) * everyMs
}

/** Different for each use of a manifest, although `given` is always the same. */
function runIdOf(
  given: string,
  { startEverySeconds }: Pick<Settings, 'startEverySeconds'>,
  zeroUnixMs: number,
): string {
  if (startEverySeconds === null) return given
  return fingerprint(`${given} ${zeroUnixMs}`)
}

/**
 * What the process that started k6 says: when to begin, once every VU listens, and when to stop.
 */
export type ControlOrder =
  | { kind: 'start'; unixMs: number }
  | { kind: 'stop'; how: 'drain' | 'now'; reason: StopReason }

/** The process is gone, and with it everybody who would read the result. */
const GONE: ControlOrder = {
  kind: 'stop',
  how: 'drain',
  reason: { code: 'crewload-gone' },
}

interface Control {
  /** The zero of the run, Unix milliseconds; null if it is stopped before it begins. */
  start: Promise<number | null>
  /** What a stop does. */
  stop: (how: 'drain' | 'now', reason: StopReason) => void
  close: () => void
}

/**
 * k6 passes no signal to a script. The line is a WebSocket, because every request over HTTP would
 * be counted in k6's `http_*` metrics.
 */
function openControl(world: Pick<World, 'listen'>, url: string): Control {
  let isClosed = false
  let hangUp: (() => void) | null = null
  const close = (): void => {
    isClosed = true
    hangUp?.()
  }
  const start = new Promise<number | null>((resolve) => {
    hangUp = world.listen(url, (text) => {
      if (isClosed) return
      const order = text === null ? GONE : (JSON.parse(text) as ControlOrder)
      if (order.kind === 'start') return resolve(order.unixMs)
      resolve(null)
      control.stop(order.how, order.reason)
    })
  })
  const control: Control = { start, stop: close, close }
  return control
}

function withShared(plan: PortablePlan, { rows, offsetsMicros }: SharedByVus): PortablePlan {
  const { arrivals, inputs } = plan
  return {
    ...plan,
    arrivals: arrivals.kind === 'replay' ? { ...arrivals, offsetsMicros } : arrivals,
    inputs: { ...inputs, rows },
  }
}

/**
 * The engine ends a run, and k6 must not end it first: arrivals may wait for a place in flight,
 * closed clients may stop after a number of executions, and both take as long as the crew takes.
 */
const LONGEST_RUN_MICROS = 7 * 24 * 3_600 * MICROS_PER_SECOND
/**
 * After the deadline of the last: a margin for the last requests and confirmations, and for a
 * machine that is slow to start.
 */
const MARGIN_MICROS = 600 * MICROS_PER_SECOND

/** Without `url`: it contains an id, and each would be a separate time series. */
const SYSTEM_TAGS = 'check error_code expected_response method name scenario status'.split(' ')

/**
 * `batch` limits how many idle connections k6 keeps. Cookies, redirects and exceptions for failed
 * requests are off, and so are tags unless k6 has outputs (`measured`), which need them.
 */
function k6Options(
  plan: Pick<PortablePlan, 'deadlineMicros' | 'drainMicros' | 'http'>,
  variables: K6Variables,
  facts: { vus: number; userAgent: string; measured: boolean },
): Options {
  const { vus, userAgent, measured } = facts
  const { [VARIABLES.insecure]: insecure, [VARIABLES.cert]: cert, [VARIABLES.key]: key } = variables
  return {
    batch: plan.http.maxConnections,
    batchPerHost: plan.http.maxConnections,
    maxRedirects: 0,
    noCookiesReset: true,
    throw: false,
    userAgent,
    scenarios: {
      crewload: {
        executor: 'per-vu-iterations',
        vus,
        iterations: 1,
        maxDuration: duration(LONGEST_RUN_MICROS),
        gracefulStop: duration(plan.deadlineMicros + plan.drainMicros + MARGIN_MICROS),
      },
    },
    systemTags: measured ? SYSTEM_TAGS : [],
    insecureSkipTLSVerify: insecure === '1',
    ...(cert === undefined || key === undefined ? {} : { tlsAuth: [{ cert, key }] }),
  }
}

/** Formats a duration as k6 reads it. */
function duration(micros: Micros): string {
  return `${Math.ceil(micros / MICROS_PER_MS)}ms`
}

/**
 * If k6's JavaScript engine lacks something, the script ends before anything is sent. Once per
 * process. Throws an Error that names each function that fails, and what is missing.
 */
export function demandRehearsed(
  world: Pick<World, 'isFirstReading'>,
  plan: Plan,
  { rehearsed }: { rehearsed: Rehearsal['answered'] },
): void {
  if (!world.isFirstReading()) return
  const { mistakes } = rehearse(plan, rehearsed)
  if (mistakes.length === 0) return
  const faults = mistakes.map(({ part, message }) => `${part}: ${message}${lack(message)}`)
  throw new Error(`the scenario does not work in k6: ${faults.join('; ')}`)
}

const UNDEFINED = /^ReferenceError: (\w+) is not defined/
/** goja's message for a missing method. */
const NO_MEMBER = /^TypeError: Object has no member '(\w+)'/

function lack(message: string): string {
  const [, missing] = UNDEFINED.exec(message) ?? NO_MEMBER.exec(message) ?? []
  return missing === undefined ? '' : `: k6's JavaScript engine has no ${missing}`
}
