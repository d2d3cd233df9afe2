/** The report of a run as data: verdict, thresholds, facts, then a section for each subject. */
import { placeText } from '../frame/place-text.ts'
import type {
  ResultDocument,
  Verdict,
  GeneratorCheck,
  ThresholdResult,
} from '../../result/document.ts'
import { formatMeasured, loadShare, spentWords } from '../../result/metrics/sentences.ts'
import { plainText } from '../text/format.ts'
import {
  formatMs,
  inNumber,
  lapseWords,
  plural,
  threeDigits,
  formatCount,
} from '../../base/numbers.ts'
import type { Block, Fact, Headline, Report, TestCase } from '../frame/report.ts'
import type { Medium, Tone } from '../text/table.ts'
import { reasonText } from '../frame/report.ts'
import { causeOf } from './cause.ts'
import { loadWords } from './load-sentence.ts'
import { measuredCost } from './sections/optional/usage.ts'
import * as sections from './sections/list.ts'
import type { ListedExecutions, RunSection } from './sections/section.ts'
import { checkWords } from './sections/trust.ts'
import { engineWords, extentWords, otherReasons, thresholdSummary } from './summary.ts'
import { thresholdRow, formatBound } from './thresholds.ts'
import { unreachable } from '../../base/assert.ts'
import { capital } from '../../base/text.ts'
import { rateShapeOf } from '../../scenario/arrivals/index.ts'
import { isKept } from '../../result/verdict/judge.ts'
import type { ReportedLoad } from '../../result/metrics/crew-load.ts'
import { dependsOnQueue } from '../../result/verdict/thresholds.ts'

/** In order: a module lists its exports sorted by their names, which are the places here. */
export const RUN_SECTIONS: readonly RunSection[] = Object.values(sections)

/** `listed`: the executions that the page lists, if any. */
export function runReport(
  document: ResultDocument,
  listed: ListedExecutions | null = null,
): Report {
  const { run, findings } = document
  return {
    title: run.scenario,
    headline: runHeadline(document),
    reasons: otherReasons(document).map(reasonText),
    lead: leadOf(document),
    findings,
    facts: factsOf(document),
    sections: RUN_SECTIONS.map(({ chapter, title, blocks }) => ({
      chapter,
      title,
      blocks: blocks(document, listed),
    })),
    folded: isFew(document),
    files: filesOf(document),
    command: run.command,
    origin: originOf(document),
    cases: testCases(document),
  }
}

/** The page is then one screen: the values say more than figures. */
const FEW_ARRIVALS = 20

function isFew({ arrivals }: ResultDocument): boolean {
  return arrivals < FEW_ARRIVALS
}

export const MARKS: Record<Verdict['outcome'], { word: string; sign: string; tone: Tone }> = {
  passed: { word: 'PASSED', sign: '✓', tone: 'good' },
  failed: { word: 'FAILED', sign: '✗', tone: 'bad' },
  invalid: { word: 'INVALID', sign: '!', tone: 'bad' },
  inconclusive: { word: 'INCONCLUSIVE', sign: '?', tone: 'doubt' },
  unreachable: { word: 'UNREACHABLE', sign: '✗', tone: 'bad' },
}

/** Green is for a run without a problem. */
export function verdictWords({
  outcome,
  problems,
}: Pick<Verdict, 'outcome' | 'problems'>): Pick<Headline, 'word' | 'sign' | 'tone'> {
  const mark = MARKS[outcome]
  if (problems === 0) return mark
  const word = `${mark.word} WITH ${plural(problems, 'PROBLEM', 'PROBLEMS')}`
  return { word, sign: '!', tone: 'doubt' }
}

export function validityWords({ valid }: Pick<Verdict, 'valid'>): { text: string; tone: Tone } {
  return valid
    ? { text: '✓ measurement valid', tone: 'good' }
    : { text: '! measurement not valid', tone: 'bad' }
}

export function runHeadline(document: ResultDocument): Headline {
  const { run, verdict } = document
  const lapse = lapseWords(run.speed)
  const time = lapse === null ? [] : [{ text: `time-lapse: ${lapse}` }]
  const cause = causeOf(document)
  return {
    ...verdictWords(verdict),
    cause: cause?.words ?? '',
    sentence: cause?.remedy ?? '',
    load: loadWords(document),
    basis: [{ text: thresholdSummary(document) }, validityWords(verdict), ...time],
  }
}

function leadOf(document: ResultDocument): Block[] {
  const { thresholds, run, plan } = document
  const said = isOverloaded(document) ? 'lower-load' : null
  return [
    thresholds.length === 0
      ? muted(
          'This scenario sets no thresholds: the verdict says only that the measurement can be ' +
            'trusted.',
        )
      : { kind: 'thresholds', rows: thresholds.map((each) => thresholdRow(each, document, said)) },
    { kind: 'prose', text: valuesSentence(document), on: ['page'] },
    muted(judgementSentences(document).join(' ')),
    muted(timeNote(run)),
    { kind: 'prose', as: 'about', text: plan.description, on: ['page'] },
  ]
}

/** Whether the head says so, with the load and what to do. */
function isOverloaded(document: ResultDocument): boolean {
  return causeOf(document)?.code === 'overload'
}

/** `End to end: 51.3 s, 67.9 s, 142 s.`; empty with more executions than one can read. */
function valuesSentence(document: ResultDocument): string {
  const { values = [] } = document.distributions['execution'] ?? {}
  if (!isFew(document) || values.length === 0) return ''
  return `End to end: ${values.map((value) => formatMs(value)).join(', ')}.`
}

/** In a merged result the text is foreign; our own words are about 200 characters long. */
const NETWORK_LIMIT = 400

/**
 * Of virtual time, in which nobody waited for the hours reported: which network lay between client
 * and crew.
 */
function timeNote({ network }: ResultDocument['run']): string {
  if (network === null) return ''
  const over = plainText(`${network.name}: ${network.words}`, NETWORK_LIMIT)
  return `Simulated in virtual time, over the network ${over}.`
}

function muted(text: string, on?: readonly Medium[]): Block {
  return { kind: 'prose', as: 'muted', text, ...(on && { on }) }
}

/** Of the sections, first what every run has, then the others. The page shows most of it there. */
function factsOf(document: ResultDocument): Fact[] {
  const { run, warmUpArrivals: warmUp } = document
  const { spent, instances } = run
  const several = instances > 1 ? `${plural(instances, 'instance')}, ` : ''
  const rows: [name: string, text: string | null, on?: Fact['on']][] = [
    ['Scenario', run.scenario, ['page']],
    ['Extent', several + extentWords(document)],
    ...['facts' as const, 'furtherFacts' as const].flatMap((kind) =>
      RUN_SECTIONS.flatMap((section) => section[kind]?.(document) ?? []).map(
        ({ name, text, on = ['terminal', 'markdown'] }): (typeof rows)[number] => [name, text, on],
      ),
    ),
    ['Spent', measuredCost(document) ?? estimatedCost(spent)],
    ['Warm-up', warmUp > 0 ? `${plural(warmUp, 'arrival')}, not counted` : null, ['page']],
  ]
  return rows.flatMap(([name, text, on]) =>
    text === null ? [] : [{ name, text, ...(on && { on }) }],
  )
}

function estimatedCost(spent: ResultDocument['run']['spent']): string | null {
  return spent === undefined ? null : spentWords(spent.kickoffs, spent.costPerKickoff)
}

function originOf(document: ResultDocument): Report['origin'] {
  const { run, crewload } = document
  const parts = [
    `crewload ${crewload}, run ${run.id}`,
    `engine ${engineWords(document)}`,
    `seed ${run.seed}`,
    `plan ${run.planHash}`,
  ]
  return {
    target: placeText(run.place),
    ...(run.proxy === undefined ? {} : { proxy: run.proxy }),
    startedAt: run.startedAt,
    ...(run.network === null ? {} : { virtual: 'undated' as const }),
    durationMs: run.durationMs,
    tool: parts.join(', '),
  }
}

function filesOf({ ledger, faults }: ResultDocument): Report['files'] {
  return [...ALWAYS, ...(ledger === null ? [] : OF_LEDGER), ...(faults === null ? [] : OF_FAULTS)]
}

const ALWAYS = [
  ['result.json', 'every number shown here, with its HDR histograms'],
  ['executions.ndjson', 'the journal: one line per event, with the record of each execution'],
  ['histograms.hlog', 'the histograms, in the format of other HDR tools'],
  ['summary.md', 'the report as Markdown'],
  ['comment.md', 'the short form, for a comment on a pull request'],
  ['junit.xml', 'one test case per threshold, for CI servers'],
] as const

/** Files that exist only when the target keeps a ledger. */
const OF_LEDGER = [
  ['ledger.ndjson', 'the fake crew’s own account: one line per execution'],
  ['clock.json', 'the mapping of the fake crew’s clock to this run’s, with its error'],
] as const

const OF_FAULTS = [
  ['faults.json', 'when each fault of the fake crew was on, and which answers it changed'],
] as const

/**
 * A verdict other than `passed` always shows: reasons that no threshold covers become errors of
 * their own.
 */
function testCases(document: ResultDocument): TestCase[] {
  return [
    ...document.generator.checks.map((check) => measurementCase(check, document)),
    ...document.thresholds.map(thresholdCase),
    ...reasonCases(document),
  ]
}

function measurementCase(check: GeneratorCheck, { verdict }: ResultDocument): TestCase {
  const { measured, meaning } = checkWords(check)
  const name = `measurement ${check.name}`
  if (check.measured === null)
    return { name, result: { kind: 'skipped', message: `${measured}; ${meaning}` } }
  if (check.ok) return { name, result: { kind: 'passed' } }
  const why = verdict.reasons.find(({ code }) => code === check.name)?.message ?? measured
  return { name, result: { kind: 'error', message: `${why}: ${meaning}` } }
}

function thresholdCase(threshold: ThresholdResult): TestCase {
  // A name without the bound: with another bound, a CI server keeps the history of the case.
  const name = threshold.metric
  const measured = `${formatMeasured(threshold)}, bound ${formatBound(threshold)}`
  const message = threshold.hint === null ? measured : `${measured}; ${threshold.hint}`
  switch (threshold.status) {
    case 'met':
      return { name, result: { kind: 'passed' } }
    case 'missed':
      return { name, result: { kind: 'failure', message } }
    case 'undecided':
      return { name, result: { kind: 'skipped', message: `undecided: ${message}` } }
    case 'notJudged':
      return {
        name,
        result: {
          kind: 'skipped',
          message: `not judged: ${measured}; the measurement is not valid`,
        },
      }
    case 'unmeasurable':
      return { name, result: { kind: 'error', message: `not measurable: ${message}` } }
    default:
      return unreachable(threshold.status)
  }
}

function reasonCases(document: ResultDocument): TestCase[] {
  const shown = new Set<string>(
    document.generator.checks.filter(({ ok }) => !ok).map(({ name }) => name),
  )
  return otherReasons(document)
    .filter(({ code }) => !shown.has(code))
    .map((reason) => ({
      name: `verdict ${reason.code}${'metric' in reason ? ` ${reason.metric}` : ''}`,
      result: { kind: 'error', message: reasonText(reason) },
    }))
}

/** One sentence each. */
export function judgementSentences(document: ResultDocument): string[] {
  if (!document.verdict.valid && document.verdict.outcome === 'invalid') return []
  return [
    undecidedSentence(document),
    byValueSentence(document),
    promiseSentence(document),
    loadSentence(document),
  ].filter((sentence) => sentence !== null)
}

function undecidedSentence({ plan }: ResultDocument): string | null {
  const { undecided } = plan
  if (undecided === 'inconclusive') return null
  const effect = undecided === 'pass' ? 'do not prevent a pass' : 'count as missed'
  return (
    `Thresholds that their 95 % interval left undecided ${effect}, except default ` +
    `promises, as requested by --inconclusive ${undecided}.`
  )
}

function byValueSentence({ plan, thresholds }: ResultDocument): string | null {
  const asked = new Set(
    plan.thresholds.filter(({ judge }) => judge === 'value').map(({ metric }) => metric),
  )
  const byValue = thresholds.filter(
    ({ metric, judged, source }) =>
      judged === 'value' && source === 'scenario' && asked.has(metric),
  )
  if (byValue.length === 0) return null
  const judges = inNumber(byValue.length, 'its interval says', 'their intervals say')
  return `The scenario judges ${names(byValue)} by value, whatever ${judges}.`
}

/** What a run may pass with, though it is not proven. */
function promiseSentence({ thresholds }: ResultDocument): string | null {
  const undecided = thresholds.filter(
    (each) => each.source === 'default' && each.status === 'undecided' && isKept(each),
  )
  if (undecided.length === 0) return null
  return (
    `These default promises are kept by value, but not proven, which does not prevent a pass: ` +
    `${names(undecided)}.`
  )
}

/**
 * Congestion causes the tail of execution times: a run without congestion shows nothing about it.
 */
function loadSentence(document: ResultDocument): string | null {
  const { plan, thresholds, load, reportedLoad } = document
  const dependent = thresholds.filter(
    (each) => each.status !== 'unmeasurable' && dependsOnQueue(each.metric),
  )
  const [first] = dependent
  if (first === undefined) return null
  const thisRun =
    `statements about ${names(dependent)} apply to this run only, and rarer congestion ` +
    'cannot be excluded'
  if (load === null) {
    return reportedLoad === undefined
      ? `The load of the crew is unknown: ${thisRun}.`
      : `${reportedWords(reportedLoad)}: ${thisRun}.`
  }
  if (isOverloaded(document)) return `${capital(GROWING)}.`
  const { n } = first.measured
  const share = `${loadShare(load)} of their capacity`
  // The queue grows at the peak, about which a mean load says nothing.
  if (rateShapeOf(plan.arrivals) === 'varied') {
    return (
      `The crew has ${plural(load.workers, 'worker')}, and the arrivals needed ` +
      `${share} on average; the load varies by plan, so ${thisRun}.`
    )
  }
  return (
    `The crew has ${plural(load.workers, 'worker')}, and the arrivals needed ` +
    `${share}, ${honesty(load, n)}.`
  )
}

/** How many executions the crew could do at once, it does not report. */
function reportedWords({ meanMs, atOnce }: ReportedLoad): string {
  return (
    `By the times that the crew reports (${formatMs(meanMs)} per execution), the arrivals keep ` +
    `${threeDigits(atOnce)} executions at work on average. How many it can do at once is ` +
    'unknown'
  )
}

const GROWING =
  'waiting times grow with the length of the run, so that values and intervals describe this run ' +
  'alone'

function honesty({ load, needed }: NonNullable<ResultDocument['load']>, n: number): string {
  if (needed === null) return `which is more than they can do: ${GROWING}`
  if (load >= 1 && needed === 0) {
    return 'which is more than they can do, but the crew lets others wait: these waits do not grow'
  }
  if (needed === 0) return 'at which intervals of execution times are reliable'
  const had = plural(n, 'execution')
  return (
    'at which intervals of execution times are reliable from ' +
    `${formatCount(needed)} executions on: this run had ${had}`
  )
}

function names(thresholds: readonly ThresholdResult[]): string {
  return thresholds.map(({ metric }) => plainText(metric, 60)).join(', ')
}
