/** Checks the names of options in JavaScript, where an unknown name would be ignored silently. */
import type { Mistake } from './mistakes.ts'
import { nearestName } from './mistakes.ts'

export interface KnownOptions {
  names: readonly string[]
  /** The function that takes the options: `run()`. */
  source: string
  /** The prefix of each name, for a group of options: `budget.` */
  prefix?: string
  /** Names used elsewhere for one of these options. */
  aliases?: Readonly<Record<string, string>>
}

/** A mistake for each name that is not an option. An undefined option counts as not given. */
export function unknownOptions(given: object, known: KnownOptions): Mistake[] {
  const { names, source, prefix = '', aliases = {} } = known
  return Object.entries(given)
    .filter(([name, value]) => value !== undefined && !names.includes(name))
    .map(([name]) => {
      const problem = `unknown option; allowed: ${names.join(', ')}`
      const mistake: Mistake = { source, path: `${prefix}${name}`, problem }
      const nearest =
        (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? nearestName(name, names)
      return nearest === undefined ? mistake : Object.assign(mistake, { nearest })
    })
}
