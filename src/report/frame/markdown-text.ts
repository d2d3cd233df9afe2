/** Pieces of Markdown: tables, and foreign text that must not become markup. */
import { visible } from '../../base/visible.ts'
import { plainText } from './format.ts'

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(tableLine).join('\n')
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/**
 * Foreign text that must not become markup, a mention, a reference or a link. A backslash is not
 * enough for `@team`, `#123`, `GH-123`, GitLab's `!123` and `&123`, and addresses: GitHub and
 * GitLab look for them after the markup is removed. A zero-width space divides them.
 */
export function escapeMarkdown(text: string, limit = 200): string {
  return plainText(text, limit)
    .replaceAll(/@|[#!&](?=\w)|\bGH-(?=\d)|\bwww(?=\.)|:(?=\/\/)/gi, '$&\u200B')
    .replaceAll(/[\\`*_[\]{}|~#!]/g, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

/** A code block: its lines stay as they are. */
export function codeBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${visible(text)}\n${fence}`
}

/**
 * A code span whose fence is longer than any run of backticks inside; a bar is replaced because it
 * would end a table's cell.
 */
export function code(text: string, limit = 160): string {
  const plain = plainText(text, limit).replaceAll('|', '¦')
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = plain.startsWith('`') || plain.endsWith('`') || plain === '' ? ' ' : ''
  return `${fence}${pad}${plain}${pad}${fence}`
}
