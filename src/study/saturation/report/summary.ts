/** What every report of a saturation says in words. Written once, so that no two reports differ. */
import type { Quantity } from '../../../analysis/document.ts'
import type {
  SaturationDocument,
  SaturationFeed,
  SaturationRung,
  SaturationVerdict,
} from '../document.ts'
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
import { VERDICTS } from '../../../report/run/summary.ts'

/** Never colour alone: each verdict has a word and a sign. */
export const SATURATION_VERDICTS: Record<
  SaturationVerdict['outcome'],
  { word: string; sign: string }
> = {
  measured: { word: 'MEASURED', sign: '✓' },
  inconclusive: VERDICTS.inconclusive,
  invalid: VERDICTS.invalid,
}

export const LATENCY_NOTE =
  'Latency is the service time of a closed loop: each connection sends its next request when it has its answer, so that a slow target is asked less often.'

/** One rung as every table shows it. */
export interface RungRow {
  rung: SaturationRung
  connections: string
  /** `knee`, `ceiling`, `knee, ceiling`, or empty. */
  mark: string
  throughput: string
  interval: string
  p50: string
  p95: string
  p99: string
  errors: string
  busy: string
}

export function rungRows(document: SaturationDocument): RungRow[] {
  return document.rungs.map((rung) => ({
    rung,
    connections: formatCount(rung.connections),
    mark: markOf(rung, document),
    throughput: formatMetric(rung.throughput),
    interval: formatInterval(rung.throughput)?.replaceAll('/s', '') ?? NOTHING,
    p50: briefly(rung.latency.p50),
    p95: briefly(rung.latency.p95),
    p99: briefly(rung.latency.p99),
    errors: errorWords(rung),
    busy: rung.utilisation === null ? NOTHING : formatValue(rung.utilisation, 'share'),
  }))
}

/** In a table of many rungs it is enough that they are too few. */
export function briefly(metric: Quantity): string {
  return isTooFew(metric) ? 'too few' : formatMetric(metric)
}

function markOf(rung: SaturationRung, { knee, ceiling }: SaturationDocument): string {
  return [
    rung.connections === knee?.connections ? 'knee' : '',
    ceiling !== null && isOfPlateau(rung, ceiling) ? 'ceiling' : '',
  ]
    .filter((mark) => mark !== '')
    .join(', ')
}

/** `none`, or `12 (0.4 %): 429 11, timeout 1`. */
export function errorWords({ errors, errorClasses }: SaturationRung): string {
  const count = errorClasses.reduce((sum, each) => sum + each.count, 0)
  if (count === 0) return 'none'
  const shown = errorClasses.slice(0, 3).map((each) => `${each.class} ${formatCount(each.count)}`)
  return `${formatMetric(errors)}: ${shown.join(', ')}${errorClasses.length > 3 ? ', ...' : ''}`
}

/** Where the knee lies, as narrowly as the ladder tells. */
export function kneeSentence({ knee }: SaturationDocument): string | null {
  if (knee === null) return null
  const { connections, above, plateauTo, ideal } = knee
  const where =
    above === null
      ? `at ${plural(connections, 'connection')}, the first rung`
      : `above ${formatCount(above)} and at most ${plural(connections, 'connection')}`
  const plateau =
    plateauTo === connections ? '' : `; the plateau reaches to ${formatCount(plateauTo)}`
  const least =
    ideal === null ? '' : `; ${threeDigitCount(ideal)} would do if no answer waited for another`
  return `${where}${plateau}${least}`
}

export interface FeedRow {
  /** `every 2 s`; null for kickoffs. */
  interval: string | null
  /** `8,620 executions in flight`, `3,600 kickoffs an hour`. */
  carries: string
}

export function feedRows({ feeds, verdict }: SaturationDocument): FeedRow[] {
  const least = verdict.atLeast ? 'at least ' : ''
  return feeds.map((feed) => feedRow(feed, least))
}

function feedRow(feed: SaturationFeed, least: string): FeedRow {
  if (feed.kind === 'kickoffs') {
    return { interval: null, carries: `${least}${threeDigitCount(feed.perHour)} kickoffs an hour` }
  }
  const every = formatMs(feed.intervalMs).replace(/\.0+ /, ' ')
  const carries = `${least}${threeDigitCount(feed.inFlight)} executions in flight`
  return { interval: `every ${every}`, carries }
}

/** `polled every 2 s: 8,620 executions in flight; every 5 s: 21,600; ...`; null without a feed. */
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

/** No more digits than a measured ceiling has. */
function threeDigitCount(value: number): string {
  return formatCount(Number(value.toPrecision(3)))
}

const ENDS: Record<SaturationDocument['run']['ended'], string> = {
  complete: '',
  budget: ', ended where the rest of the budget was too small for a rung',
  errors: ', ended by errors',
  interrupted: ', interrupted',
  target: ', ended by the fake crew',
}

/** `7 of 9 rungs, 42.1 s, 123,456 requests, 1 kickoff`. */
export function extentSentence({ run, rungs, spent }: SaturationDocument): string {
  const kickoffs = spent.kickoffs === 0 ? '' : `, ${plural(spent.kickoffs, 'kickoff')}`
  return (
    `${formatCount(rungs.length)} of ${plural(run.ladder.length, 'rung')}${ENDS[run.ended]}, ` +
    `${formatMs(run.durationMs)}, ${plural(spent.requests, 'request')}${kickoffs}`
  )
}

export function targetWords({ run }: SaturationDocument): string {
  const target = plainText(run.target)
  return run.profile === null ? target : `${target}, ${plainText(run.profile)}`
}

/** `32 connections: too few ...`: why rungs do not count, but for their errors, which stand in every table. */
export function doubtSentences({ rungs }: SaturationDocument): string[] {
  return rungs.flatMap(({ connections, doubts }) =>
    doubts
      .filter(({ code }) => code !== 'errors')
      .map(({ message }) => `${plural(connections, 'connection')}: ${plainText(message, 300)}`),
  )
}
