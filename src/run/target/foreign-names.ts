/** Shortens the names that a crew lists for messages: a target may list many, and long ones. */
import { excerpt } from '../../crew/excerpt.ts'

const MOST_SHOWN = 20
const MOST_CHARACTERS = 60

/**
 * `topic, audience`, or `a, b, ... and 99,980 more`; each name is formatted by `show` (default:
 * unchanged).
 */
export function namesWords(
  names: readonly string[],
  show: (name: string) => string = (name) => name,
): string {
  const shown = names.slice(0, MOST_SHOWN).map((name) => show(excerpt(name, MOST_CHARACTERS)))
  const more = names.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Whether the names are few and plain enough for a command line that somebody copies. */
export function arePlain(names: readonly string[]): boolean {
  return names.length <= MOST_SHOWN && names.every((name) => /^[\w-]{1,60}$/.test(name))
}
