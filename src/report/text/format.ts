/** Foreign text as every report shows it. */
import { visibleLine } from '../../base/visible.ts'

/**
 * For sentences of ours, which are shorter than this: what a target said within them was shortened
 * before (`excerpt`).
 */
export const SENTENCES_LIMIT = 1_000

/** A cut goes back to the end of a word over so much of the text at most. */
const WORD_SHARE = 0.25

/**
 * Foreign text on one line without active content, at most `limit` characters long; what is longer
 * ends after a whole word, and in `…`.
 */
export function plainText(text: string, limit = 200): string {
  const characters = Array.from(visibleLine(text.slice(0, 4 * limit)))
  if (characters.length <= limit && text.length <= 4 * limit) return characters.join('')
  const space = characters.lastIndexOf(' ', limit - 1)
  const end = space >= limit * (1 - WORD_SHARE) ? space : limit - 1
  return `${characters.slice(0, end).join('')}…`
}

/** The beginning of the kickoff id, or the arrival's number when it never received one. */
export function exampleName(example: { kickoffId: string | null; index: number | null }): string {
  if (example.kickoffId !== null) return shortId(example.kickoffId)
  return example.index === null ? 'an unclaimed execution' : `arrival ${example.index}`
}

/** The first eight characters of a kickoff id, marked as shortened. */
export function shortId(id: string): string {
  const text = plainText(id)
  return text.length > 8 ? `${text.slice(0, 8)}..` : text
}

/** `2026-11-21 08:15:00 UTC` from ISO 8601; unreadable text is returned unchanged. */
export function formatInstant(iso: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(iso)
  return match === null ? plainText(iso) : `${match[1]} ${match[2]} UTC`
}
