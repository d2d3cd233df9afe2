/** Whether a run can have the workers that were asked for. */
import type { Mistake } from '../../mistakes.ts'
import { UserError } from '../../mistakes.ts'
import type { Plan } from '../../scenario/plan.ts'
import { needsScenario, portablePlan } from '../../scenario/portable.ts'
import type { RunOptions } from '../options.ts'

/** Each is an event loop with connections of its own: more than any machine's cores is no use. */
export const MOST_WORKERS = 64

/** `scenario` is what `run` was given. Throws UserError with every mistake. */
export function demandWorkers(
  { workers, engine = 'node' }: RunOptions,
  plan: Plan,
  scenario: unknown,
): void {
  if (workers === undefined) return
  const problems = [
    ...(Number.isInteger(workers) && workers >= 1 && workers <= MOST_WORKERS
      ? []
      : [`expected a whole number from 1 to ${MOST_WORKERS}`]),
    ...(engine === 'node' ? [] : [`goes with --engine node, not with ${engine}`]),
    ...(workers > 1 && typeof scenario !== 'string' && needsScenario(portablePlan(plan))
      ? [
          "the scenario's functions cannot travel to another thread: export the scenario by default from a file, and give its path",
        ]
      : []),
  ]
  if (problems.length > 0) throw new UserError(problems.map((problem) => mistake(workers, problem)))
}

function mistake(workers: number, problem: string): Mistake {
  return { source: '--workers', path: '', found: String(workers), problem }
}
