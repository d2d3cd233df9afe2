/** The k6 script of the mode of iterations: one iteration an execution, begun by k6's executors and told to k6's own metrics. */
import type { Options } from 'k6/options'
import type { JournalLine } from '../../execution/journal.ts'
import { notReached, unsentRecord } from '../../execution/machine.ts'
import type { Plan } from '../../scenario/plan.ts'
import { planFrom } from '../../scenario/portable.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import { ownBudget } from '../budget.ts'
import type { K6Host, World } from './index.ts'
import { createK6Host } from './index.ts'
import type { Instruments } from './iterations-meters.ts'
import { IterationMeters } from './iterations-meters.ts'
import { iterationsOptions } from './iterations-options.ts'
import type { K6Summary } from './iterations-summary.ts'
import { counted, finishedLine } from './iterations-summary.ts'
import { arrivalsOf, turnsOf } from './iterations-turns.ts'
import type { VuOptions } from './iterations-vu.ts'
import { IterationVu } from './iterations-vu.ts'
import { demandRehearsed } from './rehearsed.ts'
import type { Bundled, Shared } from './script.ts'
import { budgetLeft, settingsOf, withShared } from './script.ts'
import type { Settings, Variables } from './settings.ts'
import { readSettings, readVus, VARIABLES } from './settings.ts'

/** What all of a process hold once: beside the lists of a plan, the intended times of its schedule. */
export interface SharedSchedule extends Shared {
  times: readonly Micros[]
}

/** What `setup` hands to every iteration and to the summary. */
export interface Begun {
  /** The run's zero, after the start of k6's test run. */
  zeroMs: number
  anchorUnixMs: number
}

export interface IterationsScript {
  options: Options
  /** Writes the first line. */
  setup: () => Begun
  /** Iteration `number` of all, from 0, in VU `vu`, from 1. Resolves when its execution has ended. */
  iteration: (begun: Begun, number: number, vu: number) => Promise<void>
  /** Writes the last line. `begun` is null when `setup` came to nothing. */
  summary: (begun: Begun | null, summary: K6Summary) => void
}

/** From the end of `setup` to the first arrival: k6 starts the VUs in between, one after another. */
const LEAD_MS = 250
const LEAD_MS_A_VU = 1

const NEVER_BEGUN = notReached('k6 ended before it was sent')

/** Called once a VU, in k6's init context: may not send, and has no clock yet. `scenario` is what the author's file exports by default. */
export function createIterationsScript(
  { world, instruments }: { world: World; instruments: Instruments },
  variables: Variables,
  bundled: Bundled,
  shared: SharedSchedule,
  scenario: unknown,
): IterationsScript {
  const vus = readVus(variables, bundled.vus)
  const plan = planFrom(withShared(bundled.plan, shared), scenario)
  demandRehearsed(world, plan, bundled)
  const userAgent = `crewload/${bundled.line.crewload}`
  const insecure = variables[VARIABLES.insecure] === '1'
  const leadMs = LEAD_MS + vus * LEAD_MS_A_VU
  const scheduled = shared.times.length
  const leadMicros = leadMs * MICROS_PER_MS
  const runId = variables[VARIABLES.runId] ?? shared.runId
  const open = (zeroMs: number): Opened => {
    const settings = settingsOf(world, () => readSettings(variables, plan, bundled.target))
    const { target, tokens, headers } = settings
    const budget = ownBudget(NO_LIMITS)
    const http = { ...plan.http, headers }
    const facts = { target, tokens, http, budget, share: WHOLE, userAgent, zeroMs }
    return { settings, host: createK6Host(world, facts) }
  }
  let self: IterationVu | null = null
  return {
    options: iterationsOptions(bundled.plan, { vus, userAgent, insecure, scheduled, leadMicros }),
    setup: () => {
      const zeroMs = world.elapsedMs() + leadMs
      const { settings, host } = open(zeroMs)
      const { unixMs: anchorUnixMs, errorMicros: anchorErrorMicros } = host.anchor()
      const target = settings.target.replace(/\/$/, '')
      host.emit({ ...bundled.line, runId, target, anchorUnixMs, anchorErrorMicros })
      return { zeroMs, anchorUnixMs }
    },
    iteration: async ({ zeroMs }, number, vu) => {
      self ??= iterationVu(open(zeroMs), shared.times, {
        world,
        plan,
        runId,
        vu,
        vus,
        meters: new IterationMeters(instruments),
      })
      return self.iterate(number)
    },
    summary: (begun, summary) => {
      if (begun === null) return
      const atMicros = Math.floor((world.unixMs() - begun.anchorUnixMs) * MICROS_PER_MS)
      for (const line of lastLines(plan, shared.times, summary, atMicros)) {
        world.log(JSON.stringify(line))
      }
    },
  }
}

interface Opened {
  settings: Settings
  host: K6Host
}

/** A VU sends one request at a time, and so opens one connection. */
const WHOLE = { instance: 0, instances: 1 }

/** Each iteration has a budget of its own. */
const NO_LIMITS = { kickoffs: null, requests: null }

function iterationVu(
  { settings, host }: Opened,
  times: readonly Micros[],
  facts: Pick<VuOptions, 'world' | 'plan' | 'runId' | 'vu' | 'vus' | 'meters'>,
): IterationVu {
  const { plan, vu } = facts
  return new IterationVu({
    ...facts,
    host,
    turns: turnsOf(plan, times, vu - 1),
    budget: budgetLeft(plan, settings),
    arrivals: arrivalsOf(plan.arrivals, times.length),
    control: settings.control,
  })
}

/** What k6 never began is a record, too; and that VUs were too few is said. */
function lastLines(
  plan: Plan,
  times: readonly Micros[],
  summary: K6Summary,
  atMicros: Micros,
): JournalLine[] {
  const unserved = counted(summary, 'unserved')
  const isScheduled = plan.arrivals.kind !== 'closed'
  const left = isScheduled ? unbegun(plan, times, counted(summary, 'arrivals'), atMicros) : []
  return [
    ...left,
    ...(unserved === 0 ? [] : [tooFewVus(unserved, atMicros)]),
    finishedLine(summary, atMicros, isScheduled),
  ]
}

/** k6 numbers iterations in the order in which it begins them: those of the end are left. */
function unbegun(
  { warmUpMicros }: Plan,
  times: readonly Micros[],
  begun: number,
  atMicros: Micros,
): JournalLine[] {
  const lines: JournalLine[] = []
  for (let index = begun; index < times.length; index++) {
    const intendedMicros = times[index]!
    const warmUp = intendedMicros < warmUpMicros
    const arrival = { index, instance: 0, intendedMicros, warmUp }
    lines.push({ type: 'ended', record: unsentRecord(arrival, NEVER_BEGUN, atMicros) })
  }
  return lines
}

function tooFewVus(unserved: number, atMicros: Micros): JournalLine {
  const message = `k6 had no VU free for ${unserved} of the arrivals, which were dropped: --k6-vus gives it more`
  const finding = { kind: 'note', message } as const
  return { type: 'finding', instance: 0, atMicros, index: null, finding }
}
