/** Whether a run can have the k6 processes that were asked for. */
import type { Mistake } from '../../mistakes.ts'
import { UserError } from '../../mistakes.ts'
import type { RunOptions } from '../options.ts'

/** More processes than any machine has cores are no use. */
export const MOST_INSTANCES = 64

/** Throws UserError with every mistake. */
export function demandInstances({ engine = 'node', k6Instances, k6Vus }: RunOptions): void {
  if (k6Instances === undefined) return
  const mistakes: Mistake[] = []
  if (!Number.isInteger(k6Instances) || k6Instances < 1 || k6Instances > MOST_INSTANCES) {
    const problem = `expected a whole number from 1 to ${MOST_INSTANCES}`
    mistakes.push(mistake('--instances', k6Instances, problem))
  }
  if (engine !== 'k6') {
    mistakes.push(mistake('--instances', k6Instances, `goes with --engine k6, not with ${engine}`))
  }
  if (k6Vus !== undefined && k6Vus % k6Instances !== 0) {
    mistakes.push(mistake('--k6-vus', k6Vus, evenlyWords(k6Instances)))
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** k6 gives VUs to segments one by one: a process that gets none would end at once, and its part of the schedule with it. */
export function evenlyWords(instances: number): string {
  return `expected a multiple of the ${instances} instances`
}

function mistake(source: string, found: number, problem: string): Mistake {
  return { source, path: '', found: String(found), problem }
}
