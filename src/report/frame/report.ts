/**
 * A report as data: what it says, in order. The renderers in `render/` show it on a terminal, as a
 * page, as Markdown and as JUnit.
 */
import { unreachable } from '../../base/assert.ts'
import type { Finding, Reason } from '../../analysis/document.ts'
import type { Chart } from '../charts/chart.ts'
import type { FigureParts } from '../charts/figure.ts'
import { plainText } from './format.ts'
import type { TestCase } from './junit.ts'
import type { Paint } from './paint.ts'

export type Medium = 'page' | 'terminal' | 'markdown'

/** What colour repeats of a word: never colour alone. */
export type Tone = 'good' | 'doubt' | 'bad'

/** Texts may hold what a target said: each renderer escapes them for its medium. */
export interface Report {
  /** `saturate status`: names the page and the suite of tests. */
  title: string
  headline: Headline
  /** Why the verdict is not a better one, each with its remedy. */
  reasons: readonly string[]
  findings: readonly Finding[]
  facts: readonly Fact[]
  sections: readonly Section[]
  /** Beside the page, each with what it holds. */
  files: readonly (readonly [name: string, holds: string])[]
  /** What repeats it; null where it was not started from the command line. */
  command: string | null
  origin: Origin
  /** For CI servers. A verdict that is not good must show in them. */
  cases: readonly TestCase[]
}

export interface Headline {
  /** In capitals. */
  word: string
  sign: string
  tone: Tone
  sentence: string
}

interface Origin {
  target: string
  /** ISO 8601, UTC. */
  startedAt: string
  durationMs: number
  /** `crewload 0.1.0, study 1a2b3c4d`. */
  tool: string
}

/** Where a part is shown; by default everywhere. */
interface Placed {
  on?: readonly Medium[]
}

export interface Fact extends Placed {
  name: string
  text: string
}

export interface Section {
  title: string
  blocks: readonly Block[]
}

export type Block = Prose | List | Facts | Table | OfPage | OfTerminal

interface Prose extends Placed {
  kind: 'prose'
  text: string
  /**
   * What the page makes of it: a finding heads what follows it, advice stands in a box, and what is
   * muted stands back. Default: a paragraph.
   */
  as?: 'finding' | 'advice' | 'muted'
}

interface List extends Placed {
  kind: 'list'
  items: readonly string[]
}

interface Facts extends Placed {
  kind: 'facts'
  facts: readonly Fact[]
}

export interface Table extends Placed {
  kind: 'table'
  columns: readonly Column[]
  rows: readonly (readonly Cell[])[]
  /** What stands there without rows; null for nothing at all. */
  empty: string | null
  /** Most rows on a terminal, where a long table would scroll the verdict away. Default: all. */
  terminalRows?: number
  /**
   * Columns that are repeated when a terminal is too narrow for all of them side by side. Default
   * 1.
   */
  fixed?: number
  /** In a narrow window, each row of the page becomes a few lines. Default: the table scrolls. */
  stacks?: boolean
}

interface Column extends Placed {
  title: string
  /**
   * Numbers stand to the right; `unit` aligns numbers and their units as well; `code` has a fixed
   * width; a `bound` names itself where the table stacks. Default `text`.
   */
  kind?: 'number' | 'unit' | 'code' | 'bound' | 'text'
}

/**
 * `href`, relative to the page, is followed on the page alone. Several texts stand below each other
 * on the page, and side by side elsewhere.
 */
export type Cell =
  | string
  | { text: string; tone?: Tone | 'muted'; href?: string }
  | readonly string[]

/** On the page alone: other media have the numbers of figures from tables. */
type OfPage = Figure | Drawing | Fold | Verbatim

interface Figure {
  kind: 'figure'
  chart: Chart
}

/** A picture that no chart describes, drawn for each width of the page. */
interface Drawing {
  kind: 'drawing'
  figure: FigureParts
}

/** Opened by who wants to know more. */
interface Fold {
  kind: 'fold'
  title: string
  blocks: readonly Block[]
}

interface Verbatim {
  kind: 'verbatim'
  text: string
  /** A command line, which has a button that copies it. */
  command?: boolean
}

/** On a terminal alone: lines that lay themselves out for its width. */
interface OfTerminal {
  kind: 'lines'
  lines: (paint: Paint, width: number) => string[]
}

export function isShown({ on }: Placed, medium: Medium): boolean {
  return on === undefined || on.includes(medium)
}

/** What of a section a medium shows. */
export function blocksOn({ blocks }: Pick<Section, 'blocks'>, medium: Medium): Block[] {
  return blocks.filter((block) => isBlockShown(block, medium))
}

function isBlockShown(block: Block, medium: Medium): boolean {
  switch (block.kind) {
    case 'figure':
    case 'drawing':
    case 'verbatim':
    case 'fold':
      return medium === 'page'
    case 'lines':
      return medium === 'terminal'
    default:
      return isShown(block, medium) && !isEmpty(block)
  }
}

function isEmpty(block: Exclude<Block, OfPage | OfTerminal>): boolean {
  switch (block.kind) {
    case 'prose':
      return block.text === ''
    case 'list':
      return block.items.length === 0
    case 'facts':
      return block.facts.length === 0
    case 'table':
      return block.rows.length === 0 && block.empty === null
    default:
      return unreachable(block)
  }
}

export function cellText(cell: Cell): string {
  if (typeof cell === 'string') return cell
  return 'text' in cell ? cell.text : cell.join('; ')
}

export function cellTone(cell: Cell): Tone | 'muted' | null {
  return typeof cell === 'object' && 'text' in cell ? (cell.tone ?? null) : null
}

/** `message: remedy`; a reason without a remedy says what it says. */
export function reasonText({ message, remedy }: Reason): string {
  return remedy === '' ? plainText(message) : `${plainText(message)}: ${plainText(remedy)}`
}
