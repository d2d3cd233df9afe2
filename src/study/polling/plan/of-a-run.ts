/** What belongs to a run that is made, and does nothing where run folders are read. */
import type { Mistake } from '../../../base/mistakes.ts'
import { durationText } from '../../../base/units.ts'
import type { StudyRun } from '../../frame/options.ts'

const PROBLEM = 'goes with --profile or --target: run folders are read, and nothing is sent'

/** A flag of such a thing. `found` is left out where it may be secret. */
export function mistakeOfARun(source: string, found?: string, path = ''): Mistake {
  return { source, path, problem: PROBLEM, ...(found === undefined ? {} : { found }) }
}

/** A mistake for each of those options that is given. */
export function mistakesOfARun(options: StudyRun): Mistake[] {
  const { dialect, seed, speed, set = {}, budget = {}, costPerKickoff, maxCost } = options
  const { kickoffs, requests, wallMicros } = budget
  const changes = Object.entries(set).map(([path, value]) => mistakeOfARun('--set', value, path))
  const given: [string, string | number | undefined][] = [
    ['--dialect', dialect],
    ['--seed', seed],
    ['--speed', speed],
    ['--max-kickoffs', kickoffs],
    ['--max-requests', requests],
    ['--max-duration', wallMicros === undefined ? undefined : durationText(wallMicros)],
    ['--cost-per-kickoff', costPerKickoff],
    ['--max-cost', maxCost],
  ]
  return [
    ...changes,
    ...given.flatMap(([source, value]) =>
      value === undefined ? [] : [mistakeOfARun(source, String(value))],
    ),
  ]
}
