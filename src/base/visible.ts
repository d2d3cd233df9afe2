/**
 * Text of strangers as it may be printed anywhere: on a terminal, in a page, in the log of a CI
 * job. Whatever would act instead of being read is shown for what it is.
 */

/**
 * C0 but tab and line feed, DEL and C1; soft hyphen, marks of direction and of nothing (Unicode's
 * bidi controls and other format characters, but for the two joiners that emoji and some scripts
 * need); line and paragraph separators; half pairs, private use, and what XML forbids.
 */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ue000-\uf8ff\ufeff\ufff0-\ufffb\ufffe\uffff\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/gu

/**
 * What a CI runner takes for a command in any line that is printed: `##vso[` and `##[` of Azure
 * Pipelines (the second of GitHub Actions too), `##teamcity[`; and the sections of GitLab's log.
 */
const MARKED_COMMAND = /##(?=\w*\[)/g
const SECTION = /(section_(?:start|end))(?=:\d)/g
/**
 * `::name` of GitHub Actions, which counts at the start of a line: after a word it is none, and
 * after `[` part of an address.
 */
const COLON_COMMAND = /(^|[^\w[]):{2,}(?=[a-z])/gi

/**
 * Line feeds and tabs stay: for text that may have several lines. What acts on a reader is written
 * as `<U+202E>`, commands get a space within.
 */
export function visible(text: string): string {
  return text
    .replace(UNSEEN, codePoint)
    .replace(MARKED_COMMAND, '# #')
    .replace(SECTION, '$1 ')
    .replace(COLON_COMMAND, (run, before: string) => before + spaced(run.slice(before.length)))
}

/** The same on one line, with one space where there was any white space. */
export function visibleLine(text: string): string {
  return visible(text.replace(/[\t\n\r ]+/g, ' ').trim())
}

/** False when a character would be shown as its code point. */
export function isVisible(text: string): boolean {
  return text.search(UNSEEN) === -1
}

/** JSON of the same value that can be printed as it is: what `visible` would change is escaped. */
export function visibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent)
    .replace(UNSEEN, escaped)
    .replace(MARKED_COMMAND, String.raw`#\u0023`)
    .replace(SECTION, (word) => word.replace('_', escaped))
}

function codePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
  return `<U+${hex.padStart(4, '0')}>`
}

function escaped(character: string): string {
  const units = character.split('')
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}

function spaced(text: string): string {
  return text.split('').join(' ')
}
