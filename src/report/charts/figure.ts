/**
 * A figure: the finding as its heading, the picture in three widths, its table in a collapsible
 * block, and a text alternative.
 */
import { html, tied } from '../frame/markup.ts'
import type { MarkupContent, Markup } from '../frame/markup.ts'

/**
 * Natural widths in CSS pixels. The style sheet shows the one that fits the window, so text is
 * never scaled below 10 px; each is drawn for its width.
 */
const PICTURE_WIDTHS = [344, 640, 1_040] as const

export interface Picture {
  height: number
  body: MarkupContent
}

export interface FigureParts {
  /** The id must be unique in the page. */
  id: string
  /** The finding, with its number. */
  heading: string
  /** Says how to read the picture, in one or two sentences. */
  caption: string
  /** The description for a reader who does not see the picture. */
  alternative: string
  draw: (width: number) => Picture
  /** The numbers behind the picture. */
  table: Markup
}

export function figure(parts: FigureParts): Markup {
  return html`<figure id="${parts.id}">
    <h3>${tied(parts.heading)}</h3>
    <p class="caption">${parts.caption}</p>
    ${PICTURE_WIDTHS.map((width) => picture(parts, width))}
    <details>
      <summary>Numbers of this figure</summary>
      ${parts.table}
    </details>
  </figure> `
}

function picture({ id, heading, alternative, draw }: FigureParts, width: number): Markup {
  const { height, body } = draw(width)
  const name = `${id}-${width}`
  return html`<svg
    class="w${width}"
    viewBox="0 0 ${width} ${Math.ceil(height)}"
    role="img"
    aria-labelledby="${name}-title ${name}-desc"
  >
    <title id="${name}-title">${heading}</title>
    <desc id="${name}-desc">${alternative}</desc>
    ${body}
  </svg> `
}
