/** Text in columns: numbers aligned right, with their units aligned beside them. */

type Alignment = 'left' | 'right' | 'unit'

/** Pads each column to its widest cell, with two spaces between columns. */
export function columns(
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
): string[] {
  return padded(rows, alignments).map((cells) => cells.join('  ').trimEnd())
}

/**
 * The cells of each row, padded to the widest of their column. `unit` aligns numbers right and
 * units left, and all other cells right.
 */
export function padded(
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
): string[][] {
  const byColumn = alignments.map((alignment, column) =>
    padColumn(
      rows.map((row) => row[column] ?? ''),
      alignment,
    ),
  )
  return rows.map((_, row) => byColumn.map((cells) => cells[row] ?? ''))
}

function padColumn(cells: readonly string[], alignment: Alignment): string[] {
  const texts = alignment === 'unit' ? alignUnits(cells) : cells
  const width = widest(texts)
  return texts.map((text) => (alignment === 'left' ? text.padEnd(width) : text.padStart(width)))
}

function alignUnits(cells: readonly string[]): string[] {
  const parts = cells.map((cell) => splitUnit(cell))
  const unitWidth = widest(parts.map(([, unit]) => unit))
  return parts.map(([number, unit]) =>
    unit === '' && !BARE_VALUE.test(number) ? number : `${number} ${unit.padEnd(unitWidth)}`,
  )
}

/** `['61.4', 's']`, `['3 h 04', 'min']`: only their places differ. */
function splitUnit(text: string): [number: string, unit: string] {
  const [, number = text, unit = ''] =
    /^(-?[\d.,]+(?: h \d+)?) (us|ms|s|min|h|%|MB|kB|B)$/.exec(text) ?? []
  return [number, unit]
}

/** A yes or no ends where the numbers above and below it end. */
const BARE_VALUE = /^(?:[\d.,]+|yes|no)$/

/** Characters of the longest; 0 of none. */
export function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => Array.from(text).length))
}

export type Ink = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold'
export type Paint = (text: string, ...inks: Ink[]) => string

/** Select Graphic Rendition codes, ECMA-48 8.3.117. */
const CODES: Record<Ink, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }

/** Returns the styles; with `color` false, text passes through unchanged. */
export function createPaint(color: boolean): Paint {
  if (!color) return (text) => text
  return (text, ...inks) => `\u001B[${inks.map((ink) => CODES[ink]).join(';')}m${text}\u001B[0m`
}
