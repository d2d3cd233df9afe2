/** Foreign text as every report shows it, beside the numbers' one way of being written. */
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
} from '../../analysis/metrics/format-metric.ts'

export {
  formatCount,
  formatInterval,
  formatMeasured,
  formatMetric,
  formatMs,
  formatReach,
  formatValue,
  isTooFew,
  neverNote,
  NOTHING,
  plural,
  splitUnit,
} from '../../analysis/metrics/format-metric.ts'

/** A dash where nothing was measured. */
export function formatOptionalMs(ms: number | null | undefined): string {
  return ms == null ? NOTHING : formatMs(ms)
}

/**
 * The measured value; where a hint says how many samples are missing, just that they are too few.
 */
export function formatMeasuredBriefly(result: ThresholdResult): string {
  const hinted = result.status === 'undecided' && result.hint !== null
  return hinted && isTooFew(result.measured) ? 'too few' : formatMeasured(result)
}

/**
 * What a reader must know of how a threshold was judged, in brackets behind its name; null for one
 * of the scenario, by its interval.
 */
export function judgementNote({ source, judged, measured }: ThresholdResult): string | null {
  if (source === 'default') return 'default'
  return judged === 'value' && measured.unit !== 'flag' ? 'by value' : null
}

/**
 * `3.55 s at speed 60`: a crew's time as this run measured it; null where no time-lapse made it
 * another.
 */
export function wallMeasured(result: ThresholdResult, speed: number): string | null {
  const { metric, measured } = result
  const wall = metricOnCrewClock(metric, measured, 1 / speed)
  const isSame = speed === 1 || wall.value === measured.value || wall.value === null
  return isSame ? null : `${formatMetric(wall)} at speed ${speed}`
}

/** Behind it in brackets, where a time-lapse made it another. */
export function withWall(text: string, wall: string | null): string {
  return wall === null ? text : `${text} (${wall})`
}

/** Says of an HTTP time that it has no time-lapse, where others have; null otherwise. */
export function wallNote({ metric, measured }: ThresholdResult, speed: number): string | null {
  return speed === 1 || measured.unit !== 'ms' || isCrewTime(metric) ? null : 'wall time'
}

/** Of how many a share is, where its name alone would be misread; null for all others. */
export function metricNote(metric: string): string | null {
  return metric === 'execution.failed' ? 'failed, of those that completed or failed' : null
}

/** `< 500 ms`, `< 8 s (8 min at speed 60)`. */
export function formatBound(result: ThresholdResult): string {
  const { bound, origin } = splitBound(result)
  return origin === null ? bound : `${bound} (${origin})`
}

/** The bound that was judged, and what its author wrote where a time-lapse changed it. */
export function splitBound(result: ThresholdResult): { bound: string; origin: string | null } {
  const { bound, origin } = boundParts(result)
  return { bound: plainText(bound), origin: origin === null ? null : plainText(origin) }
}

/** Foreign text on one line, with nothing in it that acts, at most `limit` characters long. */
export function plainText(text: string, limit = 200): string {
  const characters = Array.from(visibleLine(text.slice(0, 4 * limit)))
  const isWhole = characters.length <= limit && text.length <= 4 * limit
  return isWhole ? characters.join('') : `${characters.slice(0, limit - 1).join('')}…`
}

/** `2026-11-21 08:15:00 UTC` from ISO 8601; what cannot be read stays as it is. */
export function formatInstant(iso: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(iso)
  return match === null ? plainText(iso) : `${match[1]} ${match[2]} UTC`
}
