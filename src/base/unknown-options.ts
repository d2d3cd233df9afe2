/** Options as JavaScript gives them: a name that does not exist would be passed over in silence. */
import type { Mistake } from './mistakes.ts'
import { nearestName } from './mistakes.ts'

export interface KnownOptions {
  names: readonly string[]
  /** What takes the options: `run()`. */
  source: string
  /** In front of each name, for those of a group: `budget.` */
  prefix?: string
  /** Names that are used elsewhere for one of these. */
  aliases?: Readonly<Record<string, string>>
}

/** A mistake for each name that is no option. One that is undefined counts as not given. */
export function unknownOptions(given: object, known: KnownOptions): Mistake[] {
  const { names, source, prefix = '', aliases = {} } = known
  return Object.entries(given)
    .filter(([name, value]) => value !== undefined && !names.includes(name))
    .map(([name]) => {
      const problem = `unknown option; allowed: ${names.join(', ')}`
      const mistake: Mistake = { source, path: `${prefix}${name}`, problem }
      const nearest = aliases[name] ?? nearestName(name, names)
      return nearest === undefined ? mistake : Object.assign(mistake, { nearest })
    })
}
