/** The words of the report of a saturation. */
import type { Quantity } from '../../../result/document.ts'
import type {
  SaturationDocument,
  SaturationFeed,
  SaturationPlan,
  SaturationRung,
  SaturationVisit,
} from '../document.ts'
import {
  formatCount,
  formatInterval,
  formatMetric,
  formatMs,
  formatRough,
  formatValue,
  isTooFew,
  NOTHING,
  plainText,
  plural,
} from '../../../report/frame/format.ts'
import { isOfPlateau } from '../analyse/shape.ts'
import { isTrusted } from '../analyse/visit.ts'

/** One rung as every table shows it. */
interface RungWords {
  connections: string
  /** `6`, or `5 of 6` when the others do not count. */
  visits: string
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
    visits: visitWords(rung),
    throughput: formatMetric(rung.throughput),
    interval: formatInterval(rung.throughput)?.replaceAll('/s', '') ?? NOTHING,
    p50: briefly(rung.latency.p50),
    p95: briefly(rung.latency.p95),
    p99: briefly(rung.latency.p99),
    errors: errorWords(rung),
    busy: rung.utilisation === null ? NOTHING : formatValue(rung.utilisation, 'share'),
  }
}

function visitWords({ visits, counted }: SaturationRung): string {
  return counted === visits
    ? formatCount(visits)
    : `${formatCount(counted)} of ${formatCount(visits)}`
}

/** Progress: one plain line per visit, without a newline. */
export function visitLine(visit: SaturationVisit, { repeats }: SaturationPlan): string {
  const { connections, pass, throughput, latency, errorClasses } = visit
  const errors = errorClasses.length === 0 ? '' : `  errors ${errorWords(visit)}`
  const which = repeats === 1 ? '' : `  pass ${pass} of ${repeats}`
  const counts = isTrusted(visit) ? '' : '  does not count'
  return (
    ` ${plural(connections, 'connection')}  ${formatMetric(throughput)}  p50 ` +
    `${briefly(latency.p50)}  p99 ${briefly(latency.p99)}${errors}${which}${counts}`
  )
}

/** A table of many rungs only says that there are too few. */
function briefly(metric: Quantity): string {
  return isTooFew(metric) ? 'too few' : formatMetric(metric)
}

/** `knee`, `ceiling`, `knee, ceiling`, or empty. */
export function markOf(rung: SaturationRung, { knee, ceiling }: SaturationDocument): string {
  return [
    isInKnee(rung, knee) ? 'knee' : '',
    ceiling !== null && isOfPlateau(rung, ceiling) ? 'ceiling' : '',
  ]
    .filter((mark) => mark !== '')
    .join(', ')
}

function isInKnee({ connections }: SaturationRung, knee: SaturationDocument['knee']): boolean {
  return knee !== null && connections >= knee.from && connections <= (knee.to ?? Infinity)
}

/** Counts errors: `none`, or for example `12 (0.4 %): 429 11, timeout 1`. */
function errorWords({
  errors,
  errorClasses,
}: Pick<SaturationRung, 'errors' | 'errorClasses'>): string {
  const count = errorClasses.reduce((sum, each) => sum + each.count, 0)
  if (count === 0) return 'none'
  const shown = errorClasses.slice(0, 3).map((each) => `${each.class} ${formatCount(each.count)}`)
  return `${formatMetric(errors)}: ${shown.join(', ')}${errorClasses.length > 3 ? ', ...' : ''}`
}

/** `8 connections`, `from 8 to 16 connections`, or `8 connections or more`. */
export function kneeWords({ from, to }: NonNullable<SaturationDocument['knee']>): string {
  if (to === null) return `${plural(from, 'connection')} or more`
  if (from === to) return plural(to, 'connection')
  return `from ${formatCount(from)} to ${plural(to, 'connection')}`
}

/** The range of the knee, and the connections that could do at best. */
export function kneeSentence({ knee }: SaturationDocument): string | null {
  if (knee === null) return null
  const { ideal } = knee
  const least =
    ideal === null ? '' : `; ${formatRough(ideal)} would suffice if no answer waited for another`
  return `${kneeWords(knee)}${least}`
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
    return { interval: null, carries: `${least}${formatRough(feed.perHour)} kickoffs per hour` }
  }
  const every = formatMs(feed.intervalMs).replace(/\.0+ /, ' ')
  const carries = `${least}${formatRough(feed.inFlight)} executions in flight`
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

const ENDS: Record<SaturationDocument['ended'], string> = {
  complete: '',
  budget: ', ended because the rest of the budget was too small for a visit',
  errors: ', ended by errors',
  interrupted: ', interrupted',
  target: ', ended by the fake crew',
}

/** For example `42 of 42 visits, 2 min 27 s, 123,456 requests, 1 kickoff`. */
export function extentSentence(document: SaturationDocument): string {
  const { plan, ended, trials, durationMs, requests } = document
  const planned = plan.ladder.length * plan.repeats
  const kickoffs = document.kickoffs === 0 ? '' : `, ${plural(document.kickoffs, 'kickoff')}`
  return (
    `${formatCount(trials.length)} of ${plural(planned, 'visit')}${ENDS[ended]}, ` +
    `${formatMs(durationMs)}, ${plural(requests, 'request')}${kickoffs}`
  )
}

/**
 * For example `32 connections, 2 of 6 visits: too few ...`: why visits do not count, apart from
 * their errors, which every table shows. The first of each kind speaks for all.
 */
export function doubtSentences({ rungs, trials }: SaturationDocument): string[] {
  return rungs.flatMap(({ connections, visits }) => {
    const doubts = trials
      .filter((visit) => visit.connections === connections)
      .flatMap((visit) => visit.doubts)
      .filter(({ code }) => code !== 'errors')
    return [...new Set(doubts.map(({ code }) => code))].map((code) => {
      const alike = doubts.filter((doubt) => doubt.code === code)
      const which = visits === 1 ? '' : `, ${alike.length} of ${plural(visits, 'visit')}`
      return `${plural(connections, 'connection')}${which}: ${plainText(alike[0]!.message, 300)}`
    })
  })
}
