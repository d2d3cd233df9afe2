/** The command line as it was typed, for a report or a message. */
import { HIDDEN_VALUE, shellWord } from '../../base/text.ts'

/**
 * The command line that repeats a run: every flag as it was typed, except for what may be secret.
 * That is the value of a header, and what a kickoff carries, which is its owner's data.
 */
export function commandWords(args: readonly string[]): string {
  const shown = args.map((arg, i) => {
    const [flag = '', ...rest] = arg.split('=')
    if (rest.length > 0 && flag in HIDDEN) return `${flag}=${HIDDEN[flag]!(rest.join('='))}`
    return HIDDEN[args[i - 1] ?? '']?.(arg) ?? arg
  })
  return ['crewload', ...shown.map(shellWord)].join(' ')
}

const HIDDEN: Readonly<Record<string, (value: string) => string>> = {
  '--header': (value) => value.replace(/:.*/s, `: ${HIDDEN_VALUE}`),
  '--token-command': () => HIDDEN_VALUE,
  '--inputs': () => `{${HIDDEN_VALUE}}`,
  '--members': () => `{${HIDDEN_VALUE}}`,
}
