/**
 * The trials of a study, one after another: stopped together, counted together, and kept in its
 * folder as they end.
 */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { z } from 'zod'
import type { Reason } from '../../../analysis/document.ts'
import { plural } from '../../../analysis/metrics/format-metric.ts'
import { prepareHdr } from '../../../measure/histograms/hdr.ts'
import type { Abandoned } from '../../../run/bodies/body.ts'
import { TargetError } from '../../../run/errors.ts'
import { createNamedFolder, JOURNAL_FILE } from '../../../run/folder/folder.ts'
import type { RunControl, RunOptions } from '../../../run/options.ts'
import type { KeptTrial } from './kept.ts'
import { keepTrial, readKept, rewriteKept } from './kept.ts'
import type { Spent } from './spending.ts'
import { spentIn, sumOf } from './spending.ts'
import type { Trial, TrialEnd } from './trial.ts'
import { runTrial } from './trial.ts'

/** Executions that one of the runs gave up while they still ran on the target. */
export interface LeftBehind {
  /** Where `resume` finds them; null where no journal was kept. */
  folder: string | null
  abandoned: readonly Abandoned[]
}

export interface SeriesOptions {
  /** Of the study; null keeps nothing. */
  folder: string | null
  /** What is simulated costs nothing: it needs no journal, and what was cut of it is forgotten. */
  simulated: boolean
  /** What can be done about a target that is lost between two runs. */
  whenLost: string
  /** Is added to. */
  leftBehind: LeftBehind[]
  onStart?: RunOptions['onStart'] | undefined
  onTrouble?: RunOptions['onTrouble'] | undefined
}

/** What the trials before a cut left, as their folder tells. */
interface Former {
  kept: readonly KeptTrial[]
  /** Sent in runs that belong to no trial that ended. */
  cut: Spent
  /** The number of the last run. */
  lastRun: number
}

const NOTHING: Spent = { requests: 0, kickoffs: 0 }
const NO_FORMER: Former = { kept: [], cut: NOTHING, lastRun: 0 }

type Account = Pick<KeptTrial, 'runs' | 'folders' | 'spent' | 'invalid'>

export class TrialSeries {
  /** Asked for by the user, or by an error that nobody caught. */
  stopped = false
  readonly #options: SeriesOptions
  readonly #known: ReadonlyMap<string, KeptTrial>
  readonly #ended: Account[] = []
  #cut: Spent
  #account = newAccount()
  #number: number
  #formerMs = 0
  readonly #began = performance.now()
  #running: RunControl | null = null
  #lost: Reason | null = null
  #how: 'drain' | 'now' = 'drain'
  #mayKeep = true

  private constructor(options: SeriesOptions, former: Former) {
    this.#options = options
    this.#known = new Map(former.kept.map((trial) => [trial.key, trial]))
    this.#cut = former.cut
    this.#number = former.lastRun
    prepareHdr()
    options.onStart?.({ stop: (how) => this.#stop(how), fail: (error) => this.#fail(error) })
  }

  /** Goes on with what the folder tells of a study that was cut; a new one tells nothing. */
  static async open(options: SeriesOptions): Promise<TrialSeries> {
    const { folder, simulated } = options
    if (folder === null) return new TrialSeries(options, NO_FORMER)
    const kept = await readKept(folder)
    await rewriteKept(folder, kept)
    return new TrialSeries(options, await formerOf(folder, kept, simulated))
  }

  /** Runs of the scenario that came to their end. */
  get runs(): number {
    return this.#ended.reduce((sum, { runs }) => sum + runs, 0)
  }

  /** All that was sent, by runs that were cut too. */
  get spent(): Spent {
    return sumOf([...this.#ended.map(({ spent }) => spent), this.#cut])
  }

  /** Of the first trial that cannot be trusted; and that the target was lost. */
  get invalid(): Reason[] {
    const first = this.#ended.find(({ invalid }) => invalid.length > 0)
    return [...(first?.invalid ?? []), ...(this.#lost === null ? [] : [this.#lost])]
  }

  /** Of all its processes together, without the time between them. */
  get durationMs(): number {
    return this.#formerMs + performance.now() - this.#began
  }

  /**
   * What `measure` measures by one or more runs, or what was kept of that before a cut. Null when
   * it was stopped, or the target lost, before its end. `key` says what is tried, and `schema` what
   * its measurement looks like.
   */
  async measured<M>(
    key: string,
    schema: z.ZodType<M>,
    measure: () => Promise<M | null>,
  ): Promise<M | null> {
    const known = this.#known.get(key)
    const before = schema.safeParse(known?.measured)
    if (known !== undefined && before.success) {
      this.#ended.push(known)
      this.#formerMs += known.tookMs
      return before.data
    }
    if (this.#isOver) return null
    this.#account = newAccount()
    const began = performance.now()
    const measurement = await measure()
    if (measurement === null) {
      if (!this.#options.simulated) this.#cut = sumOf([this.#cut, this.#account.spent])
      return null
    }
    this.#ended.push(this.#account)
    const tookMs = performance.now() - began
    await this.#keep({ key, ...this.#account, tookMs, measured: measurement })
    return measurement
  }

  /**
   * Of the trial that is measured. Null when it was stopped, before it or while it ran, and when
   * the target is lost.
   */
  async run(trial: Trial): Promise<TrialEnd | null> {
    if (this.#isOver) return null
    const end = await this.#tried(trial)
    if (end === null) return null
    this.#account.spent = sumOf([this.#account.spent, end.spent])
    if (this.stopped) return null
    this.#account.runs++
    const { verdict } = end.result
    if (verdict.outcome === 'invalid') this.distrust(verdict.reasons)
    return end
  }

  /** The measurement that goes on cannot be trusted. */
  distrust(reasons: readonly Reason[]): void {
    const { invalid } = this.#account
    const known = new Set(invalid.map(({ code }) => code))
    invalid.push(...reasons.filter(({ code }) => !known.has(code)))
  }

  /** It was kept before a cut. */
  knows(key: string): boolean {
    return this.#known.has(key)
  }

  get #isOver(): boolean {
    return this.stopped || this.#lost !== null
  }

  /**
   * Null when a former run left the target such that none can begin: what was measured until then
   * is kept.
   */
  async #tried(trial: Trial): Promise<TrialEnd | null> {
    const { folder: study, simulated, leftBehind } = this.#options
    const name = `run-${++this.#number}`
    const folder = study === null || simulated ? null : await createNamedFolder(study, name)
    const onStart = (control: RunControl): void => {
      this.#running = control
      trial.options.onStart?.(control)
      // Asked for while this run was still looking at its target; its clock starts only now.
      if (this.stopped) setImmediate(() => control.stop(this.#how))
    }
    try {
      const end = await runTrial({ ...trial, options: { ...trial.options, onStart } }, folder)
      if (folder !== null) this.#account.folders.push(name)
      const { abandoned } = end
      if (abandoned.length > 0) leftBehind.push({ folder: folder?.path ?? null, abandoned })
      return end
    } catch (error) {
      const runs = this.runs + this.#account.runs
      if (runs === 0 || !(error instanceof TargetError)) throw error
      if (folder !== null) await rm(folder.path, { recursive: true })
      this.#lost = lostAfter(runs, error, this.#options.whenLost)
      return null
    }
  }

  async #keep(trial: KeptTrial): Promise<void> {
    const { folder, onTrouble } = this.#options
    if (folder === null || !this.#mayKeep) return
    await keepTrial(folder, trial).catch((error: Error) => {
      this.#mayKeep = false
      onTrouble?.(`trials cannot be kept: ${error.message}; the study goes on, and is not resumed`)
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

function newAccount(): Account {
  return { runs: 0, folders: [], spent: NOTHING, invalid: [] }
}

const RUN_FOLDER = /^run-(\d+)$/

async function formerOf(
  folder: string,
  kept: readonly KeptTrial[],
  simulated: boolean,
): Promise<Former> {
  const names = (await readdir(folder)).filter((name) => RUN_FOLDER.test(name))
  const whole = new Set(kept.flatMap(({ folders }) => folders))
  const cut = names.filter((name) => !simulated && !whole.has(name))
  const spent: Spent[] = []
  for (const name of cut) spent.push(await spentIn(join(folder, name, JOURNAL_FILE)))
  const numbers = names.map((name) => Number(RUN_FOLDER.exec(name)?.[1] ?? 0))
  return { kept, cut: sumOf(spent), lastRun: Math.max(0, ...numbers) }
}

function lostAfter(runs: number, { message }: TargetError, remedy: string): Reason {
  const told = `after ${plural(runs, 'run')} none could begin: ${message}`
  return { code: 'target', message: told, remedy }
}
