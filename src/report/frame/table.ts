/** Tables of the page: numbers are aligned right, and wide tables scroll horizontally. */
import { html } from './markup.ts'
import type { MarkupContent, Markup } from './markup.ts'

interface HeadCell {
  title: string
  /** Numbers are aligned right in tabular figures; code has a fixed width. */
  kind?: 'number' | 'code' | 'text' | 'bound'
}

/** Shows `nothing` when there are no rows. */
export function table(
  columns: readonly HeadCell[],
  rows: readonly (readonly MarkupContent[])[],
  nothing = 'Nothing to show.',
  /**
   * `stack`: in a narrow window each row becomes a few lines, and its last cell gets its own line.
   */
  layout: 'scroll' | 'stack' = 'scroll',
): Markup {
  if (rows.length === 0) return html`<p class="muted">${nothing}</p>`
  const kindOf = (at: number): string => columns[at]?.kind ?? 'text'
  /** Numbers and bounds say nothing where the heading of their column is gone. */
  const labelOf = (at: number): string | null =>
    layout === 'stack' && at > 0 && ['number', 'bound'].includes(kindOf(at))
      ? (columns[at]?.title ?? null)
      : null
  const heads = columns.map(
    ({ title }, at) => html`<th scope="col" class="${kindOf(at)}">${title}</th>`,
  )
  return html`<div
    class="scroll"
    tabindex="0"
    role="group"
    aria-label="${columns
      .map(({ title }) => title)
      .filter((title) => title !== '')
      .join(', ')}"
  >
    <table class="${layout === 'stack' ? layout : null}">
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, at) => cellOf(cell, kindOf(at), labelOf(at)))}
            </tr> `,
        )}
      </tbody>
    </table>
  </div> `
}

function cellOf(cell: MarkupContent, kind: string, label: string | null): Markup {
  if (label === null) return html`<td class="${kind}">${cell}</td>`
  return html`<td class="${kind}" data-label="${label}">${cell}</td>`
}

export function fold(title: string, content: MarkupContent): Markup {
  return html`<details>
    <summary>${title}</summary>
    ${content}
  </details> `
}
