/** The command line as it was typed, for a report or a message. */
import type { Option, OptionTable } from '../../base/options/table.ts'
import { flagName, optionsIn, shownWord } from '../../base/options/table.ts'
import { shellWord } from '../../base/text.ts'

/** The command line that repeats a run: every flag as it was typed, except what may be secret. */
export function commandWords(args: readonly string[], table: OptionTable): string {
  const known = new Map(optionsIn(table).map(({ option }) => [flagName(option), option]))
  known.delete('')
  const shown = args.map((arg, i) => {
    const [flag = '', ...rest] = arg.split('=')
    const own = known.get(flag)
    if (own !== undefined && rest.length > 0) return `${flag}=${shownWord(own, rest.join('='))}`
    const before = known.get(args[i - 1] ?? '')
    return before === undefined || isFlagInstead(before, arg) ? arg : shownWord(before, arg)
  })
  return ['crewload', ...shown.map(shellWord)].join(' ')
}

/** After a flag whose value is optional. */
function isFlagInstead({ flag = '' }: Option, arg: string): boolean {
  return flag.endsWith(']') && arg.startsWith('-')
}
