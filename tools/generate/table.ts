/** A Markdown table with its columns aligned, as the formatter leaves it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => cell.replaceAll('|', String.raw`\|`)),
  )
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  const [first, ...others] = cells.map(line)
  return [first, rule, ...others].join('\n')
}

export function code(text: string): string {
  return `\`${text}\``
}
