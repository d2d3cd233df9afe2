/** HTML by tagged template: every value is escaped unless it is markup already. */

/** Text that is safe to stand in a page; only `html` makes it from foreign values. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Content = Markup | string | number | null | readonly Content[]

/** Escapes strings, joins lists, drops null: html`<td>${name}</td>`. Works in text and in double-quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(
    parts.reduce((text, part, index) => text + toText(values[index - 1] ?? null) + part),
  )
}

function toText(content: Content): string {
  if (content === null) return ''
  if (content instanceof Markup) return content.text
  if (typeof content === 'object') return content.map(toText).join('')
  return escapeHtml(String(content))
}

/** Also removes what may not stand in a document at all: control characters other than tab and line feed. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\t\n]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
