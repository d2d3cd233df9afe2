/** A Markdown table. Its columns are not aligned: that would double the size of long tables. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map(() => '---')
  return [head, rule, ...rows].map(line).join('\n')
}

function line(row: readonly string[]): string {
  return `| ${row.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
}

export function code(text: string): string {
  return `\`${text}\``
}
