/** Foreign text as every report shows it, and one format for each kind of number. */
import type { ThresholdResult } from '../../analysis/document.ts'
import { isCrewTime, metricOnCrewClock } from '../../analysis/crew-clock.ts'
import { visibleLine } from '../../base/visible.ts'
import {
  boundParts,
  formatMeasured,
  formatMetric,
  formatMs,
  isTooFew,
  NOTHING,
  timeUnitIn,
} from '../../analysis/metrics/format.ts'

export {
  formatCount,
  formatInterval,
  formatMeasured,
  formatMeasuredInterval,
  formatMetric,
  formatMostMs,
  formatMs,
  formatReach,
  formatValue,
  isTooFew,
  neverNote,
  NOTHING,
  plural,
  splitUnit,
} from '../../analysis/metrics/format.ts'

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

/**
 * `3.55 s at speed 60`: a time of the crew as this run measured it; null when there was no
 * time-lapse.
 */
export function wallMeasured(result: ThresholdResult, speed: number): string | null {
  const { metric, measured } = result
  const wall = metricOnCrewClock(metric, measured, 1 / speed)
  const isSame = speed === 1 || wall.value === measured.value || wall.value === null
  const as = timeUnitIn(boundParts(result).origin?.replace(/ at speed .*/, '') ?? '')
  return isSame ? null : `${formatMetric(wall, as)} at speed ${speed}`
}

/** Appends the wall time in brackets when a time-lapse makes it different. */
export function withWall(text: string, wall: string | null): string {
  return wall === null ? text : `${text} (${wall})`
}

/** Says that an HTTP time is not affected by the time-lapse, in a run with one; null otherwise. */
export function wallNote({ metric, measured }: ThresholdResult, speed: number): string | null {
  return speed === 1 || measured.unit !== 'ms' || isCrewTime(metric) ? null : 'wall time'
}

/** Says what a share refers to when its name alone would be misread; null for all others. */
export function metricNote(metric: string): string | null {
  return metric === 'execution.failed' ? 'failed, of those that completed or failed' : null
}

/** For example `< 500 ms`, `< 8 s (8 min at speed 60)`. */
export function formatBound(result: ThresholdResult): string {
  const { bound, origin } = splitBound(result)
  return origin === null ? bound : `${bound} (${origin})`
}

/** The bound that was judged, and what its author wrote when a time-lapse changed it. */
export function splitBound(result: ThresholdResult): { bound: string; origin: string | null } {
  const { bound, origin } = boundParts(result)
  return { bound: plainText(bound), origin: origin === null ? null : plainText(origin) }
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
