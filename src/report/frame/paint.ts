/** Colour on a terminal; it only repeats what a word already says. */

export type Ink = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold'
export type Paint = (text: string, ...inks: Ink[]) => string

/** Select Graphic Rendition codes, ECMA-48 8.3.117. */
const CODES: Record<Ink, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }

/** Returns the styles; with `color` false, text passes through unchanged. */
export function createPaint(color: boolean): Paint {
  if (!color) return (text) => text
  return (text, ...inks) => `\u001B[${inks.map((ink) => CODES[ink]).join(';')}m${text}\u001B[0m`
}
