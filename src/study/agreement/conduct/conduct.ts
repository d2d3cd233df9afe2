/** One seed under several engines, one after another, and whether they measured the same. */
import { performance } from 'node:perf_hooks'
import type { StudyOutcome } from '../../frame/conduct/conduct.ts'
import { conductStudy } from '../../frame/conduct/conduct.ts'
import { analyseAgreement, DEFAULT_BOUNDS } from '../analyse/analyse.ts'
import { agreement } from '../study.ts'
import type { AgreementOptions } from '../plan.ts'
import { demandProfile, foresee, optionsUnder } from '../plan.ts'
import type { Story } from '../analyse/aspects.ts'
import type { AgreementBounds, AgreementDocument } from '../document.ts'
import { assert } from '../../../base/assert.ts'
import { createNamedFolder } from '../../../run/folder/folder.ts'
import { readStory } from './story.ts'
import type { EngineChoice } from '../../../run/engines.ts'
import type { RunControl, RunOptions } from '../../../run/options.ts'
import type { RunOutcome } from '../../../run/run.ts'
import { runInto } from '../../../run/run.ts'

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
