/** Texts: lines of a width, lists of names, what is written as JSON. */

const NO_BREAK_SPACE = '\u00A0'

/** With spaces that do not break between a number and its unit, or the sign of its bound. */
export function valuesTied(text: string): string {
  return text
    .replaceAll(/(?<=\d) (?=(?:us|ms|s|min|h|%|kB|MB)(?![a-z]))/g, NO_BREAK_SPACE)
    .replaceAll(/(?<=[<>]=?) (?=\d)/g, NO_BREAK_SPACE)
}

/**
 * Breaks at spaces so that no line exceeds `width`, if the words and values allow it; the first
 * line starts with `first`, later ones with `indent`.
 */
export function wrap(text: string, width: number, first: string, indent: string): string[] {
  const lines: string[] = []
  let line = first
  let empty = true
  for (const tied of valuesTied(text).split(' ')) {
    const word = tied.replaceAll(NO_BREAK_SPACE, ' ')
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line.trimEnd())
      line = indent
      empty = true
    }
    line += empty ? word : ` ${word}`
    empty = false
  }
  return [...lines, line.trimEnd()]
}

/** Lists names in a sentence: `node, virtual and k6`. */
export function listed(names: readonly string[], word: 'and' | 'or' = 'and'): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`
}

/** The sentence that a text begins. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Each text as a sentence, without the last full stop; empty ones are left out. */
export function inSentences(...texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .map((text, at) => (at === 0 ? text : capital(text)))
    .join('. ')
}

/** A sentence as a part of another. */
export function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Quoted when a shell would not take it as one plain word. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Stands for a value that no artefact keeps. */
export const HIDDEN_VALUE = '***'

/** What any value that was thrown says. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Undefined for a text that is not JSON: JSON itself has no undefined. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
