/** The words of the report of a saturation. */
import type { Quantity } from '../../../analysis/document.ts'
import type { SaturationDocument, SaturationFeed, SaturationRung } from '../document.ts'
import {
  formatCount,
  formatInterval,
  formatMetric,
  formatMs,
  formatValue,
  isTooFew,
  NOTHING,
  plainText,
  plural,
} from '../../../report/frame/format.ts'
import { isOfPlateau } from '../analyse/knee.ts'

/** One rung as every table shows it. */
interface RungWords {
  connections: string
  throughput: string
  interval: string
  p50: string
  p95: string
  p99: string
  errors: string
  /** The utilisation of this process. */
  busy: string
}

export function rungWords(rung: SaturationRung): RungWords {
  return {
    connections: formatCount(rung.connections),
    throughput: formatMetric(rung.throughput),
    interval: formatInterval(rung.throughput)?.replaceAll('/s', '') ?? NOTHING,
    p50: briefly(rung.latency.p50),
    p95: briefly(rung.latency.p95),
    p99: briefly(rung.latency.p99),
    errors: errorWords(rung),
    busy: rung.utilisation === null ? NOTHING : formatValue(rung.utilisation, 'share'),
  }
}

/** Progress: one plain line per rung, without a newline. */
export function rungLine(rung: SaturationRung): string {
  const { connections, throughput, latency, errorClasses } = rung
  const errors = errorClasses.length === 0 ? '' : `  errors ${errorWords(rung)}`
  return (
    ` ${plural(connections, 'connection')}  ${formatMetric(throughput)}  p50 ` +
    `${briefly(latency.p50)}  p99 ${briefly(latency.p99)}${errors}`
  )
}

/** A table of many rungs only says that there are too few. */
function briefly(metric: Quantity): string {
  return isTooFew(metric) ? 'too few' : formatMetric(metric)
}

/** `knee`, `ceiling`, `knee, ceiling`, or empty. */
export function markOf(rung: SaturationRung, { knee, ceiling }: SaturationDocument): string {
  return [
    rung.connections === knee?.connections ? 'knee' : '',
    ceiling !== null && isOfPlateau(rung, ceiling) ? 'ceiling' : '',
  ]
    .filter((mark) => mark !== '')
    .join(', ')
}

/** Counts errors: `none`, or for example `12 (0.4 %): 429 11, timeout 1`. */
function errorWords({ errors, errorClasses }: SaturationRung): string {
  const count = errorClasses.reduce((sum, each) => sum + each.count, 0)
  if (count === 0) return 'none'
  const shown = errorClasses.slice(0, 3).map((each) => `${each.class} ${formatCount(each.count)}`)
  return `${formatMetric(errors)}: ${shown.join(', ')}${errorClasses.length > 3 ? ', ...' : ''}`
}

/** The range of the knee, as narrow as the ladder allows. */
export function kneeSentence({ knee }: SaturationDocument): string | null {
  if (knee === null) return null
  const { connections, above, plateauTo, ideal } = knee
  const where =
    above === null
      ? `at ${plural(connections, 'connection')}, the first rung`
      : `above ${formatCount(above)} and at most ${plural(connections, 'connection')}`
  const plateau =
    plateauTo === connections ? '' : `; the plateau extends to ${formatCount(plateauTo)}`
  const least =
    ideal === null
      ? ''
      : `; ${threeDigitCount(ideal)} would suffice if no answer waited for another`
  return `${where}${plateau}${least}`
}

export interface FeedRow {
  /** For example `every 2 s`; null for kickoffs. */
  interval: string | null
  /** For example `8,620 executions in flight`, `3,600 kickoffs an hour`. */
  carries: string
}

export function feedRows({ feeds, verdict }: SaturationDocument): FeedRow[] {
  const least = verdict.atLeast ? 'at least ' : ''
  return feeds.map((feed) => feedRow(feed, least))
}

function feedRow(feed: SaturationFeed, least: string): FeedRow {
  if (feed.kind === 'kickoffs') {
    return { interval: null, carries: `${least}${threeDigitCount(feed.perHour)} kickoffs per hour` }
  }
  const every = formatMs(feed.intervalMs).replace(/\.0+ /, ' ')
  const carries = `${least}${threeDigitCount(feed.inFlight)} executions in flight`
  return { interval: `every ${every}`, carries }
}

/**
 * Says what the ceiling can serve, for example
 * `polled every 2 s: 8,620 executions in flight; every 5 s: 21,600; ...`; null when it serves
 * nothing.
 */
export function feedSentence(document: SaturationDocument): string | null {
  const [first, ...rest] = feedRows(document)
  if (first === undefined) return null
  if (first.interval === null) return first.carries
  const others = rest.map(({ interval, carries }) => `${interval}: ${bareCount(carries)}`)
  return [`polled ${first.interval}: ${first.carries}`, ...others].join('; ')
}

function bareCount(carries: string): string {
  return carries.replace('at least ', '').replace(/ executions.*/, '')
}

/** Rounds to the precision of a measured ceiling. */
function threeDigitCount(value: number): string {
  return formatCount(Number(value.toPrecision(3)))
}

const ENDS: Record<SaturationDocument['ended'], string> = {
  complete: '',
  budget: ', ended because the rest of the budget was too small for a rung',
  errors: ', ended by errors',
  interrupted: ', interrupted',
  target: ', ended by the fake crew',
}

/** For example `7 of 9 rungs, 42.1 s, 123,456 requests, 1 kickoff`. */
export function extentSentence(document: SaturationDocument): string {
  const { plan, ended, trials, durationMs, requests } = document
  const kickoffs = document.kickoffs === 0 ? '' : `, ${plural(document.kickoffs, 'kickoff')}`
  return (
    `${formatCount(trials.length)} of ${plural(plan.ladder.length, 'rung')}${ENDS[ended]}, ` +
    `${formatMs(durationMs)}, ${plural(requests, 'request')}${kickoffs}`
  )
}

/**
 * For example `32 connections: too few ...`: why rungs do not count, apart from their errors, which
 * every table shows.
 */
export function doubtSentences({ trials }: SaturationDocument): string[] {
  return trials.flatMap(({ connections, doubts }) =>
    doubts
      .filter(({ code }) => code !== 'errors')
      .map(({ message }) => `${plural(connections, 'connection')}: ${plainText(message, 300)}`),
  )
}
