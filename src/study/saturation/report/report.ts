/**
 * The report of a saturation: verdict, curve, the load that the ceiling can serve, whether to trust
 * it, every rung.
 */
import type { Quantity } from '../../../result/document.ts'
import type { Report, Section } from '../../../report/frame/report.ts'
import { knownFacts } from '../../../report/frame/report.ts'
import type { Table, TableCell } from '../../../report/text/table.ts'
import { columnsOf, pageTable, tableOf } from '../../../report/text/table.ts'
import {
  formatCount,
  formatEstimate,
  formatMs,
  formatRoundMs,
  formatRough,
  formatValue,
  NOTHING,
  plural,
} from '../../../base/numbers.ts'
import { formatMetric, isTooFew } from '../../../result/metrics/sentences.ts'
import { plainText } from '../../../report/text/format.ts'
import type { ReportBody, VerdictMark } from '../../frame/study.ts'
import { INCONCLUSIVE, INVALID, originOf } from '../../frame/study.ts'
import { isOfPlateau } from '../analyse/shape.ts'
import {
  isGeneratorBound,
  isTrusted,
  LITTLE_BOUND,
  STOLEN_BOUND,
  UTILISATION_BOUND,
} from '../analyse/visit.ts'
import type {
  SaturationDocument,
  SaturationFeed,
  SaturationPlan,
  SaturationRung,
  SaturationVerdict,
  SaturationVisit,
} from '../document.ts'
import { ENDPOINTS } from '../document.ts'
import { curveOf, kneeWords, rungInterval } from './chart.ts'

export const SATURATION_VERDICTS: Record<SaturationVerdict['outcome'], VerdictMark> = {
  measured: { word: 'MEASURED', sign: '✓', tone: 'good', exit: 'passed' },
  inconclusive: INCONCLUSIVE,
  invalid: INVALID,
}

export function saturationBody(document: SaturationDocument): ReportBody {
  const { plan } = document
  return {
    title: `saturate ${plan.endpoint}`,
    asked: `ceiling of ${ENDPOINTS[plan.endpoint]}`,
    facts: facts(document),
    sections: [curve(document), feeds(document), trust(document)],
    origin: originOf(document),
  }
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

function facts(document: SaturationDocument): Report['facts'] {
  const { plan, tool, knee, feeds: served } = document
  const visits =
    `${plural(plan.repeats, 'visit')} of ${formatMs(plan.rungMs)} each, after ` +
    `${formatMs(plan.warmUpMs)} of warm-up`
  const ideal =
    knee === null || knee.ideal === null
      ? ''
      : `; ${formatRough(knee.ideal)} would suffice if no answer waited for another`
  return knownFacts(
    ['Endpoint', ENDPOINTS[plan.endpoint], ['page']],
    ['Ceiling', ceilingWords(document)],
    ['Knee', knee === null ? 'not found' : `${kneeWords(knee)}${ideal}`],
    ['Feeds', served.length === 0 ? null : feedWords(document), ['terminal', 'markdown']],
    ['Rungs', visits, ['page']],
    ['Extent', extentWords(document)],
    ['Generator', `autocannon, closed loop, on Node ${tool.node}`, ['page']],
  )
}

function ceilingWords({ ceiling }: SaturationDocument): string {
  if (ceiling === null) return 'not found'
  const { throughput, connections } = ceiling
  return `${formatEstimate(throughput, throughput.unit)} with up to ${plural(connections, 'connection')}`
}

const ENDS: Record<SaturationDocument['ended'], string> = {
  complete: '',
  budget: ', ended because the rest of the budget was too small for a visit',
  errors: ', ended by errors',
  interrupted: ', interrupted',
  target: ', ended by the fake crew',
}

/** For example `42 of 42 visits, 2 min 27 s, 123,456 requests, 1 kickoff`. */
function extentWords({ plan, ended, trials, durationMs, ...spent }: SaturationDocument): string {
  const planned = plan.ladder.length * plan.repeats
  const kickoffs = spent.kickoffs === 0 ? '' : `, ${plural(spent.kickoffs, 'kickoff')}`
  return (
    `${formatCount(trials.length)} of ${plural(planned, 'visit')}${ENDS[ended]}, ` +
    `${formatMs(durationMs)}, ${plural(spent.requests, 'request')}${kickoffs}`
  )
}

const LATENCY_NOTE =
  'Latency is the service time of a closed loop. Each connection sends its next request when it ' +
  'has its answer, so that a slow target receives fewer requests.'

function curve(document: SaturationDocument): Section {
  return {
    title: 'Throughput',
    blocks: [
      { kind: 'figure', chart: curveOf(document) },
      rungTable(document),
      { kind: 'prose', text: LATENCY_NOTE },
    ],
  }
}

function rungTable(document: SaturationDocument): Table {
  const { rungs, plan } = document
  // The extent says how many visits there are if all rungs have as many.
  const isUneven = rungs.some(({ counted }) => counted !== plan.repeats)
  // oxlint-disable-next-line oxc/no-map-spread -- A cell that not every table has.
  const rows = rungs.map((rung): TableCell[] => [
    formatCount(rung.connections),
    markOf(rung, document),
    ...(isUneven ? [visitWords(rung)] : []),
    formatMetric(rung.throughput),
    rungInterval(rung.throughput),
    briefly(rung.latency.p50),
    briefly(rung.latency.p95),
    briefly(rung.latency.p99),
    errorWords(rung),
    shareWords(rung.utilisation),
  ])
  const counts = [...(isUneven ? ['visits'] : []), 'answers', '95 % interval', 'p50', 'p95', 'p99']
  const columns = [
    ...columnsOf([], ['connections'], ['mark']),
    ...columnsOf([], counts, ['errors']),
    ...columnsOf([], ['busy']),
  ]
  return tableOf(columns, rows, { empty: 'No visit finished.' })
}

/** `knee`, `ceiling`, `knee, ceiling`, or empty. */
function markOf(rung: SaturationRung, { knee, ceiling }: SaturationDocument): string {
  const { connections } = rung
  const isKnee = knee !== null && connections >= knee.from && connections <= (knee.to ?? Infinity)
  const isCeiling = ceiling !== null && isOfPlateau(rung, ceiling)
  return [isKnee ? 'knee' : [], isCeiling ? 'ceiling' : []].flat().join(', ')
}

/** `6`, or `5 of 6` if the others do not count. */
function visitWords({ visits, counted }: SaturationRung): string {
  const all = formatCount(visits)
  return counted === visits ? all : `${formatCount(counted)} of ${all}`
}

/** A table of many rungs only says that there are too few. */
function briefly(metric: Quantity): string {
  return isTooFew(metric) ? 'too few' : formatMetric(metric)
}

/** Counts errors: `none`, or for example `12 (0.4 %): 429 11, timeout 1`. */
function errorWords({ errors, errorClasses }: SaturationRung | SaturationVisit): string {
  if (errorClasses.length === 0) return 'none'
  const shown = errorClasses.slice(0, 3).map((each) => `${each.class} ${formatCount(each.count)}`)
  return `${formatMetric(errors)}: ${shown.join(', ')}${errorClasses.length > 3 ? ', ...' : ''}`
}

function shareWords(share: number | null): string {
  return share === null ? NOTHING : formatValue(share, 'share')
}

const POLLED_NOTE =
  'Executions in flight = answers per second × polling interval. At the ceiling there is no room ' +
  'left for a burst, for kickoffs or for retries. Plan for half of it.'
const KICKED_OFF_NOTE =
  'Kickoffs that the endpoint accepts; whether the crew behind it can run that many at once is ' +
  'another question.'

/** The other media show it as a fact. */
function feeds({ feeds: served, verdict }: SaturationDocument): Section {
  const title = 'What the ceiling can serve'
  const on = ['page'] as const
  const [first] = served
  if (first === undefined) return { title, blocks: [] }
  const carries = (feed: SaturationFeed): string => carriedWords(feed, verdict)
  const text =
    first.kind === 'kickoffs'
      ? `It accepts ${carries(first)}`
      : `Polled ${everyWords(first)} it can serve ${carries(first)}`
  const rows = served.map((feed) => [everyWords(feed), carries(feed)])
  return {
    title,
    blocks: [
      { kind: 'prose', as: 'heading', text, on },
      { kind: 'prose', text: first.kind === 'kickoffs' ? KICKED_OFF_NOTE : POLLED_NOTE, on },
      pageTable(columnsOf(['polling', 'carries']), rows.length < 2 ? [] : rows),
    ],
  }
}

/** For example `polled every 2 s: 8,620 executions in flight; every 5 s: 21,600; ...`. */
function feedWords({ feeds: served, verdict }: SaturationDocument): string {
  const all = served.map((feed, i) => {
    if (feed.kind === 'kickoffs') return carriedWords(feed, verdict)
    const carried = i === 0 ? carriedWords(feed, verdict) : formatRough(feed.inFlight)
    return `${i === 0 ? 'polled ' : ''}${everyWords(feed)}: ${carried}`
  })
  return all.join('; ')
}

/** `every 2 s`; empty for kickoffs. */
function everyWords(feed: SaturationFeed): string {
  return feed.kind === 'kickoffs' ? '' : `every ${formatRoundMs(feed.intervalMs)}`
}

function carriedWords(feed: SaturationFeed, { atLeast }: SaturationVerdict): string {
  const carried =
    feed.kind === 'kickoffs'
      ? `${formatRough(feed.perHour)} kickoffs per hour`
      : `${formatRough(feed.inFlight)} executions in flight`
  return atLeast ? `at least ${carried}` : carried
}

const TRUST_COLUMNS = [
  ...columnsOf(['result'], ['connections', 'visits', 'accounted for', 'difference']),
  ...columnsOf([], ['process busy', 'CPU taken, at most', 'window', 'requests', 'reopened']),
]

function trust(document: SaturationDocument): Section {
  const { rungs, verdict } = document
  const on = ['page'] as const
  return {
    title: 'Can we trust this',
    blocks: [
      { kind: 'prose', as: 'heading', text: trustHeading(document), on },
      { kind: 'prose', text: TRUST_NOTE, on },
      pageTable(
        TRUST_COLUMNS,
        rungs.map((rung) => trustCells(rung, document)),
        'No visit finished.',
      ),
      // The reasons of an invalid verdict already say this.
      { kind: 'list', items: verdict.outcome === 'invalid' ? [] : doubtSentences(document) },
    ],
  }
}

const TRUST_NOTE =
  'By Little’s law, the time that requests took, divided by the window, must account for the ' +
  'number of connections. The difference was spent connecting, or on requests that were lost. A ' +
  `visit counts if the difference is at most ${formatValue(LITTLE_BOUND, 'share')}. Other ` +
  `machines on the same host may take at most ${formatValue(STOLEN_BOUND, 'share')} of its CPU ` +
  'time. A rung counts if half of its visits do. If this process is busy for over ' +
  `${formatValue(UTILISATION_BOUND, 'share')} of the time, the rung is a lower bound.`

/** Doubts about the ceiling itself although its rungs count. */
const ROUGH: ReadonlySet<string> = new Set(['precision', 'unclear', 'noisy', 'mixed'])

function trustHeading({ rungs, trials, verdict }: SaturationDocument): string {
  const trusted = rungs.filter(isTrusted)
  if (rungs.length === 0) return 'No: no visit finished'
  if (trusted.length === 0) return 'No: no rung can be trusted'
  const rough = verdict.reasons.find(({ code }) => ROUGH.has(code))
  if (rough !== undefined) return `Not quite: ${rough.message}`
  const all = plural(rungs.length, 'rung')
  if (trusted.length < rungs.length) {
    return `${formatCount(trusted.length)} of ${all} count; the others are shown hollow`
  }
  const bounds = rungs.filter(isGeneratorBound).length
  const least = bounds === 0 ? '' : `, ${formatCount(bounds)} of them as a lower bound`
  const lost = trials.filter((visit) => !isTrusted(visit)).length
  const without = lost === 0 ? '' : `, without ${formatCount(lost)} of ${trials.length} visits`
  return `Yes: all ${all} count${least}${without}`
}

function trustCells(rung: SaturationRung, { trials }: SaturationDocument): TableCell[] {
  const { connections } = rung
  const stolen = trials.flatMap((visit) =>
    visit.connections === connections ? (visit.stolen ?? []) : [],
  )
  return [
    signOf(rung),
    formatCount(connections),
    visitWords(rung),
    formatRough(rung.little.connections),
    formatValue(rung.little.residual, 'share'),
    shareWords(rung.utilisation),
    shareWords(stolen.length === 0 ? null : Math.max(...stolen)),
    formatMs(rung.windowMs),
    formatCount(rung.requests),
    formatCount(rung.reconnects),
  ]
}

function signOf(rung: SaturationRung): TableCell {
  if (rung.doubts.length === 0) return { text: '✓ ok', tone: 'good' }
  return isTrusted(rung)
    ? { text: '? at least', tone: 'doubt' }
    : { text: '✗ does not count', tone: 'bad' }
}

/**
 * For example `32 connections, 2 of 6 visits: too few ...`: why visits do not count, apart from
 * their errors, which every table shows. The first of each kind speaks for all.
 */
function doubtSentences({ rungs, trials }: SaturationDocument): string[] {
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
