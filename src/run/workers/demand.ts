/** Whether a run can have the workers that were asked for. */
import type { Mistake } from '../../mistakes.ts'
import { UserError } from '../../mistakes.ts'
import type { Plan } from '../../scenario/plan.ts'
import { needsScenario, portablePlan } from '../../scenario/portable.ts'
import type { RunOptions } from '../options.ts'

/** Each is an event loop with connections of its own: more than any machine's cores is no use. */
const MOST_WORKERS = 64

/** `scenario` is what `run` was given. Throws UserError with every mistake. */
export function demandWorkers(
  { workers, engine = 'node' }: RunOptions,
  plan: Plan,
  scenario: unknown,
): void {
  if (workers === undefined) return
  const problems = [
    ...outOfRange(workers),
    ...(engine === 'node' ? [] : [`goes with --engine node, not with ${engine}`]),
    ...(workers > 1 ? [...tooFew(workers, plan), ...notPortable(plan, scenario)] : []),
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

/** What is shared out between workers must do for all of them: a part of nothing would be none, or more than the whole. */
function tooFew(workers: number, { arrivals, admission, http }: Plan): string[] {
  const shared: [string, number][] = [
    ['arrivals.clients', arrivals.kind === 'closed' ? arrivals.clients : Infinity],
    ['admission.maxInFlight', admission.maxInFlight ?? Infinity],
    ['connections.max', http.maxConnections],
  ]
  return shared
    .filter(([, most]) => most < workers)
    .map(([name, most]) => `each worker needs its part of ${name}, which is ${most}`)
}

function mistake(workers: number, problem: string): Mistake {
  return { source: '--workers', path: '', found: String(workers), problem }
}
