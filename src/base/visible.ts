/**
 * Makes untrusted text safe to print anywhere: on a terminal, in a page, in the log of a CI job.
 * Characters that would act instead of being read are shown as code points.
 */

/**
 * C0 except tab and line feed, DEL and C1; soft hyphen, direction marks and invisible characters
 * (Unicode's bidi controls and other format characters, except the two joiners that emoji and some
 * scripts need); line and paragraph separators; lone surrogates, private use, and what XML forbids.
 */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- matching control characters is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ue000-\uf8ff\ufeff\ufff0-\ufffb\ufffe\uffff\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/gu

/**
 * Matches what a CI runner treats as a command in any printed line: `##vso[` and `##[` of Azure
 * Pipelines (the second also of GitHub Actions), `##teamcity[`; and the sections of GitLab's log.
 */
const MARKED_COMMAND = /##(?=\w*\[)/g
const SECTION = /(section_(?:start|end))(?=:\d)/g
/**
 * `::name` of GitHub Actions, which is a command only at the start of a line: after a word it is
 * none, and after `[` it is part of an address.
 */
const COLON_COMMAND = /(^|[^\w[:]):{2,}(?=[a-z])/gi

/** Text without any of these contains nothing that the patterns above find. */
const SUSPECT = /[^\t\n\u0020-\u007e]|##|::|section_/

/**
 * Keeps line feeds and tabs, for text that may have several lines. Acting characters are written as
 * `<U+202E>`; commands get a space inside.
 */
export function visible(text: string): string {
  // Nearly all text is plain, and a page has thousands of pieces.
  if (!SUSPECT.test(text)) return text
  return text
    .replace(UNSEEN, codePoint)
    .replace(MARKED_COMMAND, '# #')
    .replace(SECTION, '$1 ')
    .replace(COLON_COMMAND, (run, before: string) => before + spaced(run.slice(before.length)))
}

/** The same on one line, with any white space reduced to one space. */
export function visibleLine(text: string): string {
  return visible(text.replace(/[\t\n\r ]+/g, ' ').trim())
}

/** False if a character would be shown as its code point. */
export function isVisible(text: string): boolean {
  return text.search(UNSEEN) === -1
}

/** JSON of the same value that can be printed safely: what `visible` would change is escaped. */
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
