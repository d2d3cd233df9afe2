/** Names that a crew lists, in commands for a shell. */
import { MOST_SHOWN } from '../../crew/inputs/words.ts'

/** Whether the names are few and plain enough for a command line that somebody copies. */
export function arePlain(names: readonly string[]): boolean {
  return names.length <= MOST_SHOWN && names.every((name) => /^[\w-]{1,60}$/.test(name))
}
