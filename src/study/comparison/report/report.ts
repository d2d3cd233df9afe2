/** A comparison as people read it: what changed, how surely, and what stays unseen. */
import { formatReach, plural } from '../../../analysis/metrics/format-metric.ts'
import type { Cell, Fact, Report, Section, Table } from '../../../report/frame/report.ts'
import { reasonText } from '../../../report/frame/report.ts'
import type { VerdictMark } from '../../frame/study.ts'
import { headlineOf, toolWords } from '../../frame/study.ts'
import { listed } from '../../frame/words.ts'
import { rounded, sizes } from '../analyse/verdict.ts'
import type { Compared, ComparedRun, ComparedSide, ComparisonDocument } from '../document.ts'
import { curveChart } from './chart.ts'

export const COMPARISON_VERDICTS: Record<ComparisonDocument['verdict']['outcome'], VerdictMark> = {
  regression: { word: 'REGRESSION', sign: '✗', tone: 'bad', exit: 'failed' },
  improvement: { word: 'IMPROVEMENT', sign: '✓', tone: 'good', exit: 'passed' },
  equal: { word: 'EQUAL', sign: '✓', tone: 'good', exit: 'passed' },
  'none-proven': { word: 'NOTHING PROVEN', sign: '~', tone: 'doubt', exit: 'passed' },
  'not-comparable': { word: 'NOT COMPARABLE', sign: '!', tone: 'bad', exit: 'inconclusive' },
}

export function comparisonReport(document: ComparisonDocument): Report {
  const { verdict, findings, command, startedAt, durationMs, profile, target } = document
  return {
    title: 'comparison',
    headline: headlineOf(COMPARISON_VERDICTS[verdict.outcome], verdict.sentence),
    // Of a single change the headline has said it.
    reasons: isOneChange(document) ? [] : verdict.reasons.map(reasonText),
    findings,
    facts: facts(document),
    sections: [
      judged(document),
      shift(document),
      others(document),
      ...tags(document),
      runs(document),
    ],
    files: [
      ['comparison.json', 'every number shown here'],
      ['summary.md', 'the short form for a pull request'],
      ['junit.xml', 'the verdict for a CI server'],
    ],
    command,
    origin: { target: profile ?? target, startedAt, durationMs, tool: toolWords(document) },
    cases: document.metrics.filter((metric) => metric.judged).map(metricCase),
  }
}

function isOneChange({ verdict, metrics }: ComparisonDocument): boolean {
  return verdict.reasons.length === 1 && metrics.some(({ significant }) => significant)
}

function facts({ base, new: next, terms }: ComparisonDocument): Fact[] {
  const { smallestChange, smallestDifference, level, equivalent } = terms
  return [
    { name: 'Base', text: sideWords(base) },
    { name: 'New', text: sideWords(next) },
    {
      name: 'Proven',
      text: `at ${rounded(100 * level)} % over all judged metrics together, and a change of at least ${rounded(100 * smallestChange)} % (shares: ${rounded(100 * smallestDifference)} percentage point)`,
    },
    ...(equivalent === null
      ? []
      : [
          {
            name: 'Same',
            text: `where the whole 90 % interval is within ${rounded(100 * equivalent)} %`,
          },
        ]),
  ]
}

function sideWords(runs: readonly ComparedRun[]): string {
  const scenarios = [...new Set(runs.map(({ scenario }) => scenario))]
  const engines = [...new Set(runs.map(({ engine }) => engine))]
  return `${plural(runs.length, 'run')} of ${listed(scenarios)}, engine ${listed(engines)}`
}

const MEANING =
  'The interval is of 95 %. ~ is not proven. ? allows no ratio: a run without the value, or no spread between runs. +8 behind the runs: about so many more a side would prove a change of this size, or the smallest that counts.'

function judged({ metrics }: ComparisonDocument): Section {
  return {
    title: 'What changed',
    blocks: [
      metricTable(
        metrics.filter((metric) => metric.judged),
        'no judged metric on both sides',
      ),
      { kind: 'prose', text: MEANING, as: 'muted' },
    ],
  }
}

function metricTable(metrics: readonly Compared[], empty: string): Table {
  return {
    kind: 'table',
    columns: [
      { title: 'Metric', kind: 'code' },
      { title: 'Base', kind: 'unit' },
      { title: 'New', kind: 'unit' },
      { title: 'Change' },
      { title: 'Runs', kind: 'bound' },
    ],
    rows: metrics.map(metricRow),
    empty,
    stacks: true,
  }
}

function metricRow(metric: Compared): Cell[] {
  const { name, unit, base, new: next } = metric
  return [
    name,
    medianWords(base, unit),
    medianWords(next, unit),
    changeCell(metric),
    runsWords(metric),
  ]
}

function medianWords({ median }: ComparedSide, unit: Compared['unit']): string {
  return median === null ? '–' : formatReach(median, unit)
}

function changeCell(metric: Compared): Cell {
  const { change, significant, direction, equal } = metric
  if (change === null) return { text: '?', tone: 'muted' }
  const [value, low, high] = sizes(change)
  const unit = 'ratio' in change ? ' %' : ' pp'
  const text = `${signed(value)}${unit} (${signed(low)} to ${signed(high)})`
  if (significant) return { text, tone: direction === 'better' ? 'good' : 'bad' }
  return {
    text: equal === true ? `= ${text}` : `~ ${text}`,
    tone: equal === true ? 'good' : 'muted',
  }
}

function signed(size: number): string {
  const text = rounded(size)
  return size > 0 && text !== '0' ? `+${text}` : text.replace('-', '−')
}

/** `5`, `5, +8` or `5 and 6`. */
function runsWords({ base, new: next, moreRuns, equal }: Compared): string {
  const runs = base.runs === next.runs ? String(base.runs) : `${base.runs} and ${next.runs}`
  return moreRuns === null || moreRuns === 0 || equal === true ? runs : `${runs}, +${moreRuns}`
}

function shift(document: ComparisonDocument): Section {
  const chart = curveChart(document)
  return {
    title: 'Times end to end',
    blocks: chart === null ? [] : [{ kind: 'figure', chart }],
  }
}

function others({ metrics }: ComparisonDocument): Section {
  const shown = metrics.filter((metric) => !metric.judged && !isTrivial(metric))
  return {
    title: 'Other metrics, which the verdict does not rest on',
    blocks: [{ ...metricTable(shown, ''), on: ['page'], empty: null }],
  }
}

/** Zero on both sides. */
function isTrivial({ base, new: next }: Compared): boolean {
  return base.median === 0 && next.median === 0
}

function tags({ tags: byTag }: ComparisonDocument): Section[] {
  return Object.entries(byTag).map(([tag, metrics]) => ({
    title: `Tag ${tag}`,
    blocks: [{ ...metricTable(metrics, ''), on: ['page'], empty: null }],
  }))
}

function runs({ base, new: next }: ComparisonDocument): Section {
  return {
    title: 'Runs',
    blocks: [
      {
        kind: 'table',
        on: ['page'],
        columns: [
          { title: 'Side' },
          { title: 'Run', kind: 'code' },
          { title: 'Target' },
          { title: 'Seed', kind: 'number' },
          { title: 'Arrivals', kind: 'number' },
          { title: 'Its own verdict' },
        ],
        rows: [...base.map((run) => runRow('base', run)), ...next.map((run) => runRow('new', run))],
        empty: null,
        stacks: true,
      },
    ],
  }
}

function runRow(side: string, run: ComparedRun): Cell[] {
  const { folder, target, profile, seed, arrivals, outcome } = run
  return [side, folder, profile ?? target, String(seed), String(arrivals), outcome]
}

function metricCase(metric: Compared): Report['cases'][number] {
  const { name, significant, direction } = metric
  const text = changeCell(metric)
  const message = `${name}: ${typeof text === 'object' && 'text' in text ? text.text : ''}`
  return {
    name,
    result:
      significant && direction === 'worse'
        ? { kind: 'failure', message }
        : metric.change === null
          ? { kind: 'skipped', message: `${name}: nothing to test` }
          : { kind: 'passed' },
  }
}
