/** What the tables of a page have in common, whatever their rows show. */
import { html } from '../text/markup.ts'
import type { Markup, MarkupContent } from '../text/markup.ts'
import type { Column } from '../text/table.ts'

/**
 * It scrolls by itself where it is too wide. `looks`: classes of the style sheet; `body`: one
 * `tbody` or several; `name` is for screen readers. Default: the titles of its columns.
 */
export function tableFrame({
  columns,
  body,
  looks = null,
  name = columns.flatMap(({ title }) => (title === '' ? [] : title)).join(', '),
}: {
  columns: readonly Column[]
  body: MarkupContent
  looks?: string | null
  name?: string
}): Markup {
  const heads = columns.map(
    (column) => html`<th scope="col" class="${kindOf(column)}">${column.title}</th>`,
  )
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${name}">
    <table class="${looks}">
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      ${body}
    </table>
  </div> `
}

/** A unit is not aligned by itself on the page. */
export function kindOf({ kind = 'text' }: Column): string {
  return kind === 'unit' ? 'number' : kind
}

/** In smaller type, below what stands in a cell. */
export function noteInCell(note: Markup | string | null): Markup | null {
  return note === null ? null : html`<span class="origin">${note}</span>`
}
