/** `report.html`: one self-contained page that reads without script. */
import type { ResultDocument } from '../../analysis/document.ts'
import { html } from './markup.ts'

export function renderHtml(document: ResultDocument): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${document.run.scenario}</title>
      </head>
      <body>
        <p>${document.verdict.sentence}</p>
      </body>
    </html>`.text
}
