/** A table as data, and its cells as text. */

export type Medium = 'page' | 'terminal' | 'markdown'

/** The meaning of a word, which colour only repeats. */
export type Tone = 'good' | 'doubt' | 'bad'

/** The media that show a part; by default all. */
export interface Placed {
  on?: readonly Medium[]
}

export interface Table extends Placed {
  kind: 'table'
  columns: readonly Column[]
  rows: readonly (readonly TableCell[])[]
  /** The text shown when there are no rows; null for nothing at all. */
  empty: string | null
  /**
   * The maximum number of rows on a terminal, where a long table would scroll the verdict out of
   * view. Default: all.
   */
  terminalRows?: number
  /**
   * The number of columns that are repeated when a terminal is too narrow for all of them side by
   * side. Default 1.
   */
  fixed?: number
  /** In a narrow window, each row of the page becomes a few lines. Default: the table scrolls. */
  stacks?: boolean
}

export interface Column extends Placed {
  title: string
  /**
   * Numbers are aligned right; `unit` aligns numbers and their units; `code` has a fixed width; a
   * `bound` shows its name when the table stacks. Default `text`.
   */
  kind?: 'number' | 'unit' | 'code' | 'bound' | 'text'
}

/**
 * `href`, relative to the page, becomes a link only on the page. Several texts are placed below
 * each other on the page, and side by side elsewhere.
 */
export type TableCell =
  | string
  | { text: string; tone?: Tone | 'muted'; href?: string }
  | readonly string[]

export function isShown({ on }: Placed, medium: Medium): boolean {
  return on === undefined || on.includes(medium)
}

export function cellText(cell: TableCell): string {
  if (typeof cell === 'string') return cell
  return 'text' in cell ? cell.text : cell.join('; ')
}

export function cellTone(cell: TableCell): Tone | 'muted' | null {
  return typeof cell === 'object' && 'text' in cell ? (cell.tone ?? null) : null
}

/** Columns of texts, then of numbers, then of texts again. */
export function columnsOf(
  texts: readonly string[],
  numbers: readonly string[] = [],
  more: readonly string[] = [],
): Column[] {
  return [
    ...texts.map((title) => ({ title })),
    ...numbers.map((title) => ({ title, kind: 'number' as const })),
    ...more.map((title) => ({ title })),
  ]
}

/** Nothing is shown where there are no rows, unless `more` says otherwise. */
export function tableOf(
  columns: readonly Column[],
  rows: Table['rows'],
  more: Partial<Table> = {},
): Table {
  return { kind: 'table', columns, rows, empty: null, ...more }
}

/** A table that only the page shows. */
export function pageTable(
  columns: readonly Column[],
  rows: Table['rows'],
  empty: string | null = null,
): Table {
  return tableOf(columns, rows, { empty, on: ['page'] })
}
