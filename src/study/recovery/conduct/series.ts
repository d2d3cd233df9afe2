/** The trials of a recovery test, one after another: each seed at the size that was asked for, then the sizes of the bisection. */
import { rm } from 'node:fs/promises'
import type { Reason } from '../../../analysis/document.ts'
import { courseOf } from '../analyse/course.ts'
import type { RecoveryCourse, RecoveryTrial } from '../document.ts'
import { plural } from '../../../analysis/metrics/format-metric.ts'
import type { SizeResult } from '../analyse/tipping.ts'
import { nextSize } from '../analyse/tipping.ts'
import { measureTrial } from '../analyse/trial.ts'
import { prepareHdr } from '../../../measure/histograms/hdr.ts'
import { createNamedFolder } from '../../../run/folder/folder.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { Abandoned } from '../../../run/bodies/body.ts'
import { TargetError } from '../../../run/errors.ts'
import type { RunControl } from '../../../run/options.ts'
import type { RecoveryOptions } from './options.ts'
import type { Design } from './plan.ts'
import type { TrialRun, TrialSettings } from './trial.ts'
import { runTrial } from './trial.ts'

/** Trials at each size of the bisection. */
const BISECTION_SEEDS = 10
/** The bisection goes from a hundredth of the size that was asked for to sixteen times it. */
const LEAST_SHARE = 0.01
const MOST_TIMES = 16
/** Service is counted in so many steps between two arrivals in the mean; a step is a millisecond at least. */
const STEPS_BETWEEN = 4

/** Executions that one of the runs gave up while they still ran on the target. */
export interface LeftBehind {
  /** Where `resume` finds them; null where no journal was kept. */
  folder: string | null
  abandoned: readonly Abandoned[]
}

export class TrialSeries {
  readonly trials: RecoveryTrial[] = []
  readonly courses: RecoveryCourse[] = []
  readonly invalid: Reason[] = []
  readonly leftBehind: LeftBehind[] = []
  /** Runs of the scenario in all. */
  runs = 0
  stopped = false
  readonly #design: Design
  readonly #options: RecoveryOptions
  readonly #crewSpeed: number
  /** Where runs that cost money keep their journals; null where none does. */
  readonly #folder: string | null
  #running: RunControl | null = null
  #isLost = false
  #how: 'drain' | 'now' = 'drain'

  constructor(design: Design, options: RecoveryOptions, crewSpeed: number, folder: string | null) {
    this.#folder = folder
    this.#design = design
    this.#options = options
    this.#crewSpeed = crewSpeed
    prepareHdr()
    options.onStart?.({ stop: (how) => this.#stop(how), fail: (error) => this.#fail(error) })
  }

  async tryEachSeed(): Promise<void> {
    const { facts, triggerMicros } = this.#design
    for (const seed of facts.seeds) {
      const run = await this.#run(seed, triggerMicros, true)
      if (run === null) return
      const control = facts.control ? await this.#run(seed, triggerMicros, false) : null
      if (facts.control && control === null) return
      const trial = this.#measured(seed, run, control)
      this.trials.push(trial)
      const { span, seen } = run
      this.courses.push(courseOf({ trial, run: seen, control: control?.seen ?? null, span }))
      this.#options.onTrial?.(trial)
    }
  }

  /** From the trials that are there. No control runs: the load is the same, and was shown to be carried. */
  async bisect(): Promise<readonly SizeResult[] | null> {
    if (this.stopped) return null
    const sizeMs = this.#design.triggerMicros / MICROS_PER_MS
    const limits = { leastMs: Math.max(1, sizeMs * LEAST_SHARE), mostMs: sizeMs * MOST_TIMES }
    const results = [sizeResult(sizeMs, this.trials)]
    for (;;) {
      const next = nextSize(results, limits)
      if (next === null) return results
      const trials = await this.#tryEvery(next)
      if (trials === null) return results
      results.push(sizeResult(next, trials))
    }
  }

  async #tryEvery(sizeMs: number): Promise<RecoveryTrial[] | null> {
    const seeds = this.#design.facts.seeds.slice(0, BISECTION_SEEDS)
    this.#options.onSize?.(sizeMs, seeds.length)
    const trials: RecoveryTrial[] = []
    for (const seed of seeds) {
      const run = await this.#run(seed, Math.round(sizeMs * MICROS_PER_MS), true)
      if (run === null) return null
      trials.push(this.#measured(seed, run, null))
    }
    return trials
  }

  /** Null when it was stopped, before it or while it ran. */
  async #run(seed: number, sizeMicros: Micros, disturbed: boolean): Promise<TrialRun | null> {
    if (this.stopped || this.#isLost) return null
    const run = await this.#tried({ seed, sizeMicros, disturbed })
    if (run === null) return null
    this.runs++
    if (this.stopped) return null
    if (this.invalid.length === 0)
      this.invalid.push(...run.complaints.map(untriggered), ...run.invalid)
    return run
  }

  /** Null when a former run left the target such that none can begin: what was measured until then is kept. */
  async #tried(
    settings: Pick<TrialSettings, 'seed' | 'sizeMicros' | 'disturbed'>,
  ): Promise<TrialRun | null> {
    const own = `run-${this.runs + 1}`
    const folder = this.#folder === null ? null : await createNamedFolder(this.#folder, own)
    try {
      const run = await runTrial(this.#design, {
        ...settings,
        folder,
        crewSpeed: this.#crewSpeed,
        onStart: (control) => {
          this.#running = control
          // Asked for while this run was still looking at its target; its clock starts only now.
          if (this.stopped) setImmediate(() => control.stop(this.#how))
        },
      })
      const { abandoned } = run
      if (abandoned.length > 0) this.leftBehind.push({ folder: folder?.path ?? null, abandoned })
      return run
    } catch (error) {
      if (this.runs === 0 || !(error instanceof TargetError)) throw error
      if (folder !== null) await rm(folder.path, { recursive: true })
      this.#isLost = true
      this.invalid.push(lost(this.runs, error))
      return null
    }
  }

  #measured(seed: number, run: TrialRun, control: TrialRun | null): RecoveryTrial {
    const { rate, withinMicros } = this.#design
    const betweenMicros = rate.perMicros / rate.count
    const stepMicros = Math.max(MICROS_PER_MS, Math.round(betweenMicros / STEPS_BETWEEN))
    return measureTrial({
      seed,
      run: run.seen,
      control: control?.seen ?? null,
      span: run.span,
      stepMicros,
      withinMicros,
    })
  }

  #fail(error: unknown): void {
    this.stopped = true
    this.#running?.fail(error)
  }

  #stop(how: 'drain' | 'now'): void {
    this.stopped = true
    this.#how = how
    this.#running?.stop(how)
  }
}

function sizeResult(sizeMs: number, trials: readonly RecoveryTrial[]): SizeResult {
  const known = trials.filter(({ outcome }) => outcome !== 'unclear')
  const tipped = known.filter(({ outcome }) => outcome === 'does-not-recover').length
  return { sizeMs, tipped, of: known.length }
}

function lost(runs: number, { message }: TargetError): Reason {
  return {
    code: 'target',
    message: `after ${plural(runs, 'run')} none could begin: ${message}`,
    remedy: 'bring the target back, with --undo-command if a command took it away',
  }
}

/** Where the user's command failed, nobody knows what the crew recovered from. */
function untriggered(message: string): Reason {
  return { code: 'trigger', message, remedy: 'mend the command, and try again' }
}
