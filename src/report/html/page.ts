/** The frame of every page: one self-contained file that reads without script. */
import { html, Markup } from './markup.ts'
import type { Content } from './markup.ts'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'

interface PageParts {
  /** In the browser's tab. */
  title: string
  description: string
  content: Content
  footer: Content
}

/** A whole HTML document: no address outside its own folder, the same bytes for the same parts. */
export function page({ title, description, content, footer }: PageParts): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${description}" />
        <title>${title}</title>
        <style>
          ${new Markup(STYLE)}
        </style>
      </head>
      <body>
        <main>
          ${content}
          <footer>${footer}</footer>
        </main>
        <script>
          ${new Markup(SCRIPT)}
        </script>
      </body>
    </html> `.text
}

export function section(title: string, content: Content): Markup {
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section> `
}

/** Names and values in columns. */
export function factList(facts: readonly (readonly [name: string, value: Content])[]): Markup {
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}
