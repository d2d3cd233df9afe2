/**
 * The trials of a study, one after another: stopped together, charged to one budget, and counted
 * together.
 */
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import type { LossReason, TrialReason } from './reasons.ts'
import { reasonOf } from '../../../result/sentence-tables.ts'
import { TRIAL_REASONS } from './reasons.ts'
import type { CrewEnd } from '../../../execution/record/reason.schema.ts'
import { UserError } from '../../../base/mistakes.ts'
import type { Step, Steps } from '../../../base/steps.ts'
import { meanOf } from '../../../result/statistics/moments.ts'
import { prepareHdr } from '../../../result/counting/histogram.ts'
import type { LiveProgress } from '../../../report/run/terminal/progress.ts'
import type { Abandoned } from '../../../run/progress.ts'
import { TargetError } from '../../../run/errors.ts'
import type { RunControl, RunOptions } from '../../../run/options.ts'
import { requestsOfPreflight } from '../../../run/target/preflight.ts'
import { describe } from '../../../scenario/arrivals/index.ts'
import type { StudyEnd } from '../envelope.ts'
import type { BudgetLimits, Spent } from '../../../engine/sending-budget.ts'
import { SendingBudget, narrowed, sumOfSpent } from '../../../engine/sending-budget.ts'
import type { Former, KeptTrial } from './kept-trials.ts'
import {
  NO_FORMER,
  TrialFolders,
  formerOf,
  keep,
  measuredIn,
  readKept,
  rewriteKept,
} from './kept-trials.ts'
import type { TrialRun } from './run.ts'
import { carryTrialRun } from './run.ts'
import type { StudyProgress } from '../progress.ts'
import type { Account, Trial, TrialRunEnd } from './trial.ts'
import { distrust, newAccount, spentBy } from './trial.ts'

/** Executions that one of the runs gave up while they were still running on the target. */
export interface TrialsLeft {
  /** The folder for `resume`; null when no journal was kept. */
  folder: string | null
  abandoned: readonly Abandoned[]
}

/** The facts that a study states about its trials before the first one. */
export interface TrialTerms {
  /** A simulation costs nothing: it needs no journal, and a trial that was cut is discarded. */
  simulated: boolean
  /** Hard limits over all trials. */
  budget: BudgetLimits
  /** The number of trials; null when it depends on what they measure. */
  planned: number | null
  /** What can be done about a target that is lost between two trials. */
  whenLost: string
}

/** What a study alone knows of its progress. */
interface StudyStanding {
  /** Trials that follow, as far as it can be estimated. */
  ahead?: number
  /** The trial, where its key does not say it well. */
  doing?: string
  soFar?: string
}

/** The display is not updated more often while a trial or a calculation is under way. */
const SHOWN_EVERY_MS = 250

export interface TrialHooks {
  /** Receives the control that stops the study, usable from then on. */
  onStart?: (control: RunControl) => void
  /** Called when a page of `crewload ui` stops the study. */
  onAsked?: NonNullable<RunOptions['onAsked']>
  /** Receives problems that spoil the study while it runs. */
  onTrouble?: (trouble: string) => void
  /**
   * Called as each trial begins, and at most four times a second while it is under way.
   */
  onProgress?: (progress: StudyProgress) => void
  /** The first abort stops the study as the first Ctrl-C does. */
  signal?: AbortSignal
}

interface TrialsOptions extends TrialTerms {
  /** The study's name. */
  study: string
  hooks: TrialHooks
  /** The study's folder; null keeps nothing. */
  folder: string | null
  /** Receives the executions that runs leave behind. */
  leftBehind: TrialsLeft[]
}

export class Trials {
  readonly #options: TrialsOptions
  readonly #folders: TrialFolders
  readonly #known: ReadonlyMap<string, KeptTrial>
  /**
   * The names of the folders of runs that a former process did not complete, for a study to which a
   * part of a run is of use.
   */
  readonly cutRuns: readonly string[]
  readonly #ended: Omit<KeptTrial, 'measured' | 'key'>[] = []
  readonly #stop = new AbortController()
  /** Includes what was spent by former processes, and by trials that were not kept. */
  readonly #budget: SendingBudget
  #begun = 0
  #formerMs = 0
  readonly #began = performance.now()
  #running: RunControl | null = null
  #end: StudyEnd = 'complete'
  #lost: LossReason | null = null
  #how: 'drain' | 'now' = 'drain'
  #leftJournal = false
  #isClosing = false
  #standing: StudyStanding = {}
  #toldMs = -Infinity
  #trialBeganMs = 0

  private constructor(options: TrialsOptions, former: Former) {
    this.#options = options
    this.cutRuns = former.cutRuns
    this.#known = new Map(former.kept.map((trial) => [trial.key, trial]))
    const { folder, simulated, budget } = options
    const spent = sumOfSpent([former.cut, ...former.kept.map((trial) => trial.spent)])
    this.#budget = new SendingBudget(budget, { spent })
    this.#folders = new TrialFolders({
      folder,
      journals: !simulated,
      lastRun: former.lastRun,
      onTrouble: (trouble) => options.hooks.onTrouble?.(trouble),
    })
    prepareHdr()
    const { signal, onStart } = options.hooks
    if (signal?.aborted === true) this.#stopAll('drain')
    signal?.addEventListener('abort', () => this.#stopAll('drain'), { once: true })
    onStart?.({ stop: (how) => this.#stopAll(how), fail: (error) => this.#fail(error) })
  }

  /**
   * Continues with what the folder of a study that was cut contains; a new folder contains nothing.
   */
  static async open(options: TrialsOptions): Promise<Trials> {
    const { folder, simulated } = options
    if (folder === null) return new Trials(options, NO_FORMER)
    const kept = await readKept(folder)
    await rewriteKept(folder, kept)
    return new Trials(options, await formerOf(folder, kept, simulated))
  }

  /** `complete` unless something has ended them early. */
  get ended(): StudyEnd {
    return this.#end
  }

  /** Whether no further trial may begin. */
  get isOver(): boolean {
    return this.#end !== 'complete'
  }

  /** The number of runs of a scenario that came to their end. */
  get runs(): number {
    return this.#ended.reduce((sum, { runs }) => sum + runs, 0)
  }

  /** Everything that was sent, including by trials that were cut. */
  get spent(): Spent {
    return this.#budget.spent
  }

  /** Whether there is something that the folder should keep. */
  get hasMeasured(): boolean {
    return this.#ended.length > 0 || this.#leftJournal
  }

  /** Why the target was lost; null if it was not, or if findings of the study say it. */
  get lost(): LossReason | null {
    return this.#lost
  }

  /** The reasons of the first trial that cannot be trusted, and the loss of the target. */
  get invalid(): TrialReason[] {
    const first = this.#ended.find(({ invalid }) => invalid.length > 0)
    return [...(first?.invalid ?? []), ...(this.#lost === null ? [] : [this.#lost])]
  }

  /** The time of all its processes together, without the time between them. */
  get durationMs(): number {
    return this.#formerMs + performance.now() - this.#began
  }

  /** Takes what the study alone knows of its progress, for what is shown from now on. */
  stands(standing: StudyStanding): void {
    this.#standing = standing
  }

  /** Whether the trial was kept before a cut. */
  knows(key: string): boolean {
    return this.#known.has(key)
  }

  /**
   * Returns what `measure` measures, or what was kept of it before a cut. Null when the study was
   * stopped, its budget spent or its target lost before the trial's end; then nothing of it is
   * kept. `key` names what is tried, and `schema` describes its measurement.
   */
  async measured<M>(
    key: string,
    schema: z.ZodType<M>,
    measure: (trial: Trial) => Promise<M | null>,
  ): Promise<M | null> {
    const known = this.#known.get(key)
    if (known !== undefined) {
      const before = measuredIn(known, schema, this.#options.folder ?? '')
      this.#begun++
      this.#ended.push(known)
      this.#formerMs += known.tookMs
      return before
    }
    if (this.isOver) return null
    this.#begun++
    this.#toldMs = -Infinity
    const began = performance.now()
    this.#trialBeganMs = began
    this.#tell(key, null)
    return this.#accounted(key, measure, async (account, measured) => {
      const { runs, folders, invalid } = account
      const tookMs = performance.now() - began
      const trial = { runs, folders, invalid, spent: spentBy(account), tookMs }
      this.#ended.push(trial)
      await this.#folders.write(async (folder) => keep(folder, { key, ...trial, measured }))
    })
  }

  /**
   * Does work that each process of the study repeats, such as a preflight: it is charged to the
   * budget and counted, but its outcome is not kept. Null as for `measured`.
   */
  async unkept<T>(key: string, work: (trial: Trial) => Promise<T | null>): Promise<T | null> {
    if (this.isOver) return null
    return this.#accounted(key, work, async (account) => this.#settle(account))
  }

  /**
   * Does work when the trials are over, however they ended: it is charged to the rest of the
   * budget, and not kept. A study that needs it must set aside what it takes.
   */
  async closing<T>(key: string, work: (trial: Trial) => Promise<T | null>): Promise<T | null> {
    this.#isClosing = true
    return this.#accounted(key, work, async (account) => this.#settle(account))
  }

  /**
   * Carries out a long calculation over what the trials measured, whether or not they were stopped
   * before, in steps between which Ctrl-C is handled. Null when the study is stopped meanwhile.
   */
  async calculated<Result>(
    steps: Steps<Result>,
    onStep?: (step: Step) => void,
  ): Promise<Result | null> {
    const stop = new AbortController()
    this.#running = { stop: () => stop.abort(), fail: (error) => stop.abort(error) }
    try {
      let nextMs = performance.now() + SHOWN_EVERY_MS
      for (;;) {
        const step = steps.next()
        if (step.done === true) return step.value
        if (performance.now() < nextMs) continue
        onStep?.(step.value)
        await setImmediate()
        if (stop.signal.aborted) return null
        nextMs = performance.now() + SHOWN_EVERY_MS
      }
    } finally {
      this.#running = null
    }
  }

  /**
   * The target is lost: no further trial begins, and a run in progress ends at once, since nobody
   * answers its polls any more. `reason` is why the study is INVALID; null where its own findings
   * say that.
   */
  lose(reason: LossReason | null): void {
    this.#lost ??= reason
    this.#how = 'now'
    this.#finish('target')
    this.#running?.stop('now', 'target lost')
  }

  /**
   * Loses the target as soon as the fake crew of the study ends; does nothing if `died` is null.
   */
  loseWith(died: Promise<CrewEnd> | null): void {
    void died?.then((end) => this.lose(reasonOf(TRIAL_REASONS, 'study-crew-ended', end)))
  }

  async #accounted<M>(
    key: string,
    measure: (trial: Trial) => Promise<M | null>,
    end: (account: Account, measured: M) => Promise<void>,
  ): Promise<M | null> {
    const account = newAccount(key, this.#budget)
    let isOpen = true
    try {
      const measured = await measure(this.#trialOf(account))
      if (measured !== null) {
        isOpen = false
        account.outside.settle()
        await end(account, measured)
        return measured
      }
    } catch (error) {
      // Ctrl-C reaches a fake crew that is just being started for the trial as well.
      if (error instanceof UserError && this.#end === 'interrupted') return null
      if (!(error instanceof TargetError) || this.#ended.length + account.runs === 0) throw error
      const facts = { runs: this.runs + account.runs, error: error.message }
      const remedy = this.#options.whenLost
      this.lose({ ...reasonOf(TRIAL_REASONS, 'no-further-run', facts), remedy })
    } finally {
      if (isOpen) await this.#settle(account)
    }
    return null
  }

  /** Accounts for a trial that is not kept. */
  async #settle({ key, byRuns, outside }: Account): Promise<void> {
    const { spent: sent } = outside
    const isSilent = sent.requests + outside.ownReserve.requests === 0
    for (const part of [byRuns, outside]) {
      if (this.#options.simulated) part.discard()
      else part.settle()
    }
    if (!isSilent) await this.#folders.write(async (folder) => keep(folder, { key, sent }))
  }

  #trialOf(account: Account): Trial {
    const left = (): BudgetLimits => this.#budget.left
    return {
      signal: this.#stop.signal,
      get left() {
        return left()
      },
      run: async (run) => this.#run(run, account),
      reserve: async (most) => this.#reserve(most, account),
      outOfBudget: () => {
        this.#finish('budget')
        return null
      },
      sent: (count) => {
        account.outside.add(count)
        this.#tell(account.key, null)
      },
      distrust: (reasons) => distrust(account, reasons),
    }
  }

  async #reserve(most: Spent, account: Account): Promise<boolean> {
    if (this.isOver && !this.#isClosing) return false
    if (!account.outside.reserve(most)) {
      this.#finish('budget')
      return false
    }
    await this.#folders.write(async (folder) => keep(folder, { key: account.key, reserved: most }))
    return true
  }

  async #run(run: TrialRun, account: Account): Promise<TrialRunEnd | null> {
    if (this.isOver) return null
    const plan = { ...run.plan, ...run.changes }
    const { arrivals } = describe(plan.arrivals)
    const kickoffs = Math.min(Math.round(arrivals ?? 1), plan.budget.kickoffs ?? Infinity)
    const requests = kickoffs + requestsOfPreflight({ tokens: run.options.tokens ?? [] })
    if (!this.#budget.hasRoomFor({ requests, kickoffs })) {
      this.#finish('budget')
      return null
    }
    const { left } = this.#budget
    const budget = narrowed(plan.budget, left)
    const end = await this.#carried({ ...run, changes: { ...run.changes, budget } }, account)
    account.byRuns.add(end.spent)
    if (this.isOver) return end
    // A run that only the scenario's own budget limited came to its regular end.
    if (end.budgetSpent && isLimitedBy(budget, left)) this.#finish('budget')
    if (this.isOver) return { ...end, isCut: true }
    account.runs++
    const { verdict } = end.document
    if (verdict.outcome === 'invalid') distrust(account, verdict.reasons)
    return end
  }

  async #carried(run: TrialRun, account: Account): Promise<TrialRunEnd> {
    const { leftBehind } = this.#options
    const folder = await this.#folders.folderOf(run)
    const onStart = (control: RunControl): void => {
      this.#running = control
      run.options.onStart?.(control)
      // The stop was requested while this run was still probing its target.
      if (this.isOver) control.stop(this.#how)
    }
    const onProgress = (live: LiveProgress): void => this.#tell(account.key, live)
    const options = { ...run.options, onStart, onProgress }
    try {
      const end = await carryTrialRun({ ...run, options }, folder?.run ?? null)
      if (folder !== null) account.folders.push(folder.name)
      this.#leftJournal ||= folder !== null
      const { abandoned } = end
      if (abandoned.length > 0) leftBehind.push({ folder: end.folder, abandoned })
      return { ...end, isCut: this.isOver }
    } finally {
      this.#running = null
    }
  }

  #tell(trial: string, run: LiveProgress | null): void {
    const nowMs = performance.now()
    if (this.isOver || nowMs < this.#toldMs + SHOWN_EVERY_MS) return
    this.#toldMs = nowMs
    const { planned, budget, study } = this.#options
    const { ahead, soFar = null, doing = trial } = this.#standing
    const number = Math.max(1, this.#begun)
    const isAbout = planned === null && ahead !== undefined
    const of = planned ?? (ahead === undefined ? null : number + ahead)
    const kickoffs = run?.started ?? 0
    this.#options.hooks.onProgress?.({
      study,
      trial: doing,
      number,
      of: of === 0 ? null : of,
      isAbout,
      spent: sumOfSpent([this.spent, { requests: 0, kickoffs }]),
      budget,
      elapsedMs: this.durationMs,
      leftMs: of === null ? null : this.#leftMs(of - number, nowMs, run),
      soFar,
      run,
    })
  }

  /** Null while no trial has ended that shows how long one takes, and no run knows its own end. */
  #leftMs(ahead: number, nowMs: number, run: LiveProgress | null): number | null {
    const took = this.#ended.map(({ tookMs }) => tookMs)
    const mean = took.length === 0 ? null : meanOf(took)
    const current = mean === null ? null : Math.max(0, mean - (nowMs - this.#trialBeganMs))
    const ofCurrent = run?.leftMs ?? current
    if (ofCurrent === null || (ahead > 0 && mean === null)) return null
    return ofCurrent + Math.max(0, ahead) * (mean ?? 0)
  }

  #fail(error: unknown): void {
    this.#finish('interrupted')
    this.#running?.fail(error)
  }

  #stopAll(how: 'drain' | 'now'): void {
    if (this.#how === 'drain') this.#how = how
    this.#finish('interrupted')
    this.#running?.stop(this.#how)
  }

  /** Ends the trials; only the first call counts. */
  #finish(end: StudyEnd): void {
    if (this.#end === 'complete') this.#end = end
    this.#stop.abort()
  }
}

/** Whether a limit of a run is what its study had left. */
function isLimitedBy(budget: BudgetLimits, left: BudgetLimits): boolean {
  const { kickoffs, requests } = left
  return (
    (kickoffs !== null && kickoffs === budget.kickoffs) ||
    (requests !== null && requests === budget.requests)
  )
}
