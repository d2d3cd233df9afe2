/**
 * The report of a saturation: verdict, curve, the load that the ceiling can serve, whether to trust
 * it, every rung.
 */
import type { Report, Section } from '../../../report/frame/report.ts'
import type { TableCell, Table } from '../../../report/frame/table.ts'
import { reasonText } from '../../../report/frame/report.ts'
import {
  formatCount,
  formatInterval,
  formatMetric,
  formatMs,
  formatRough,
  formatValue,
  NOTHING,
  plural,
} from '../../../report/frame/format.ts'
import type { VerdictMark } from '../../frame/study.ts'
import {
  headlineOf,
  INCONCLUSIVE,
  INVALID,
  originOf,
  verdictCase,
  reportFiles,
} from '../../frame/study.ts'
import {
  isGeneratorBound,
  isTrusted,
  LITTLE_BOUND,
  STOLEN_BOUND,
  UTILISATION_BOUND,
} from '../analyse/visit.ts'
import type { SaturationDocument, SaturationRung, SaturationVerdict } from '../document.ts'
import { ENDPOINTS } from '../document.ts'
import { curveOf } from './chart.ts'
import {
  doubtSentences,
  extentSentence,
  feedRows,
  feedSentence,
  kneeSentence,
  markOf,
  rungWords,
} from './words.ts'

export const SATURATION_VERDICTS: Record<SaturationVerdict['outcome'], VerdictMark> = {
  measured: { word: 'MEASURED', sign: '✓', tone: 'good', exit: 'passed' },
  inconclusive: INCONCLUSIVE,
  invalid: INVALID,
}

export function saturationReport(document: SaturationDocument): Report {
  const { verdict, plan, findings, command, target, profile } = document
  const mark = SATURATION_VERDICTS[verdict.outcome]
  const title = `saturate ${plan.endpoint}`
  return {
    title,
    headline: headlineOf(mark, verdict.sentence),
    reasons: verdict.reasons.map(reasonText),
    findings,
    facts: facts(document),
    sections: [curve(document), feeds(document), trust(document)],
    files: reportFiles('saturation'),
    command,
    origin: originOf(document, { target: profile === null ? target : `${target}, ${profile}` }),
    cases: [verdictCase(`ceiling of ${ENDPOINTS[plan.endpoint]}`, mark, verdict)],
  }
}

const LATENCY_NOTE =
  'Latency is the service time of a closed loop: each connection sends its next ' +
  'request when it has its answer, so that a slow target receives fewer requests.'

function facts(document: SaturationDocument): Report['facts'] {
  const { plan, tool } = document
  const feed = feedSentence(document)
  return [
    { name: 'Endpoint', text: ENDPOINTS[plan.endpoint], on: ['page'] },
    { name: 'Ceiling', text: ceilingWords(document) },
    { name: 'Knee', text: kneeSentence(document) ?? 'not found' },
    ...(feed === null
      ? []
      : [{ name: 'Feeds', text: feed, on: ['terminal', 'markdown'] as const }]),
    {
      name: 'Rungs',
      text:
        `${plural(plan.repeats, 'visit')} of ${formatMs(plan.rungMs)} each, after ` +
        `${formatMs(plan.warmUpMs)} of warm-up`,
      on: ['page'],
    },
    { name: 'Extent', text: extentSentence(document) },
    {
      name: 'Generator',
      text: `autocannon, closed loop, on Node ${tool.node}`,
      on: ['page'],
    },
  ]
}

function ceilingWords({ ceiling }: SaturationDocument): string {
  if (ceiling === null) return 'not found'
  const { throughput, connections } = ceiling
  const interval = formatInterval(throughput)?.replaceAll('/s', '')
  const range = interval === undefined ? '' : ` (${interval})`
  return `${formatMetric(throughput)}${range} with up to ${plural(connections, 'connection')}`
}

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

const RUNG_COLUMNS: Table['columns'] = [
  { title: 'connections', kind: 'number' },
  { title: 'mark' },
  { title: 'visits', kind: 'number' },
  { title: 'answers', kind: 'number' },
  { title: '95 % interval', kind: 'number' },
  { title: 'p50', kind: 'number' },
  { title: 'p95', kind: 'number' },
  { title: 'p99', kind: 'number' },
  { title: 'errors' },
  { title: 'busy', kind: 'number' },
]

function rungTable(document: SaturationDocument): Table {
  const { rungs, plan } = document
  // The extent says how many there are when all rungs have as many.
  const isUneven = rungs.some(({ counted }) => counted !== plan.repeats)
  const shown = <T>(cells: readonly T[]): T[] => cells.filter((_, at) => isUneven || at !== 2)
  const rows = rungs.map((rung): TableCell[] => {
    const words = rungWords(rung)
    const { connections, visits, throughput, interval, p50, p95, p99, errors, busy } = words
    const mark = markOf(rung, document)
    return shown<TableCell>([
      connections,
      mark,
      visits,
      throughput,
      interval,
      p50,
      p95,
      p99,
      errors,
      busy,
    ])
  })
  return { kind: 'table', columns: shown(RUNG_COLUMNS), rows, empty: 'No visit finished.' }
}

const POLLED_NOTE =
  'Executions in flight = answers per second × polling interval. At the ceiling ' +
  'there is no room left for a burst, for kickoffs or for retries: plan for half ' +
  'of it.'
const KICKED_OFF_NOTE =
  'Kickoffs that the endpoint accepts; whether the crew behind it can run that ' +
  'many at once is another question.'

/** The other media show it as a fact. */
function feeds(document: SaturationDocument): Section {
  const rows = feedRows(document)
  const [first] = rows
  const on = ['page'] as const
  if (first === undefined) return { title: 'What the ceiling can serve', blocks: [] }
  const { interval, carries } = first
  const text =
    interval === null ? `It accepts ${carries}` : `Polled ${interval} it can serve ${carries}`
  return {
    title: 'What the ceiling can serve',
    blocks: [
      { kind: 'prose', as: 'finding', text, on },
      { kind: 'prose', text: interval === null ? KICKED_OFF_NOTE : POLLED_NOTE, on },
      {
        kind: 'table',
        columns: [{ title: 'polling' }, { title: 'carries' }],
        rows: rows.length < 2 ? [] : rows.map((row) => [row.interval ?? '', row.carries]),
        empty: null,
        on,
      },
    ],
  }
}

/** Doubts about the ceiling itself although its rungs count. */
const ROUGH: ReadonlySet<string> = new Set(['precision', 'unclear', 'noisy', 'mixed'])

function trust(document: SaturationDocument): Section {
  const { rungs, verdict } = document
  const on = ['page'] as const
  return {
    title: 'Can we trust this',
    blocks: [
      { kind: 'prose', as: 'finding', text: trustFinding(document), on },
      { kind: 'prose', text: TRUST_NOTE, on },
      {
        kind: 'table',
        columns: TRUST_COLUMNS,
        rows: rungs.map((rung) => trustCells(rung, document)),
        empty: 'No visit finished.',
        on,
      },
      // The reasons of an invalid verdict already say this.
      { kind: 'list', items: verdict.outcome === 'invalid' ? [] : doubtSentences(document) },
    ],
  }
}

const TRUST_NOTE =
  'By Little’s law, the time that requests took, divided by the window, must ' +
  'account for the number of connections: the difference was spent connecting, ' +
  'or on requests that were lost. A visit counts if the difference is at most ' +
  `${formatValue(LITTLE_BOUND, 'share')}, and if other machines on the same host took at most ` +
  `${formatValue(STOLEN_BOUND, 'share')} of the CPU time that this one wanted. A rung counts if ` +
  'half of its visits do. If this process is busy for over ' +
  `${formatValue(UTILISATION_BOUND, 'share')} of the time, the rung is a lower bound.`

function trustFinding({ rungs, trials, verdict }: SaturationDocument): string {
  const trusted = rungs.filter(isTrusted)
  if (rungs.length === 0) return 'No: no visit finished'
  if (trusted.length === 0) return 'No: no rung can be trusted'
  const rough = verdict.reasons.find(({ code }) => ROUGH.has(code))
  if (rough !== undefined) return `Not quite: ${rough.message}`
  const bounds = rungs.filter(isGeneratorBound).length
  const least = bounds === 0 ? '' : `, ${formatCount(bounds)} of them as a lower bound`
  const lost = trials.filter((visit) => !isTrusted(visit)).length
  const without = lost === 0 ? '' : `, without ${formatCount(lost)} of ${trials.length} visits`
  return trusted.length === rungs.length
    ? `Yes: all ${plural(rungs.length, 'rung')} count${least}${without}`
    : `${formatCount(trusted.length)} of ${plural(rungs.length, 'rung')} count; the others ` +
        'are shown hollow'
}

const TRUST_COLUMNS: Table['columns'] = [
  { title: 'result' },
  { title: 'connections', kind: 'number' },
  { title: 'visits', kind: 'number' },
  { title: 'accounted for', kind: 'number' },
  { title: 'difference', kind: 'number' },
  { title: 'process busy', kind: 'number' },
  { title: 'CPU taken, at most', kind: 'number' },
  { title: 'window', kind: 'number' },
  { title: 'requests', kind: 'number' },
  { title: 'reopened', kind: 'number' },
]

function trustCells(rung: SaturationRung, { trials }: SaturationDocument): TableCell[] {
  const { connections } = rung
  const stolen = trials.flatMap((visit) =>
    visit.connections === connections ? (visit.stolen ?? []) : [],
  )
  return [
    signOf(rung),
    formatCount(connections),
    rungWords(rung).visits,
    formatRough(rung.little.connections),
    formatValue(rung.little.residual, 'share'),
    rung.utilisation === null ? NOTHING : formatValue(rung.utilisation, 'share'),
    stolen.length === 0 ? NOTHING : formatValue(Math.max(...stolen), 'share'),
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
