/** The virtual body: one engine in virtual time, with the fake crew's model in this process. */
import type { MissingInputs } from '../../crew/inputs/sentences.ts'
import { touchesOf } from '../../result/ledger/faults.ts'
import { parseFaults } from '../../../fake-crew/profiles.ts'
import type { Ledger } from '../../result/ledger/reconcile.ts'
import type { LedgerRow } from '../../crew/ledger.ts'
import { SendingBudget } from '../../engine/sending-budget.ts'
import type { VirtualCrew, VirtualHost } from '../../host/virtual/index.ts'
import type { VirtualWebhooks } from '../../host/virtual/pushes.ts'
import {
  createVirtualCrew,
  createVirtualHost,
  networkWords,
  VIRTUAL_WEBHOOKS,
} from '../../host/virtual/index.ts'
import { webhookSecret, withWebhooks } from '../../host/pushes.ts'
import { env as processEnv } from 'node:process'
import { createRandom, hashText } from '../../base/random.ts'
import { describePlan, planHash } from '../../scenario/plan-data.ts'
import type { Plan } from '../../scenario/plan.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import type { LineSink } from '../line-sink.ts'
import type { Load } from '../drive.ts'
import { drive, engineLoad } from '../drive.ts'
import { lostThreshold } from '../early-abort.ts'
import { missingMarks } from '../fake/clock-link.ts'
import type { MarksKept } from '../fake/control.ts'
import type { RunOptions } from '../options.ts'
import { plannedPlace } from '../target/chosen-place.ts'
import { preflight } from '../target/preflight.ts'
import { runLine } from './body.ts'
import type { Simulation } from '../simulation.ts'
import { pump, openSimulation } from '../simulation.ts'
import { version } from '../environment/package.ts'
import type { Body } from './body.ts'
import type { OpenedMix, PreparedPart, Together } from './together.ts'

/** Nobody else can reach this crew, so the tokens protect nothing. */
const TOKENS = { organization: 'virtual', user: 'virtual-user' }
/** Appears only in the message of a refusal. */
const NOWHERE = new URL('http://crew.virtual')
/** Events between two checks for Ctrl-C and progress, about 50 ms of CPU time. */
const EVENTS_A_SLICE = 10_000
/** A threshold that may end the run early is checked as often as in real time. */
const LOOK_EVERY_MICROS = 2 * MICROS_PER_SECOND

export async function openVirtualBody(plan: Plan, options: RunOptions): Promise<Body> {
  return simulatedBody(plan, options, await openSimulation(plan, options))
}

/** For a simulation that needs no files: in a browser too. */
export function simulatedBody(plan: Plan, options: RunOptions, simulation: Simulation): Body {
  return new VirtualBody(plan, options, simulation)
}

/** A body for each part, in their order; all load one crew in one virtual time. */
export async function openVirtualMix(
  parts: readonly PreparedPart[],
  seeds: Pick<Plan, 'seed' | 'speed'>,
  together: Together,
): Promise<OpenedMix> {
  const simulation = await openSimulation(seeds, parts[0]!.options)
  const crew = createVirtualCrew({ ...simulation, crewTokens: TOKENS })
  const looksOften = parts.some(({ plan }) => mayEndEarly(plan))
  const bodies = parts.map(({ plan, options: { faults, ...others } }, i) => {
    const options = i === 0 && faults !== undefined ? { ...others, faults } : others
    return new VirtualBody(plan, options, simulation, { crew, together, looksOften })
  })
  return { bodies, crews: parts.map(() => 0), close: async () => {} }
}

function mayEndEarly({ thresholds }: Plan): boolean {
  return thresholds.some(({ abortEarly }) => abortEarly)
}

/** What the parts of a mix have in common in virtual time. */
interface VirtualMix {
  crew: VirtualCrew
  together: Together
  /** Whether a threshold may end one of them early: each moves the time of all. */
  looksOften: boolean
}

/**
 * Everything random, timed or counted in here comes from plan, profile, network and seed: the same
 * four give the same lines, byte for byte.
 */
class VirtualBody implements Body {
  readonly runId: string
  readonly target = NOWHERE.href
  readonly hasLedger = true
  readonly ownCrew = true
  readonly #plan: Plan
  readonly #options: RunOptions
  readonly #simulation: Simulation
  readonly #mix: VirtualMix | null
  /** Null until it is measured. */
  #load: Load | null = null

  constructor(
    plan: Plan,
    options: RunOptions,
    simulation: Simulation,
    mix: VirtualMix | null = null,
  ) {
    this.#mix = mix
    this.#plan = heard(plan)
    this.#options = options
    this.#simulation = simulation
    this.runId = runIdOf(plan, simulation, options.faults)
  }

  async carry(lineSink: LineSink): Promise<Ledger> {
    const host = this.#host(lineSink)
    const missing = await this.#preflight(host)
    await this.#mix?.together.meet()
    await this.#measure(host, lineSink, missing)
    await this.#mix?.together.meet()
    const { webhooks } = this.#plan
    if (webhooks !== undefined) host.linger(webhooks.waitMicros)
    const ledger = ledgerOf(host, this.runId)
    const unmarked = missingMarks(marksKept(host), ledger.clock, host.now())
    if (unmarked !== null) lineSink.keep(unmarked)
    return ledger
  }

  async close(): Promise<void> {}

  #host(lineSink: LineSink): VirtualHost {
    const { http, budget, seed } = this.#plan
    return createVirtualHost({
      ...this.#simulation,
      crewTokens: TOKENS,
      tokens: [TOKENS.organization],
      http,
      random: createRandom(seed),
      emit: (line) => {
        lineSink.keep(line)
        if (line.type === 'push') this.#load?.pushed?.(line)
      },
      budget: new SendingBudget(budget, { whole: this.#options.sharedBudget }),
      ...(this.#mix === null ? {} : { crew: this.#mix.crew }),
      userAgent: `crewload/${version()}`,
      faults: addedFaults(this.#options),
      ...(this.#plan.webhooks === undefined ? {} : { webhooks: this.#webhooks() }),
      onAnswer: (operation, answer) => lineSink.answered(operation, answer),
    })
  }

  #webhooks(): VirtualWebhooks {
    const isSigned = webhookSecret(this.#options.env ?? processEnv) !== null
    return { token: TOKENS.organization, isSigned }
  }

  async #preflight(host: VirtualHost): Promise<MissingInputs> {
    const place = { target: NOWHERE, tokens: [TOKENS.organization] }
    const { onNote } = this.#options
    return pump(host, preflight(host, this.#plan, place, this.runId, onNote), 1)
  }

  async #measure(
    host: VirtualHost,
    lineSink: LineSink,
    missingInputs: MissingInputs,
  ): Promise<void> {
    const load = engineLoad(this.#plan, host, {
      runId: this.runId,
      missingInputs,
      begin: () => {
        host.startClock()
        host.emit(this.#runLine(host))
      },
    })
    this.#load = load
    const driven = drive(this.#plan, load, {
      place: plannedPlace(this.#options),
      lineSink,
      missingInputs,
      died: null,
      hooks: this.#options,
      abortReason: () => null,
      tell: (line) => host.emit(line),
    })
    if (!mayEndEarly(this.#plan)) {
      const span = this.#mix?.looksOften === true ? LOOK_EVERY_MICROS : Infinity
      return pump(host, driven, EVENTS_A_SLICE, span)
    }
    // The check follows the run's clock: with the machine's clock each run would differ.
    const abortReason = lostThreshold(this.#plan, lineSink.recorder)
    await pump(host, driven, EVENTS_A_SLICE, LOOK_EVERY_MICROS, () => {
      const reason = abortReason(load.now())
      if (reason !== null) load.stop('drain', reason)
    })
  }

  #runLine({ anchorUnixMs }: VirtualHost): ReturnType<typeof runLine> {
    const { network: simulated } = this.#simulation
    const network = { name: simulated.name, words: networkWords(simulated) }
    const place = plannedPlace(this.#options)
    const instance = { instance: 0, instances: 1, place }
    const origin = { engine: 'virtual', network, ...instance, anchorUnixMs } as const
    return runLine(this.#plan, { runId: this.runId, ...origin })
  }
}

/**
 * The crew's clock is the run's apart from a known offset of its zero: nothing is sampled, and the
 * mapping has no error. The rows are made when they are first read: most trials of studies never
 * read theirs. The run is over, so that they no longer change.
 */
function ledgerOf(host: VirtualHost, runId: string): Ledger {
  const offsetMicros = host.crewOffsetMicros
  const clock = {
    offsetMicros,
    anchorUnixMs: null,
    errorMicros: 0,
    leastRoundTripMicros: 0,
    samples: 1,
  }
  const faults = { spells: host.faultSpells(), touches: touchesOf(host.faultMarks(), runId) }
  let rows: readonly LedgerRow[] | null = null
  return {
    get rows() {
      rows ??= [...host.ledger()]
      return rows
    },
    clock,
    faults,
  }
}

function marksKept(host: VirtualHost): MarksKept {
  const oldestMarkMs = host.faultMarks()[0]?.at_ms ?? null
  return { droppedMarks: host.droppedFaultMarks, oldestMarkMs }
}

/** The plan whose kickoffs name the webhooks of the run. */
function heard(plan: Plan): Plan {
  if (plan.webhooks === undefined) return plan
  const { hooks } = plan.webhooks
  const names = { url: VIRTUAL_WEBHOOKS, token: TOKENS.organization, hooks }
  return { ...plan, inputs: withWebhooks(plan.inputs, names) }
}

function addedFaults({ faults }: RunOptions): ReturnType<typeof parseFaults> {
  return faults === undefined ? [] : parseFaults(faults, 'faults')
}

/** Eight hex digits, derived from everything that determines the run. */
function runIdOf(plan: Plan, simulation: Simulation, faults: RunOptions['faults']): string {
  const made = [planHash(describePlan(plan)), simulation, ...(faults === undefined ? [] : [faults])]
  return hashText(JSON.stringify(made)).toString(16).padStart(8, '0')
}
