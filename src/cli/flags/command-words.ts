/** The command line as it was typed, for a report or a message. */

/**
 * The command line that repeats a run: every flag as it was typed, except for the values of
 * headers, which may be secret.
 */
export function commandWords(args: readonly string[]): string {
  const told = args.map((arg, i) =>
    args[i - 1] === '--header' ? arg.replace(/:.*/s, ': ***') : hiddenHeader(arg),
  )
  return ['crewload', ...told.map(shellWord)].join(' ')
}

/** Quoted when a shell would not take it as one plain word. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Hides the value in `--header=name:value`. */
function hiddenHeader(arg: string): string {
  return arg.replace(/^(--header=[^:]*):.*/s, '$1: ***')
}
