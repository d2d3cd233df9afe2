/** Foreign text as every report shows it, and one format for each kind of number. */
import type { ThresholdResult } from '../../result/document.ts'
import { visibleLine } from '../../base/visible.ts'
import {
  boundText,
  formatMeasured,
  formatMs,
  isTooFew,
  NOTHING,
} from '../../result/metrics/format.ts'

export {
  formatCount,
  formatInterval,
  formatMeasured,
  formatMeasuredInterval,
  formatMetric,
  formatMostMs,
  formatMs,
  formatReach,
  formatRough,
  formatValue,
  isTooFew,
  neverNote,
  NOTHING,
  plural,
  splitUnit,
} from '../../result/metrics/format.ts'

/** A dash when nothing was measured. */
export function formatOptionalMs(ms: number | null | undefined): string {
  return ms == null ? NOTHING : formatMs(ms)
}

/**
 * The measured value; where a hint says how many samples are missing, only that there are too few.
 */
export function formatMeasuredBriefly(result: ThresholdResult): string {
  const hinted = result.status === 'undecided' && result.hint !== null
  return hinted && isTooFew(result.measured) ? 'too few' : formatMeasured(result)
}

/**
 * What a reader must know about how a threshold was judged, in brackets after its name; null for a
 * threshold of the scenario that was judged by its interval.
 */
export function judgementNote({ source, judged, measured }: ThresholdResult): string | null {
  if (source === 'default') return 'default'
  return judged === 'value' && measured.unit !== 'flag' ? 'by value' : null
}

/** Says what a share refers to when its name alone would be misread; null for all others. */
export function metricNote(metric: string): string | null {
  return metric === 'execution.failed' ? 'failed, of those that completed or failed' : null
}

/** For example `< 500 ms`. */
export function formatBound(result: ThresholdResult): string {
  return plainText(boundText(result))
}

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

/** `2026-11-21 08:15:00 UTC` from ISO 8601; unreadable text is returned unchanged. */
export function formatInstant(iso: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(iso)
  return match === null ? plainText(iso) : `${match[1]} ${match[2]} UTC`
}
