/**
 * Names that a crew lists, as messages show them: a target may list as many and as long ones as it
 * likes.
 */
import { excerpt } from '../../crew/excerpt.ts'

const MOST_SHOWN = 20
const MOST_CHARACTERS = 60

/** `topic, audience`, or `a, b, ... and 99,980 more`; each name by `show` (default: as it is). */
export function namesWords(
  names: readonly string[],
  show: (name: string) => string = (name) => name,
): string {
  const shown = names.slice(0, MOST_SHOWN).map((name) => show(excerpt(name, MOST_CHARACTERS)))
  const more = names.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Few and plain enough to be written into a command line that somebody copies. */
export function arePlain(names: readonly string[]): boolean {
  return names.length <= MOST_SHOWN && names.every((name) => /^[\w-]{1,60}$/.test(name))
}
