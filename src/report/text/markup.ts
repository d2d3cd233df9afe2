/** HTML by tagged templates: every value is escaped unless it is markup already. */
import { plural } from '../../base/numbers.ts'
import { valuesTied } from '../../base/text.ts'
import { visible } from '../../base/visible.ts'

/** Text that is safe in a page; only `html` makes it from foreign values. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type MarkupContent = Markup | string | number | null | readonly MarkupContent[]

/**
 * Escapes strings, joins lists, drops null: html`<td>${name}</td>`. Works in text and in
 * double-quoted attributes. Line breaks in the template are reduced to one each; those in values
 * are kept.
 */
export function html(parts: TemplateStringsArray, ...values: readonly MarkupContent[]): Markup {
  const [first = '', ...rest] = compact(parts)
  return new Markup(
    rest.reduce((text, part, at) => text + toText(values[at] ?? null) + part, first),
  )
}

const compacted = new WeakMap<TemplateStringsArray, readonly string[]>()

/** A template in the source is always the same array, so each is compacted once. */
function compact(parts: TemplateStringsArray): readonly string[] {
  const known = compacted.get(parts)
  if (known !== undefined) return known
  const short = parts.map((part) => part.replaceAll(/(?<!\s)\s*\n\s*/g, '\n'))
  compacted.set(parts, short)
  return short
}

function toText(content: MarkupContent): string {
  if (content === null) return ''
  if (typeof content === 'number') return String(content)
  if (content instanceof Markup) return content.text
  if (typeof content === 'object') return content.map(toText).join('')
  return escapeHtml(content)
}

const SPECIAL = /[&<>"']/

/**
 * Also makes visible the characters that must not be in a document, and those that reverse the
 * direction of text.
 */
function escapeHtml(text: string): string {
  const shown = visible(text)
  if (!SPECIAL.test(shown)) return shown
  return shown
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** Ten times as long as our sentences; without a limit a page could outgrow a string of V8. */
const MOST_CHARACTERS = 10_000

/** States how much of a longer text is left out. */
function limited(text: string): string {
  const more = text.length - MOST_CHARACTERS
  if (more <= 0) return text
  return `${text.slice(0, MOST_CHARACTERS)}… and ${plural(more, 'more character')}`
}

/**
 * Joins numbers to their units and to the sign of a bound, and keeps flags whole: no line begins
 * with a unit, and no line breaks within `--max-kickoffs`.
 */
export function tied(text: string): Markup {
  const parts = valuesTied(limited(text)).split(/(?<![\w-])(--[a-z][a-z\d-]*)/)
  // Every second part is a flag.
  const flag = (part: string): Markup => html`<span class="whole">${part}</span>`
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : flag(part)))}`
}

/** Shows what its author put between backticks as code. */
export function coded(text: string): Markup {
  // Every second part stood between backticks.
  const parts = text.split(/`([^`]+)`/)
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`
}
