/**
 * A report as data: what it says, in order. The renderers in `render/` show it on a terminal, as a
 * page, as Markdown and as JUnit.
 */
import { unreachable } from '../../base/assert.ts'
import { inSentences } from '../../base/text.ts'
import type { Severity } from '../../result/sentence-tables.ts'
import type { Chart, Drawing } from '../charts/chart.ts'
import { formatInstant, plainText, SENTENCES_LIMIT } from '../text/format.ts'
import type { Ink } from '../text/columns.ts'
import type { Medium, Placed, Table, Tone } from '../text/table.ts'
import { isShown } from '../text/table.ts'

/** Texts may contain what a target said: each renderer escapes them for its medium. */
export interface Report {
  /** For example `saturate status`, or a scenario's name; it names the page and the test suite. */
  title: string
  headline: Headline
  /** Why the verdict is not better, each with its remedy. */
  reasons: readonly string[]
  /** What was judged, and what a reader must know before the rest. Default: nothing. */
  lead?: readonly Block[]
  findings: readonly ShownFinding[]
  facts: readonly Fact[]
  sections: readonly Section[]
  /** Reports of what was measured at the same time; each becomes a chapter. Default: none. */
  parts?: readonly Report[]
  /** Whether the page is one screen, and the reader opens the rest. Default: all is open. */
  folded?: boolean
  /** The files beside the page, each with a description of its content. */
  files: readonly (readonly [name: string, holds: string])[]
  /** The command that repeats the study; null when it was not started from the command line. */
  command: string | null
  origin: ReportOrigin
  /** Test cases for CI servers. A verdict that is not good must appear in them. */
  cases: readonly TestCase[]
}

/** What the measurement showed beyond its numbers, as a sentence. */
export interface ShownFinding {
  severity: Severity
  message: string
}

type CaseResult = { kind: 'passed' } | { kind: 'failure' | 'error' | 'skipped'; message: string }

export interface TestCase {
  name: string
  result: CaseResult
}

export interface Headline {
  /** The verdict in capitals. */
  word: string
  sign: string
  tone: Tone
  /**
   * Why, in a few words that continue the verdict, without a full stop. Default: the sentence
   * stands beside the verdict.
   */
  cause?: string
  /** May be empty beside a cause, or for a good verdict. */
  sentence: string
  /** Further sentences. Default: none. */
  more?: string
  /** The load as it was run, in a few words. Default: nothing. */
  load?: string
  /** What the verdict rests on, in a few words each: `6 of 6 thresholds met`. Default: nothing. */
  basis?: readonly { text: string; tone?: Tone }[]
}

interface ReportOrigin {
  /** The name of the target. Default `Target`. */
  name?: string
  target: string
  /** The proxy on the way to the target. Default: none. */
  proxy?: string
  /** ISO 8601, UTC. */
  startedAt: string
  /**
   * Its load ran in virtual time, which has no date; absent otherwise. When it was computed is
   * known, or not.
   */
  virtual?: 'computed' | 'undated'
  durationMs: number
  /** For example `crewload 0.1.0, study 1a2b3c4d`. */
  tool: string
}

export interface Fact extends Placed {
  name: string
  text: string
}

export type Section = {
  blocks: readonly Block[]
} & (
  | { title: string }
  /**
   * On the page, sections of one chapter stand together under its heading, where the first of them
   * is; `title` is then the heading of this part, or null.
   */
  | { chapter: string; title: string | null }
)

export type Block = Prose | List | Facts | Table | Thresholds | OfPage

interface Prose extends Placed {
  kind: 'prose'
  text: string
  /**
   * How it is shown: a heading stands above what follows, advice is in a box, `about` is in
   * the words of its author, and muted text is less prominent. Default: a paragraph.
   */
  as?: 'heading' | 'advice' | 'about' | 'muted'
}

interface List extends Placed {
  kind: 'list'
  items: readonly string[]
}

interface Facts extends Placed {
  kind: 'facts'
  facts: readonly Fact[]
}

/** Measured values beside their bounds; a medium shows as much of each as it has room for. */
interface Thresholds extends Placed {
  kind: 'thresholds'
  rows: readonly ThresholdRow[]
}

export interface ThresholdRow {
  sign: string
  word: string
  tone: Tone
  /** There is nothing to read about it: met, or not measurable. */
  isPlain: boolean
  /** For example `execution.p95`. */
  name: string
  /** What its name would not say; null for most. */
  meaning: string | null
  /** What a reader must know about how it was judged; null for most. */
  note: string | null
  measured: string
  /** Null when there is none. */
  interval: string | null
  bound: string
  /** Why it is not met, and what to do next; null when there is nothing to do. */
  next: string | null
  /** Null without a number, or when the bound is zero or a yes. */
  margin: Margin | null
}

/** A measured value and its interval as multiples of the bound; Infinity for what never ended. */
export interface Margin {
  value: number
  low: number | null
  high: number | null
  /** Whether the bound is an upper one. */
  isUpper: boolean
}

/** Shown on the page: other media show the numbers of figures in tables. */
type OfPage = Figure | DrawnFigure | Explored | Fold | Verbatim

interface Figure {
  kind: 'figure'
  chart: Chart
}

/** A picture that no chart describes. */
interface DrawnFigure {
  kind: 'drawing'
  figure: Drawing
}

/** A picture that a script replaces by one to search, with the data for it. */
interface Explored {
  kind: 'explored'
  figure: Drawing
  /** What the script reads: JSON, deflated, in base64. */
  data: string
  script: string
}

/** A block that the reader opens for details. */
interface Fold {
  kind: 'fold'
  title: string
  blocks: readonly Block[]
}

interface Verbatim {
  kind: 'verbatim'
  text: string
  /** Whether this is a command line, which gets a copy button. */
  command?: boolean
  /** Whether a terminal shows it too; it is wrapped there. */
  onTerminal?: boolean
}

/** What stands beside the verdict, and what follows in smaller type; both may be empty. */
export function headParts(headline: Headline): [beside: string, rest: string] {
  const { cause, sentence, more = '' } = headline
  return cause === undefined ? [sentence, more] : [cause, allText(headline)]
}

/** The sentence and what follows it. */
export function allText({ sentence, more }: Pick<Headline, 'sentence' | 'more'>): string {
  return more === undefined ? sentence : `${sentence} ${more}`
}

/** The blocks of a section that a medium shows. */
export function blocksOn({ blocks }: Pick<Section, 'blocks'>, medium: Medium): Block[] {
  return blocks.filter((block) => isBlockShown(block, medium))
}

function isBlockShown(block: Block, medium: Medium): boolean {
  switch (block.kind) {
    case 'figure':
    case 'drawing':
    case 'explored':
    case 'fold':
      return medium === 'page'
    case 'verbatim':
      // Markdown ends with the command anyway.
      if (medium === 'terminal') return block.onTerminal === true
      return medium === 'page' || block.command !== true
    default:
      return isShown(block, medium) && !isEmpty(block)
  }
}

function isEmpty(block: Exclude<Block, OfPage>): boolean {
  switch (block.kind) {
    case 'prose':
      return block.text === ''
    case 'list':
      return block.items.length === 0
    case 'facts':
      return block.facts.length === 0
    case 'table':
      return block.rows.length === 0 && block.empty === null
    case 'thresholds':
      return block.rows.length === 0
    default:
      return unreachable(block)
  }
}

/** The message, and the remedy as a sentence of its own. */
export function reasonText({ message, remedy }: { message: string; remedy: string }): string {
  const [sentence, advice] = [message, remedy].map((text) => plainText(text, SENTENCES_LIMIT))
  return inSentences(sentence!, advice!)
}

/** When it began; what ran in virtual time has no date but that of its computation. */
export function startWords({
  startedAt,
  virtual,
}: Pick<ReportOrigin, 'startedAt' | 'virtual'>): string {
  if (virtual === 'undated') return 'virtual time'
  const date = formatInstant(startedAt)
  return virtual === 'computed' ? `virtual time, computed ${date}` : date
}

/** How each severity of a finding is shown: by a word and a sign, because colour is not enough. */
export const SEVERITIES: Readonly<
  Record<Severity, { word: string; sign: string; tone: string; ink: Ink }>
> = {
  info: { word: 'note', sign: 'i', tone: 'note', ink: 'cyan' },
  warning: { word: 'warning', sign: '!', tone: 'doubt', ink: 'yellow' },
  problem: { word: 'problem', sign: '✗', tone: 'bad', ink: 'red' },
}

/** A block of each figure that has something to show. */
export function figures(...charts: readonly (Chart | null)[]): Block[] {
  return charts.flatMap((chart) => (chart === null ? [] : { kind: 'figure' as const, chart }))
}

/** The facts of which something is known. */
export function knownFacts(
  ...facts: readonly (readonly [string, string | null | undefined, on?: Fact['on']])[]
): Fact[] {
  return facts.flatMap(([name, text, on]) => {
    if (text == null) return []
    return on === undefined ? { name, text } : { name, text, on }
  })
}

/** How something was found: only on the page. */
export function methodSection(title: string, text: string): Section {
  return { title, blocks: [{ kind: 'prose', on: ['page'], text }] }
}
