/** Text in lines of a width. */

/**
 * Breaks at spaces so that no line exceeds `width`, if the words allow it; the first line starts
 * with `first`, later ones with `indent`.
 */
export function wrap(text: string, width: number, first: string, indent: string): string[] {
  const lines: string[] = []
  let line = first
  let empty = true
  for (const word of text.split(' ')) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line.trimEnd())
      line = indent
      empty = true
    }
    line += empty ? word : ` ${word}`
    empty = false
  }
  return [...lines, line.trimEnd()]
}
