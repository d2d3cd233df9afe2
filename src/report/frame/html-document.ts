/** What every page of crewload begins and ends with. */
import { html, Markup } from '../text/markup.ts'
import type { MarkupContent } from '../text/markup.ts'
import { STYLE } from './style.ts'

interface HtmlParts {
  title: string
  /** More of the head, before the title. */
  head?: Markup
  /** Rules beside those that all pages share. */
  style?: string
  body: MarkupContent
}

export function htmlDocument({ title, head, style = '', body }: HtmlParts): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${head ?? null}
        <title>${title}</title>
        <style>
          ${new Markup(STYLE + style)}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `.text
}
