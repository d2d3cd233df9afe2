/**
 * Checks the names of the options of `run()`: from JavaScript, an unknown name would be ignored
 * silently.
 */
import type { Mistake } from '../base/mistakes.ts'
import { nearestName, UserError } from '../base/mistakes.ts'
import { flagAliases, unknownOptions } from '../base/options/table.ts'
import type { RunOptions } from './options.ts'
import { OF_ENGINES, RUN } from './options.ts'

const OF_RUN = { source: 'run()', aliases: flagAliases(RUN) }

/**
 * Throws UserError with every name that is not an option. An option with the value undefined counts
 * as not given.
 */
export function demandKnownOptions(options: RunOptions): void {
  const { budget = {}, tls = {}, engine = 'node' } = options
  const group = (name: 'budget' | 'tls') => ({
    ...OF_RUN,
    names: Object.keys(RUN[name]),
    prefix: `${name}.`,
  })
  const mistakes = [
    ...unknownOptions(options, { ...OF_RUN, names: Object.keys(RUN) }),
    ...unknownOptions(budget, group('budget')),
    ...unknownOptions(tls, group('tls')),
    ...engineMistakes(engine),
  ]
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** The mistakes of an engine that does not exist, and of options that belong to another engine. */
function engineMistakes(engine: NonNullable<RunOptions['engine']>): Mistake[] {
  const own: Readonly<Record<string, unknown>> =
    typeof engine === 'string' ? { kind: engine } : { ...engine }
  const kind = String(own['kind'])
  const known = Object.entries(OF_ENGINES).find(([name]) => name === kind)?.[1]
  if (known !== undefined) {
    return unknownOptions(own, { ...OF_RUN, names: ['kind', ...known], prefix: 'engine.' })
  }
  const kinds = Object.keys(OF_ENGINES)
  const nearest = nearestName(kind, kinds)
  const problem = `expected one of ${kinds.join(', ')}`
  const mistake: Mistake = { source: OF_RUN.source, path: 'engine', found: kind, problem }
  return [nearest === undefined ? mistake : { ...mistake, nearest }]
}
