/**
 * The HTML document around every page, of a run and of a study: one self-contained file that can be
 * read without script.
 */
import { html, Markup } from './markup.ts'
import type { Content } from './markup.ts'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'
import { table } from './table.ts'

export interface Section {
  /** The id that links to the section use. */
  id: string
  title: string
  content: Content
}

interface PageParts {
  /** The title in the browser's tab. */
  title: string
  description: string
  /** The content above the sections. */
  head: Content
  sections: readonly Section[]
  footer: Content
}

/**
 * A whole HTML document: no address outside its own folder, and the same bytes for the same parts.
 */
export function page({ title, description, head, sections, footer }: PageParts): string {
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
          ${head} ${contents(sections)} ${sections.map(drawn)}
          <footer>${footer}</footer>
        </main>
        <script>
          ${new Markup(SCRIPT)}
        </script>
      </body>
    </html> `.text
}

export function section(title: string, content: Content): Section {
  const words = title.toLowerCase().match(/[a-z\d]+/g) ?? []
  return { id: `section-${words.join('-')}`, title, content }
}

function drawn({ id, title, content }: Section): Markup {
  return html`<section id="${id}">
    <h2>${title}</h2>
    ${content}
  </section> `
}

/** A page with fewer sections needs no table of contents. */
const SECTIONS_WITHOUT_CONTENTS = 3

function contents(sections: readonly Section[]): Markup | null {
  if (sections.length <= SECTIONS_WITHOUT_CONTENTS) return null
  return html`<nav aria-label="Contents">
    ${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}
  </nav>`
}

/** A command line, to which the script adds a copy button. */
export function commandLine(text: string): Markup {
  return html`<pre class="command" tabindex="0">${text}</pre>`
}

/** A table of the files beside the page, each with a description of its content. */
export function filesBeside(files: readonly (readonly [name: string, holds: string])[]): Markup {
  return html`<h3 class="part">Beside this file</h3>
    ${table(
      [{ title: 'file', kind: 'code' }, { title: 'what it holds' }],
      files.map(([name, holds]) => [html`<a href="${name}">${name}</a>`, holds]),
    )}`
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
