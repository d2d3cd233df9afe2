/** Labels beside and below marks: their approximate width, and how they avoid overlaps. */

/** Mean advance of a 13 px system font: digits and lower-case letters are about 0.54 em wide. */
const CHARACTER_PX = 7.1

/** Estimated width of one line of text at the figures' font size, in the figure's own units. */
export function textWidth(text: string): number {
  return Array.from(text).length * CHARACTER_PX
}

/** Shortens the text to what fits into `width`; null when not even three characters would. */
export function fitText(text: string, width: number): string | null {
  if (textWidth(text) <= width) return text
  const room = Math.floor(width / CHARACTER_PX) - 1
  return room < 3 ? null : `${Array.from(text).slice(0, room).join('')}…`
}

/**
 * Moves positions apart until neighbours keep `gap`. Each stays as near to its wish as the order
 * allows, and within `low` to `high`. The order does not change.
 */
export function spread(
  wishes: readonly number[],
  gap: number,
  low: number,
  high: number,
): number[] {
  const order = wishes.map((wish, index) => ({ wish, index })).sort((a, b) => a.wish - b.wish)
  let floor = low
  const placed = order.map(({ wish }) => {
    const at = Math.max(wish, floor)
    floor = at + gap
    return at
  })
  let ceiling = high
  for (let rank = placed.length - 1; rank >= 0; rank--) {
    placed[rank] = Math.min(placed[rank] ?? 0, ceiling)
    ceiling = (placed[rank] ?? 0) - gap
  }
  const result: number[] = wishes.map(() => 0)
  for (const [rank, { index }] of order.entries()) result[index] = placed[rank] ?? 0
  return result
}
