/** What earlier runs of a study that was cut recorded, and the run that records the rest. */
import { join } from 'node:path'
import { leastOf } from '../../../run/plan/facts.ts'
import { describe } from '../../../scenario/arrivals/index.ts'
import type { Limits } from '../../frame/trial/budget.ts'
import type { Recording } from '../analyse/replay/recording.ts'
import type { Design } from '../plan/plan.ts'
import { readRecording } from './runs.ts'

export type Made = NonNullable<Design['trial']>

/** The runs below a study's folder, in the order in which they are added. */
export class Recalled {
  readonly recordings: Recording[] = []
  /** The names of their folders. */
  readonly runs: string[] = []
  #known = 0
  #warmUps = 0

  async add(study: string, name: string): Promise<void> {
    const { reader, recording } = await readRecording(join(study, name))
    this.recordings.push(recording)
    this.runs.push(name)
    this.#known += recording.executions.filter(({ fate }) => fate !== 'censored').length
    const warmUps = reader.ended.filter(({ warmUp, resumed }) => warmUp && !resumed).length
    this.#warmUps = Math.max(this.#warmUps, warmUps)
  }

  /**
   * The run without the executions whose end is known already; each run makes those of its warm-up.
   * `none`: there are no others; `spent`: there are, and the budget of the study has no kickoff
   * left.
   */
  restOf(trial: Made, left: Limits): Made | 'none' | 'spent' {
    if (this.runs.length === 0) return trial
    const plan = { ...trial.plan, ...trial.changes }
    const { arrivals } = describe(plan.arrivals)
    const missing = arrivals === null ? null : Math.round(arrivals) - this.#known
    if (missing !== null && missing <= this.#warmUps) return 'none'
    const kickoffs = leastOf(plan.budget.kickoffs, missing, left.kickoffs)
    if (kickoffs === 0) return 'spent'
    return { ...trial, changes: { ...trial.changes, budget: { ...plan.budget, kickoffs } } }
  }
}
