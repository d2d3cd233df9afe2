/** The command line as it was typed, for a report or a message. */

/**
 * The command line that repeats a run: every flag as it was typed, but for the values of headers,
 * which may be secrets.
 */
export function commandWords(args: readonly string[]): string {
  const told = args.map((arg, i) =>
    args[i - 1] === '--header' ? arg.replace(/:.*/s, ': ***') : hiddenHeader(arg),
  )
  return ['crewload', ...told.map(shellWord)].join(' ')
}

/** Quoted where a shell would take it for more than a word. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** `--header=name:value` in one word. */
function hiddenHeader(arg: string): string {
  return arg.replace(/^(--header=[^:]*):.*/s, '$1: ***')
}
