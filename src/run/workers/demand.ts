/** Whether a run can have the workers that were asked for. */
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Plan } from '../../scenario/plan.ts'
import { tooFew } from '../../scenario/parts.ts'
import { needsScenario, portablePlan } from '../../scenario/portable.ts'
import type { RunOptions } from '../options.ts'

/** Each is an event loop with connections of its own: more than any machine's cores is no use. */
const MOST_WORKERS = 64

/** `scenario` is what `run` was given. Throws UserError with every mistake. */
export function demandWorkers({ workers }: RunOptions, plan: Plan, scenario: unknown): void {
  if (workers === undefined) return
  const problems = [
    ...outOfRange(workers),
    ...(workers > 1 ? [...tooFew(plan, workers, 'worker'), ...notPortable(plan, scenario)] : []),
  ]
  if (problems.length > 0) throw new UserError(problems.map((problem) => mistake(workers, problem)))
}

function outOfRange(workers: number): string[] {
  if (Number.isInteger(workers) && workers >= 1 && workers <= MOST_WORKERS) return []
  return [`expected a whole number from 1 to ${MOST_WORKERS}`]
}

function notPortable(plan: Plan, scenario: unknown): string[] {
  if (typeof scenario === 'string' || !needsScenario(portablePlan(plan))) return []
  return [
    "the scenario's functions cannot travel to another thread: export it by default from a file, and give the path",
  ]
}

function mistake(workers: number, problem: string): Mistake {
  return { source: '--workers', path: '', found: String(workers), problem }
}
