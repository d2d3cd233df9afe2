/** One seed under several engines, one after another, and whether they measured the same. */
import { performance } from 'node:perf_hooks'
import { env } from 'node:process'
import type { StudyOutcome } from '../frame/conduct/conduct.ts'
import { conductStudy } from '../frame/conduct/conduct.ts'
import { analyseAgreement, DEFAULT_BOUNDS } from './analyse/analyse.ts'
import { agreement } from './study.ts'
import type { Story } from './analyse/aspects.ts'
import type { AgreementBounds, AgreementDocument } from './document.ts'
import { assert } from '../../base/assert.ts'
import { UserError } from '../../base/mistakes.ts'
import { createNamedFolder } from '../../run/folder/folder.ts'
import { readStory } from './story.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { EngineChoice } from '../../run/engines.ts'
import { findK6 } from '../../run/k6/binary.ts'
import type { EngineName, RunControl, RunOptions } from '../../run/options.ts'
import { preparePlan } from '../../run/plan/prepare.ts'
import type { RunOutcome } from '../../run/run.ts'
import { runInto } from '../../run/run.ts'
import { openSimulation } from '../../run/simulation/simulation.ts'

export interface AgreementOptions extends Omit<RunOptions, 'engine' | 'out'> {
  /** Where the agreement's folder is written. Default `reports`. */
  out?: string
  /** By how much of the reference's value a quantile may differ: a share. Default 0.05. */
  agreeWithin?: number
  /** Called before each run. */
  onRun?: (run: EngineRun) => void
}

interface EngineRun {
  name: string
  /** From 1, of `runs`. */
  number: number
  runs: number
}

export interface AgreementOutcome extends StudyOutcome<AgreementDocument> {
  runs: readonly RunOutcome[]
}

/**
 * Runs the scenario under each engine of the list, each against a fresh fake crew of the same
 * profile and seed, and compares each with the first. A stop ends the run that goes on and all that
 * were to follow; what is there is compared. Throws as `run` does; runs that had ended before keep
 * their folders.
 */
export async function agree(
  scenario: string,
  choices: readonly EngineChoice[],
  options: AgreementOptions,
): Promise<AgreementOutcome> {
  demandProfile(options)
  const plan = await foresee(scenario, choices, options)
  const sequence = new Sequence(scenario, options)
  const outcome = await conductStudy(agreement, {
    name: `${plan.name}-agreement`,
    out: options.out,
    measure: async (start, folder) => {
      assert(folder !== null, 'the runs of an agreement are read back from their folders')
      const began = performance.now()
      await sequence.run(choices, folder.path)
      const { requests = null, kickoffs = null } = options.budget ?? {}
      return analyseAgreement(sequence.stories, boundsOf(options), {
        ...start,
        durationMs: performance.now() - began,
        budget: { requests, kickoffs },
        command: options.command ?? null,
      })
    },
    hasMeasured: () => sequence.outcomes.length > 0,
  })
  const runs = sequence.outcomes
  const unwritten = runs.find((run) => run.unwritten !== null)?.unwritten ?? outcome.unwritten
  return { ...outcome, runs, unwritten }
}

function boundsOf({ agreeWithin }: AgreementOptions): AgreementBounds {
  return { ...DEFAULT_BOUNDS, quantileShare: agreeWithin ?? DEFAULT_BOUNDS.quantileShare }
}

/**
 * An hour of the first engine must not have passed when the second one turns out to be missing, or
 * its network. Throws what they will.
 */
async function foresee(
  scenario: string,
  choices: readonly EngineChoice[],
  options: AgreementOptions,
): Promise<Plan> {
  const each = choices.map((choice) => optionsUnder(choice, options))
  const uses = (kind: EngineName): RunOptions | undefined =>
    each[choices.findIndex(({ engine }) => engine.kind === kind)]
  if (uses('k6') !== undefined) await findK6(options.env ?? env)
  const [plan] = await Promise.all(each.map(async (own) => preparePlan(scenario, own)))
  assert(plan !== undefined, 'an agreement needs an engine')
  const simulated = uses('virtual')
  if (simulated !== undefined) await openSimulation(plan, simulated)
  return plan
}

/**
 * A crew that stands has its own past: the second run would meet other executions than the first.
 */
export function demandProfile({ target }: RunOptions): void {
  if (target === undefined) return
  const problem =
    'several engines are compared with a fake crew of the same seed each: use --profile, or name one engine'
  throw new UserError({ source: '--target', path: '', problem })
}

/** The options of its run. */
export function optionsUnder({ engine }: EngineChoice, options: RunOptions): RunOptions {
  return { ...options, engine }
}

/** The runs, one after another. */
class Sequence {
  readonly stories: Story[] = []
  readonly outcomes: RunOutcome[] = []
  readonly #scenario: string
  readonly #options: AgreementOptions
  readonly #noted = new Set<string>()
  #current: RunControl | null = null
  #stopped: 'drain' | 'now' | null = null

  constructor(scenario: string, options: AgreementOptions) {
    this.#scenario = scenario
    this.#options = options
  }

  async run(choices: readonly EngineChoice[], folder: string): Promise<void> {
    for (const [i, choice] of choices.entries()) {
      if (this.#stopped !== null || this.#options.signal?.aborted === true) return
      this.#options.onRun?.({ name: choice.name, number: i + 1, runs: choices.length })
      await this.#one(choice, folder)
    }
  }

  async #one(choice: EngineChoice, folder: string): Promise<void> {
    const outcome = await runInto(this.#scenario, this.#optionsFor(choice), async () =>
      createNamedFolder(folder, choice.folder),
    )
    this.outcomes.push(outcome)
    this.stories.push(await readStory(choice, folder, outcome.document))
  }

  #optionsFor(choice: EngineChoice): RunOptions {
    return {
      ...optionsUnder(choice, this.#options),
      onNote: (note) => {
        if (!this.#noted.has(note)) this.#options.onNote?.(note)
        this.#noted.add(note)
      },
      onStart: (control) => this.#started(control),
    }
  }

  /** Whoever stops holds one control for all runs, from the start of the first one on. */
  #started(control: RunControl): void {
    const isFirst = this.#current === null
    const fail = (error: unknown): void => {
      this.#stopped = 'drain'
      this.#current?.fail(error)
    }
    this.#current = control
    if (isFirst) this.#options.onStart?.({ stop: (how) => this.#stop(how), fail })
    if (this.#stopped !== null) control.stop(this.#stopped)
  }

  #stop(how: 'drain' | 'now'): void {
    this.#stopped = how
    this.#current?.stop(how)
  }
}
