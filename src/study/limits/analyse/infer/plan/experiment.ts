/** The experiment that carries out a plan. */
import type { Experiment } from '../interface.ts'
import { costOf } from './grammar.ts'
import type { ExperimentPlan } from './simulate.ts'

/** It begins at `nowMs` where the plan would have begun before. `purpose`: for the user. */
export function experiment(
  { startMs, steps, until }: ExperimentPlan,
  nowMs: number,
  purpose: string,
): Experiment {
  const start = Math.max(nowMs, startMs)
  return {
    kind: 'experiment',
    purpose,
    startMs: start,
    sends: steps.map(({ afterMs, count }) => ({ afterMs, count })),
    until,
    cost: { requests: costOf(steps), ms: start - nowMs + steps.at(-1)!.afterMs },
  }
}
