/**
 * Whether the measurement can be trusted: the generator's health, each measure beside its bound.
 */
import type { GeneratorCheck, InstanceResult, ResultDocument } from '../../../result/document.ts'
import {
  formatBytes,
  formatCount,
  formatMs,
  formatOptionalMs,
  formatShare,
  formatValue,
  NOTHING,
  plural,
} from '../../../base/numbers.ts'
import { latenessBoundWords } from '../../../result/sentences/generator.ts'
import { plainText } from '../../text/format.ts'
import type { Chart } from '../../charts/chart.ts'
import { bucketTable, histogram } from '../../charts/histogram.ts'
import type { Block } from '../../frame/report.ts'
import type { TableCell } from '../../text/table.ts'
import { columnsOf } from '../../text/table.ts'
import { engineWords, metricValueIn } from '../summary.ts'
import type { RunSection } from './section.ts'

export const TRUST: RunSection = {
  chapter: 'Can we trust this',
  title: null,
  blocks: (document) => {
    const { lateness } = document.distributions
    const { checks } = document.generator
    return [
      { kind: 'prose', as: 'heading', text: heading(document), on: ['page'] },
      checkTable(checks.map((check) => ({ check }))),
      vitals(document),
      ...instances(document),
      // In virtual time no request is late.
      ...(lateness === undefined || lateness.n === 0 || lateness.max === 0
        ? []
        : [{ kind: 'figure', chart: latenessChart(lateness) } as const]),
    ]
  },
}

function heading({ generator: { checks }, verdict }: ResultDocument): string {
  const measured = checks.filter((check) => check.measured !== null)
  const bad = measured.filter(({ ok }) => !ok)
  const skipped = checks.length - measured.length
  const unknown = skipped === 0 ? '' : `. ${skipped} could not be measured on this host`
  if (measured.length === 0) return 'The health of the generator is unknown'
  if (bad.length === 0) {
    return `Yes: all ${measured.length} measures of the generator are within their bounds${unknown}`
  }
  const words = bad.map(
    ({ name }) => verdict.reasons.find(({ code }) => code === name)?.message ?? name,
  )
  return `No: ${plainText(words.join('; '), MESSAGES_LIMIT)}${unknown}`
}

/** What one of them says of a scenario or a journal is foreign. */
const MESSAGES_LIMIT = 600

interface CheckWords {
  measured: string
  bound: string
  meaning: string
}

export function checkWords(check: GeneratorCheck): CheckWords {
  const { measured, bound, unit, why, worst } = check
  const { meaning, ...own } = CHECKS[check.name]
  const words = {
    bound: own.bound?.(check) ?? formatValue(bound, unit),
    meaning,
  }
  if (measured === null) return { ...words, measured: UNKNOWN[why!] }
  const value = own.measured?.(measured, check) ?? formatValue(measured, unit)
  const over = worst && worst.over > 0 ? `; ${formatCount(worst.over)} over the bound` : ''
  const place =
    worst && ` in instance ${worst.instance}, the worst of ${formatCount(worst.of)}${over}`
  return { ...words, measured: `${value}${place ?? ''}` }
}

const UNKNOWN: Record<NonNullable<GeneratorCheck['why']>, string> = {
  'nothing-sent': 'nothing sent',
  'short-run': 'unknown: the run was shorter than five seconds',
  'unknown-host': 'not known on this host',
  unfinished: 'no final count: an instance did not finish',
  resumed: 'no live count: the run was cut and resumed',
  'no-journal': 'the journal of an instance is missing',
  'no-beginning': 'a journal lost its beginning',
}

function errors(count: number): string {
  return count === 0 ? 'no errors' : plural(count, 'error')
}

const CHECKS: Record<
  GeneratorCheck['name'],
  {
    meaning: string
    /** Default: the number in its unit. */
    measured?: (value: number, check: GeneratorCheck) => string
    bound?: (check: GeneratorCheck) => string
  }
> = {
  lateness: {
    meaning:
      'p99 of the time between intended and actual sending: caused by the generator, ' +
      'never by the target',
    bound: ({ bound, basis = null }) => latenessBoundWords({ boundMs: bound, basis }),
  },
  utilisation: {
    meaning:
      'highest event-loop utilisation held for five seconds: near 100 % the generator ' +
      'measures itself',
  },
  little: {
    meaning:
      "Little's law: executions in flight, counted live, against arrival rate times " +
      'duration from the records',
  },
  records: {
    meaning: 'every arrival that the engine counted has exactly one record in the journal',
    measured: (value, { bound, why }) =>
      `${formatCount(value)} of ${formatCount(bound)}${why ? `; ${UNKNOWN[why]}` : ''}`,
    bound: () => 'every arrival',
  },
  journal: {
    meaning: 'every line of the journal was written and could be read back',
    measured: errors,
    bound: () => errors(0),
  },
  clock: {
    meaning:
      'wall clock and monotonic clock agreed: the machine did not sleep, and its ' +
      'time was not changed',
    measured: (value) => plural(value, 'step'),
    bound: () => '0 steps',
  },
  scenario: {
    meaning: "the scenario's functions (inputs, tags, checks) returned valid values every time",
    measured: errors,
    bound: () => errors(0),
  },
  start: {
    meaning: 'all instances began together, so the total load follows the schedule',
    measured: (value) => `${formatMs(value)} apart`,
  },
  admission: {
    meaning: 'arrivals that the generator did not send: no place in flight, or inputs that threw',
    measured: (value) => `${formatShare(value)} dropped`,
  },
}

/** `name`: in place of that of the check. */
export function checkTable(checks: readonly { check: GeneratorCheck; name?: string }[]): Block {
  return {
    kind: 'table',
    columns: [
      { title: 'result' },
      { title: 'measure' },
      { title: 'measured', kind: 'number' },
      { title: 'bound', kind: 'bound' },
      { title: 'meaning' },
    ],
    rows: checks.map(({ check, name = check.name }) => {
      const { measured, bound, meaning } = checkWords(check)
      return [sign(check), name, measured, bound, meaning]
    }),
    empty: 'Nothing to show.',
    stacks: true,
    on: ['page'],
  }
}

function sign({ ok, measured }: GeneratorCheck): TableCell {
  if (measured === null) return { text: '– skipped', tone: 'muted' }
  return ok ? { text: '✓ ok', tone: 'good' } : { text: '✗ not ok', tone: 'bad' }
}

function vitals(document: ResultDocument): Block {
  const { generator, distributions, run, crewload } = document
  const clamped = Object.values(distributions).reduce((sum, each) => sum + each.clamped, 0)
  const { connectionsOpened, utilisationMean, peakMemoryBytes } = generator
  const handshakeShare = metricValueIn(document, 'connections.handshakeShare')
  const facts: [string, string][] = [
    ['Requests', formatCount(generator.requests)],
    ['Connections opened', known(connectionsOpened, formatCount)],
    ['Requests on a new connection', known(handshakeShare, formatShare)],
    ['Event-loop use, mean', known(utilisationMean, formatShare)],
    ['Memory at its peak', known(peakMemoryBytes, formatBytes)],
    ['Confirmation polls', formatCount(generator.confirmations)],
    ['Samples clamped', formatCount(clamped)],
    ['Engine', `${engineWords(document)}, seed ${run.seed}`],
    ['crewload', run.node === null ? crewload : `${crewload} on Node ${run.node}`],
    ...(run.machine === null ? [] : [['Machine', run.machine] as [string, string]]),
    ['Dialect', run.dialect ?? 'unknown'],
  ]
  return { kind: 'facts', facts: facts.map(([name, text]) => ({ name, text })), on: ['page'] }
}

function known(value: number | null, format: (value: number) => string): string {
  return value === null ? NOTHING : format(value)
}

/** Empty for a single instance, whose figures are shown above. */
function instances({ generator, run }: ResultDocument): Block[] {
  if (run.instances === 1) return []
  const shown = generator.instances.length
  const all = formatCount(run.instances)
  const title =
    shown < run.instances
      ? `${formatCount(shown)} of ${all} instances: unfinished ones first, then the latest`
      : `All ${all} instances, the latest first`
  const numbers = ['began after', 'arrivals ended', 'most in flight', 'lateness p99', 'event loop']
  const table: Block = {
    kind: 'table',
    columns: [
      ...columnsOf([], ['instance'], ['engine']),
      ...columnsOf([], [...numbers, 'memory'], ['finished']),
    ],
    rows: generator.instances.map(instanceRow),
    empty: 'No line of any instance was read.',
  }
  return [{ kind: 'fold', title, blocks: [table] }]
}

function instanceRow(instance: InstanceResult): TableCell[] {
  const { maxInFlight, utilisation, peakMemoryBytes } = instance
  return [
    formatCount(instance.instance),
    instance.engine ?? NOTHING,
    formatOptionalMs(instance.beganMs),
    formatCount(instance.ended),
    known(maxInFlight, formatCount),
    formatOptionalMs(instance.latenessP99Ms),
    known(utilisation, formatShare),
    known(peakMemoryBytes, formatBytes),
    instance.finished ? 'yes' : { text: '✗ no', tone: 'bad' },
  ]
}

function latenessChart(lateness: ResultDocument['distributions'][string]): Chart {
  const p95 = lateness.quantiles.find(({ q }) => q === 0.95)
  const most = lateness.max === null ? '' : `, never more than ${formatMs(lateness.max)}`
  return {
    id: 'lateness',
    heading:
      p95 === undefined
        ? `Requests were sent at most ${formatMs(lateness.max ?? 0)} late`
        : `95 of 100 requests were sent within ${formatMs(p95.value)} of their intended time${most}`,
    caption:
      'Lateness, from intended to sent, is caused by the generator: service times ' +
      'exclude it, response times include it.',
    ...histogram('Requests by lateness', lateness),
    table: [bucketTable(lateness)],
  }
}
