/** The demands of several worker threads as the engine of a run. */
import { plural } from '../../analysis/metrics/format.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Plan } from '../../scenario/plan.ts'
import { limitsTooSmall } from '../../scenario/instance-limits.ts'
import { needsScenario, portablePlan } from '../../scenario/portable.ts'
import type { EngineTerms } from '../bodies/body.ts'

/**
 * Each worker is an event loop with its own connections; no machine benefits from more workers than
 * it has cores.
 */
const MOST_WORKERS = 64

export function workersTerms(workers: number): EngineTerms {
  return {
    words: `node, ${plural(workers, 'worker')}`,
    demand: (plan, { faults }, scenario) => {
      const problems = [
        ...outOfRange(workers),
        ...limitsTooSmall(plan, workers, 'worker'),
        ...notPortable(plan, scenario),
      ]
      const mistakes = [
        ...problems.map((problem) => mistake(workers, problem)),
        ...(faults === undefined ? [] : [NO_FAULTS]),
      ]
      if (mistakes.length > 0) throw new UserError(mistakes)
    },
  }
}

const NO_FAULTS: Mistake = {
  source: 'faults',
  path: '',
  problem: 'work only with the engine virtual, and with node without more workers',
}

function outOfRange(workers: number): string[] {
  if (Number.isInteger(workers) && workers >= 1 && workers <= MOST_WORKERS) return []
  return [`expected a whole number from 1 to ${MOST_WORKERS}`]
}

function notPortable(plan: Plan, scenario: unknown): string[] {
  if (typeof scenario === 'string' || !needsScenario(portablePlan(plan))) return []
  return [
    "the scenario's functions cannot travel to another thread: export it by default from a " +
      'file, and give the path',
  ]
}

function mistake(workers: number, problem: string): Mistake {
  return { source: '--workers', path: '', found: String(workers), problem }
}
