/** Sections on what changed between runs, which several studies share. */
import {
  formatEstimate,
  formatInterval,
  formatReach,
  inNumber,
  NOTHING,
  plural,
} from '../../base/numbers.ts'
import { crewText } from '../../report/frame/place-text.ts'
import { crewAt, distinctCrews } from '../../execution/record/crew-place.ts'
import { forest } from '../../report/charts/forest.ts'
import type { ForestRow } from '../../report/charts/forest.ts'
import type { Block, Report, Section } from '../../report/frame/report.ts'
import { figures, reasonText } from '../../report/frame/report.ts'
import type { StudyDocument } from '../frame/envelope.ts'
import type { TableCell, Table, Tone } from '../../report/text/table.ts'
import { columnsOf, tableOf } from '../../report/text/table.ts'
import type { VerdictMark } from '../frame/study.ts'
import { ninesChart, shiftChart } from './charts.ts'
import { hasFailed } from './comparable.ts'
import type { Change, Changes, ComparedRun, ComparedSide, ShapesCompared } from './shapes.ts'
import { sizes } from './named-metrics.ts'
import type { ChangeVerdict } from './sentences.ts'
import { rounded, signed } from './sentences.ts'
import { listed } from '../../base/text.ts'

type SectionShown = Omit<Changes, 'terms'> & {
  terms: Pick<Changes['terms'], 'smallestChange' | 'smallestDifference'>
}

export function changeSections(changes: SectionShown): Section[] {
  return [judged(changes), distributions(changes), others(changes), ...tags(changes), runs(changes)]
}

/** All reasons but the one that the sentence of the verdict states. */
export function reasonsBeside({
  reasons,
  stated,
}: Pick<ChangeVerdict, 'stated'> & StudyDocument['verdict']): string[] {
  const at = reasons.findIndex(({ code }) => code === stated)
  return reasons.filter((_, i) => i !== at).map(reasonText)
}

/** A result that is no worse than a failed base is not marked as good. */
export function markOf(mark: VerdictMark, { base }: Pick<Changes, 'base'>): VerdictMark {
  return mark.tone === 'good' && base.some(hasFailed) ? { ...mark, tone: 'doubt' } : mark
}

export function sideWords(runs: readonly ComparedRun[]): string {
  const scenarios = [...new Set(runs.map(({ scenario }) => scenario))]
  const engines = [...new Set(runs.map(({ engine }) => engine))]
  const crews = distinctCrews(runs.map(({ place }) => place)).map(crewText)
  return (
    `${plural(runs.length, 'run')} of ${listed(scenarios)} on ${listed(crews)}, ` +
    `engine ${listed(engines)}`
  )
}

/** Explains the signs that the table shows, and no others. */
function meaningOf(shown: readonly ShapesCompared[]): string {
  const standings = new Set(shown.map(standingOf))
  const isMoreNeeded = shown.some((metric) => moreRunsOf(metric) > 0)
  const hasShare = shown.some(({ unit }) => unit === 'share')
  const base = 'Base and New are the geometric means of the runs'
  return [
    shown.length === 0
      ? ''
      : `${base}${hasShare ? '; for a share, they are the share over all runs' : ''}.`,
    shown.some(hasInterval) ? 'Intervals are 95 % intervals.' : '',
    standings.has('open') ? '~ means not proven.' : '',
    standings.has('equal') ? '= means proven to be equal within the margin.' : '',
    standings.has('undecided') || standings.has('none')
      ? '? means that these runs cannot decide it.'
      : '',
    isMoreNeeded
      ? 'Still needed: about so many runs per side would prove this change, or the smallest that ' +
        'counts.'
      : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}

function judged({ metrics, terms }: Pick<SectionShown, 'metrics' | 'terms'>): Section {
  const shown = metrics.filter((metric) => metric.judged)
  return {
    title: 'What changed',
    blocks: [
      ...forestsOf(shown, terms),
      { ...metricTable(shown, 'no judged metric on both sides'), on: ['page'] },
      {
        ...metricTable(shown, 'no judged metric on both sides', typicalWords),
        on: ['terminal', 'markdown'],
      },
      { kind: 'prose', text: meaningOf(shown), as: 'muted' },
    ],
  }
}

/** Relative changes, and changes of shares, have an axis of their own. */
function forestsOf(shown: readonly ShapesCompared[], terms: SectionShown['terms']): Block[] {
  const kinds = [
    { key: 'ratio', noun: 'metric', unit: '%', least: 100 * terms.smallestChange },
    { key: 'difference', noun: 'share', unit: 'pp', least: 100 * terms.smallestDifference },
  ] as const
  return kinds.flatMap(({ key, noun, unit, least }): Block[] => {
    const metrics = shown.filter(({ change }) => change !== null && key in change)
    if (metrics.length === 0) return []
    const words = {
      id: `changes-${key}`,
      heading: forestHeading(metrics, noun),
      caption:
        'From base to new, with 95 % intervals. Full points are proven changes, hollow ones are ' +
        `not. Dotted: ${rounded(least)} ${unit}, the smallest change that counts.`,
      table: [],
    }
    return [{ kind: 'drawing', figure: forest(words, metrics.map(forestRow), { unit, least }) }]
  })
}

function forestHeading(metrics: readonly ShapesCompared[], noun: string): string {
  const proven = metrics.filter(({ significant }) => significant)
  const all = plural(metrics.length, `judged ${noun}`)
  if (proven.length === 0) return `None of ${all} is proven to have changed`
  const are = inNumber(proven.length, 'is', 'are')
  return `${proven.length} of ${all} ${are} proven to have changed`
}

function forestRow(metric: ShapesCompared): ForestRow {
  const { name, change, significant, direction } = metric
  const [value, low, high] = sizes(change!)
  const color = !significant ? 'grey' : direction === 'worse' ? 'error' : 'service'
  return { name, value, low, high, text: sizeWords(change!), color, hollow: !significant }
}

function metricTable(
  metrics: readonly ShapesCompared[],
  empty: string,
  sideCell: (side: ComparedSide, unit: ShapesCompared['unit']) => string = reachWords,
): Table {
  const areNeeded = metrics.some((metric) => moreRunsOf(metric) > 0)
  const rows = metrics.map((metric): TableCell[] => {
    const { name, unit, base, new: next } = metric
    const more = moreRunsOf(metric)
    const needed = areNeeded ? [more === 0 ? '' : `+${more}`] : []
    const sides = [sideCell(base, unit), sideCell(next, unit)]
    return [name, ...sides, changeCell(metric), runsWords(metric), ...needed]
  })
  const columns = areNeeded ? [...METRIC_COLUMNS, STILL_NEEDED] : METRIC_COLUMNS
  return tableOf(columns, rows, { empty, stacks: true })
}

const METRIC_COLUMNS: Table['columns'] = [
  { title: 'Metric', kind: 'code' },
  { title: 'Base', kind: 'unit' },
  { title: 'New', kind: 'unit' },
  { title: 'Change' },
  { title: 'Runs', kind: 'bound' },
]

const STILL_NEEDED = { title: 'Still needed', kind: 'bound' } as const

function typicalWords(side: ComparedSide, unit: ShapesCompared['unit']): string {
  const value = side.typical
  return value === null ? '–' : formatReach(value, unit)
}

/** Formats the value of a single run with its own interval: `66.8 s (65.2 to 68.1 s)`. */
function reachWords(side: ComparedSide, unit: ShapesCompared['unit']): string {
  const { typical: value, low, high, runs } = side
  return runs > 1 ? typicalWords(side, unit) : formatEstimate({ value, low, high }, unit)
}

/**
 * How a metric stands by these runs, and the sign of it; proven needs none. `none`: there is no
 * change to show, or it is not known.
 */
const SIGNS = { none: '?', proven: null, undecided: '?', equal: '=', open: '~' } as const

type MetricStanding = keyof typeof SIGNS

function standingOf(metric: ShapesCompared): MetricStanding {
  const { change, significant, equal, undecided } = metric
  if (change === null && endsOf(metric) === null) return 'none'
  if (significant) return 'proven'
  if (undecided !== null && undecided !== 'one-run') return 'undecided'
  return equal === true ? 'equal' : 'open'
}

function changeCell(metric: ShapesCompared): { text: string; tone: Tone | 'muted' } {
  const text = changeWords(metric)
  if (!metric.judged) return { text: text ?? NOTHING, tone: 'muted' }
  const standing = standingOf(metric)
  const words = [SIGNS[standing], text].filter((part) => part !== null).join(' ')
  return { text: words, tone: toneOf(standing, metric) }
}

function toneOf(standing: MetricStanding, { direction }: ShapesCompared): Tone | 'muted' {
  if (standing === 'proven') return direction === 'better' ? 'good' : 'bad'
  if (standing === 'undecided') return direction === 'worse' ? 'doubt' : 'muted'
  return standing === 'equal' ? 'good' : 'muted'
}

/** Formats a change; without a size, `to never` or `from 0`. Null if there is nothing to show. */
function changeWords(metric: ShapesCompared): string | null {
  const { change, unit } = metric
  if (change !== null) return sizeWords(change)
  const ends = endsOf(metric)
  if (ends === null) return null
  const [from, to] = ends
  return from === 'never' || from === 0
    ? `from ${formatReach(from, unit)}`
    : `to ${formatReach(to, unit)}`
}

function hasInterval({ change }: ShapesCompared): boolean {
  if (change === null) return false
  const [, low, high] = sizes(change)
  return low !== null && high !== null
}

/** The values of both sides, if one is better or worse than the other, or apart from it. */
function endsOf({
  direction,
  base,
  new: next,
}: ShapesCompared): [number | 'never', number | 'never'] | null {
  const [from, to] = [base.typical, next.typical]
  return direction === null || from === null || to === null ? null : [from, to]
}

/** Formats a change with its interval: `+15.2 % (+9.1 to +21.6)`. */
function sizeWords(change: Change): string {
  const [value, low, high] = sizes(change)
  const interval = formatInterval({ value, low, high }, signed)
  const size = `${signed(value)}${'ratio' in change ? ' %' : ' pp'}`
  return interval === null ? size : `${size} (${interval})`
}

/** Formats the number of runs: `5`, or `5 and 6`. */
function runsWords({ base: { runs: base }, new: { runs: next } }: ShapesCompared): string {
  return base === next ? String(base) : `${base} and ${next}`
}

/**
 * Per side, to prove a change of this size; 0 where there is nothing more to prove, and where one
 * run a side does not show how much runs differ.
 */
function moreRunsOf({ moreRuns, equal, undecided }: ShapesCompared): number {
  return equal === true || undecided === 'one-run' ? 0 : (moreRuns ?? 0)
}

function distributions(changes: SectionShown): Section {
  const charts = [shiftChart(changes, changes.terms.smallestChange), ninesChart(changes)]
  return { title: 'Times end to end', blocks: figures(...charts) }
}

function others({ metrics }: Pick<Changes, 'metrics'>): Section {
  const shown = metrics.filter((metric) => !metric.judged && !isTrivial(metric))
  return {
    title: 'Other metrics, which do not affect the verdict',
    blocks: shown.length === 0 ? [] : [folded(shown, plural(shown.length, 'metric'))],
  }
}

function folded(metrics: readonly ShapesCompared[], title: string): Block {
  return { kind: 'fold', title, blocks: [metricTable(metrics, '')] }
}

/** Whether the metric is zero on both sides. */
function isTrivial({ base, new: next }: ShapesCompared): boolean {
  return base.typical === 0 && next.typical === 0
}

function tags({ tags: byTag }: Pick<Changes, 'tags'>): Section[] {
  return Object.entries(byTag).map(([tag, metrics]) => ({
    title: `Tag ${tag}`,
    blocks: metrics.length === 0 ? [] : [folded(metrics, plural(metrics.length, 'metric'))],
  }))
}

function runs({ base, new: next }: Pick<Changes, 'base' | 'new'>): Section {
  const rows = [...base.map((run) => runRow('base', run)), ...next.map((run) => runRow('new', run))]
  return { title: 'Runs', blocks: [tableOf(RUN_COLUMNS, rows, { on: ['page'], stacks: true })] }
}

const RUN_COLUMNS: Table['columns'] = [
  { title: 'Side' },
  { title: 'Run', kind: 'code' },
  ...columnsOf(['Target'], ['Seed', 'Arrivals'], ['Its own verdict']),
]

function runRow(side: string, run: ComparedRun): TableCell[] {
  const { folder, place, seed, arrivals, outcome } = run
  return [side, folder, crewText(crewAt(place)), String(seed), String(arrivals), outcome]
}

export function metricCase(metric: ShapesCompared): Report['cases'][number] {
  const { name, significant, direction, undecided } = metric
  const { text } = changeCell(metric)
  if (significant && direction === 'worse') {
    return { name, result: { kind: 'failure', message: `${name}: ${text}` } }
  }
  return undecided === null
    ? { name, result: { kind: 'passed' } }
    : { name, result: { kind: 'skipped', message: `${name} cannot be decided: ${text}` } }
}
