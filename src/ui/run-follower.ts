/** Follows a run that another process carries, by the journal that it writes. */
import { join } from 'node:path'
import type { Micros } from '../base/units.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import type { JournalLine, RunLine } from '../execution/record/journal-lines.ts'
import type { Outline } from '../journal/reader.ts'
import { readOutline } from '../journal/reader.ts'
import { LineTail } from '../journal/line-tail.ts'
import { lineFrom } from '../journal/line.ts'
import type { LiveRun } from '../report/run/live.ts'
import type { LiveProgress } from '../report/run/terminal/progress.ts'
import type { Recorder } from '../result/counting/recorder.ts'
import { createRecorder } from '../result/counting/recorder.ts'
import type { ThresholdResult } from '../result/document.ts'
import type { SampledExecutions } from '../result/execution-row.ts'
import { judgeAll } from '../result/verdict/thresholds.ts'
import { isCertainToMiss, mostMeasured } from '../run/early-abort.ts'
import { JOURNAL_FILE } from '../run/folder/folder.ts'
import { recipeWords } from '../run/plan/recipe.ts'
import {
  estimate,
  Flights,
  latenessWatch,
  liveProgress,
  Meters,
  shareDone,
} from '../run/progress.ts'
import { lastArrivalMicros, rateShapeOf } from '../scenario/arrivals/index.ts'

type Context = Awaited<ReturnType<typeof recipeWords>>

/** Read at once: a run that is hours old must not stop the page while it is read. */
const MEGABYTES_A_LOOK = 8

export interface FollowedRun {
  folder: string
  part: string | undefined
}

/** Of a mix the part that began first, undefined for a single scenario; null before any line. */
export function firstPart(folder: string): string | undefined | null {
  let first: string | undefined | null = null
  const tail = new LineTail(join(folder, JOURNAL_FILE))
  try {
    tail.each((text) => {
      const line = first !== null || text === '' ? undefined : lineFrom(text)
      if (line?.type === 'run') first = line.part
    }, 1)
  } finally {
    tail.close()
  }
  return first
}

/** What follows from the first line of a journal. */
interface Begun {
  run: RunLine
  exceeded: () => Micros | null
  /** The most arrivals that the window can have; null if it is not known. */
  total: number | null
}

export class RunFollower {
  readonly folder: string
  /** Of a mix: the one that is followed; undefined for a single scenario. */
  readonly part: string | undefined
  readonly #parts = new Set<string>()
  readonly #context: Context
  readonly #tail: LineTail
  readonly #retractions: Outline['retractions']
  readonly #counts: (line: JournalLine) => boolean
  readonly #recorder: Recorder = createRecorder({ executions: true })
  readonly #meters = new Meters()
  readonly #flights = new Flights()
  readonly #left = estimate()
  #begun: Begun | null = null
  #lastMicros: Micros = 0
  #finished = 0
  #unreadable = 0
  #resumed = 0
  /** When the page asked for a drain, on the clock of the run. */
  #drainingSince: Micros | null = null

  private constructor(
    { folder, part }: FollowedRun,
    context: Context,
    retractions: Outline['retractions'],
    tail: LineTail,
  ) {
    this.folder = folder
    this.part = part
    this.#context = context
    this.#tail = tail
    this.#retractions = retractions
    this.#counts = retractions.reader()
  }

  /** Rejects while there is no journal that can be read. */
  static async open({ folder, part }: FollowedRun): Promise<RunFollower> {
    const journal = join(folder, JOURNAL_FILE)
    const { retractions } = await readOutline(journal, 'journal', part)
    const context = await recipeWords(folder)
    return new RunFollower({ folder, part }, context, retractions, new LineTail(journal))
  }

  /** Of a mix, those that have begun. */
  get parts(): readonly string[] {
    return [...this.#parts]
  }

  /** Whether every instance has written its last line. */
  get isFinished(): boolean {
    return this.#begun !== null && this.#finished >= this.#begun.run.instances
  }

  /** Whether a resumption has taken back lines that were counted: open it again. */
  get isOutdated(): boolean {
    return this.#resumed > this.#retractions.lines
  }

  /** Reads what was added; throws what reading throws. Returns whether there was anything. */
  look(): boolean {
    let lines = 0
    this.#tail.each((text) => {
      lines++
      this.#take(text)
    }, MEGABYTES_A_LOOK)
    return lines > 0
  }

  askedToDrain(): void {
    this.#drainingSince ??= this.#nowMicros()
  }

  /** Null before the first line. */
  live(): LiveRun | null {
    if (this.#begun === null) return null
    const { run, exceeded, total } = this.#begun
    const { plan } = run
    const standing = this.#recorder.standing()
    const rate = rateShapeOf(plan.arrivals)
    const now = this.#nowMicros()
    const { thresholds } = judgeAll(
      plan,
      { ...standing.observations, runs: [run], finished: [] },
      null,
    )
    const isLost = ({ metric }: ThresholdResult): boolean => {
      const own = plan.thresholds.find((each) => each.metric === metric)
      if (total === null || own === undefined) return false
      return isCertainToMiss(own, { ...standing, rate, total, now })
    }
    const context = { ...this.#context, ledger: null, unreadableLines: this.#unreadable }
    return {
      progress: this.#progress(run, now, exceeded()),
      document: this.#recorder.document(context),
      thresholds,
      lost: new Set(thresholds.filter(isLost)),
      mostKickoffs: plan.budget.kickoffs,
      costPerKickoff: this.#context.costPerKickoff ?? null,
    }
  }

  executions(): SampledExecutions | null {
    return this.#recorder.executions(null)
  }

  /** Call nothing afterwards. */
  close(): void {
    this.#tail.close()
    this.#recorder.destroy()
    this.#meters.close()
  }

  #take(text: string): void {
    if (text === '') return
    const line = lineFrom(text)
    if (line === undefined) {
      this.#unreadable++
      return
    }
    if (line.type === 'run' && line.part !== undefined) this.#parts.add(line.part)
    if (line.part !== this.part) return
    if (line.type === 'resumed') this.#resumed++
    if (!this.#counts(line)) return
    if (line.type === 'run') this.#begin(line)
    if (line.type === 'finished') this.#finished++
    if (line.type === 'ended') this.#reach(line.record.endedMicros)
    else if ('atMicros' in line) this.#reach(line.atMicros)
    this.#meters.sawRequests(line)
    this.#recorder.record(line)
    this.#meters.saw(line)
    this.#flights.saw(line)
  }

  #begin(run: RunLine): void {
    const exceeded = latenessWatch(run.plan, this.#recorder)
    this.#begun ??= { run, exceeded, total: mostMeasured(run.plan) }
  }

  #reach(micros: Micros): void {
    this.#lastMicros = Math.max(this.#lastMicros, micros)
  }

  /** Virtual time has no clock but its lines. */
  #nowMicros(): Micros {
    const run = this.#begun?.run
    if (run === undefined || run.engine === 'virtual' || this.isFinished) return this.#lastMicros
    const passedMs = Date.now() - run.anchorUnixMs
    return Math.max(this.#lastMicros, Math.round(passedMs * MICROS_PER_MS))
  }

  #progress(
    { plan, place }: RunLine,
    now: Micros,
    latenessBoundMicros: Micros | null,
  ): LiveProgress {
    const stats = this.#flights.stats(lastArrivalMicros(plan.arrivals))
    const readings = this.#meters.read(now)
    const done = this.isFinished ? 1 : shareDone(plan, now, stats, readings.tookP95Micros)
    const far = this.#left(done, now / MICROS_PER_MS)
    const drainingSinceMicros = this.#drainingSince
    return liveProgress(plan, now, stats, readings, {
      place,
      drainingSinceMicros,
      latenessBoundMicros,
      ...far,
    })
  }
}
