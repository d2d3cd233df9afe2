/**
 * The k6 script that a bundle makes: its options, and the one iteration of each VU, which runs the
 * engine to its end.
 */
import type { Options } from 'k6/options'
import { createEngine } from '../../../engine/engine.ts'
import type { InstanceShare } from '../../../engine/instance-share.ts'
import type { RunLine } from '../../../execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { Plan } from '../../../scenario/plan.ts'
import type { PortablePlan } from '../../../scenario/portable.ts'
import { planFrom } from '../../../scenario/portable.ts'
import type { Rehearsal } from '../../../scenario/author/rehearsal.ts'
import type { BudgetLimits } from '../../budget.ts'
import { ownBudget } from '../../budget.ts'
import { openControlLine } from './control.ts'
import type { K6Host, World } from '../index.ts'
import { createK6Host } from '../index.ts'
import { k6Options } from './options.ts'
import { quotaOf } from './quota.ts'
import { demandRehearsed } from './rehearsed.ts'
import type { Settings, Variables } from './settings.ts'
import { readSettings, readVus, VARIABLES } from './settings.ts'
import { runIdOf, startOf } from './start.ts'
import { demandBudget } from './unpaid.ts'

/** The contents of a bundle: only data. */
export interface Bundled {
  /**
   * Header values are blank because they are secrets; rows and replayed offsets are empty because
   * they come as `Shared`.
   */
  plan: PortablePlan
  /** The run line of every instance: run id, instance, target and anchor are blank. */
  line: RunLine
  vus: number
  /** Results of the author's checks on made-up results, from when the script was made. */
  rehearsed: Rehearsal['answered']
  /** The target unless the environment names another; null if it must name one. */
  target: string | null
}

/** Stored once for all VUs of a process: k6's `SharedArray`. */
export interface Shared {
  rows: PortablePlan['inputs']['rows']
  offsetsMicros: readonly number[]
  /** Drawn once for the process if the environment gives none. */
  runId: string
}

export interface Script {
  options: Options
  /** Instance `vu` - 1 of the run. Resolves when the engine has written its last line. */
  iteration: (vu: number) => Promise<void>
}

/**
 * Setting up the engines takes a moment in which the VUs of a process compete, 5 ms each just for
 * the wall clock of the zero. This lead comes after it, so that the first arrivals are on time.
 */
const LEAD_MS = 250
const LEAD_MS_A_VU = 5

/** Receives the record of every ended execution, for k6's own metrics. */
export type Measure = (record: ExecutionRecord) => void

export interface ScriptParts {
  bundled: Bundled
  shared: Shared
  /** The default export of the author's file. */
  scenario: unknown
  /** Null if k6 measures nothing. */
  measure: Measure | null
}

/**
 * Called once per VU, in k6's init context: it may not send, and has no clock yet. Throws if the
 * author's functions need something that k6's JavaScript engine lacks.
 */
export function createScript(
  world: World,
  variables: Variables,
  { bundled, shared, scenario, measure }: ScriptParts,
): Script {
  const vus = readVus(variables, bundled.vus)
  const plan = planFrom(withShared(bundled.plan, shared), scenario)
  demandRehearsed(world, plan, bundled)
  const userAgent = `crewload/${bundled.line.crewload}`
  const insecure = variables[VARIABLES.insecure] === '1'
  return {
    options: k6Options(bundled.plan, { vus, userAgent, insecure, measured: measure !== null }),
    iteration: async (vu) => {
      const settings = settingsOf(world, () => readSettings(variables, plan, bundled.target))
      await demandBudget(world, settings, plan.budget)
      const instance = { instance: vu - 1, instances: vus }
      const start = startOf(world, settings, LEAD_MS + vus * LEAD_MS_A_VU)
      const runId = runIdOf(variables[VARIABLES.runId] ?? shared.runId, start)
      const host = hostOf(world, plan, settings, { share: instance, userAgent, ...start })
      const line = { ...bundled.line, ...instance, runId }
      return driven({ world, plan, host, measure }, line, settings)
    },
  }
}

/** An exception would end only this VU, and k6 would exit with code 0. */
function settingsOf(world: World, read: () => Settings): Settings {
  try {
    return read()
  } catch (error) {
    return world.abort(error instanceof Error ? error.message : String(error))
  }
}

function hostOf(
  world: World,
  plan: Plan,
  settings: Settings,
  { share, userAgent, zeroMs }: { share: InstanceShare; userAgent: string; zeroMs: number },
): K6Host {
  const { target, tokens, headers, traces } = settings
  return createK6Host(world, {
    target,
    tokens,
    http: { ...plan.http, headers },
    budget: ownBudget(quotaOf(budgetLeft(plan, settings), share)),
    share,
    userAgent,
    traces,
    zeroMs,
  })
}

/** Requests sent before the script count against the plan's budget, too. */
function budgetLeft({ budget }: Pick<Plan, 'budget'>, { requestsSpent }: Settings): BudgetLimits {
  const { kickoffs, requests } = budget
  return { kickoffs, requests: requests === null ? null : requests - requestsSpent }
}

interface Driven {
  world: World
  plan: Plan
  host: K6Host
  measure: Measure | null
}

async function driven(
  { world, plan, host, measure }: Driven,
  line: RunLine,
  { target, control, requestsSpent, missingInputs }: Settings,
): Promise<void> {
  return new Promise((resolve) => {
    let hangUp = (): void => {}
    const engine = createEngine(plan, host, {
      runId: line.runId,
      instance: line.instance,
      instances: line.instances,
      budgetIsPart: line.instances > 1,
      requestsSpent: line.instance === 0 ? requestsSpent : 0,
      missingInputs,
      ...(measure === null ? {} : { onEnded: measure }),
      onDone: () => {
        hangUp()
        resolve()
      },
    })
    const { unixMs: anchorUnixMs, errorMicros: anchorErrorMicros } = host.anchor()
    const place = { target: target.replace(/\/$/, ''), anchorUnixMs, anchorErrorMicros }
    host.emit({ ...line, ...place })
    if (control === null) return engine.start()
    hangUp = openControlLine(world, control, engine, () => engine.start())
  })
}

function withShared(plan: PortablePlan, { rows, offsetsMicros }: Shared): PortablePlan {
  const { arrivals, inputs } = plan
  return {
    ...plan,
    arrivals: arrivals.kind === 'replay' ? { ...arrivals, offsetsMicros } : arrivals,
    inputs: { ...inputs, rows },
  }
}
