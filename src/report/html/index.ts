/** `report.html`: one self-contained page that reads without script. */
import type { ResultDocument } from '../../analysis/document.ts'
import { renderBreakdown } from './breakdown.ts'
import { pageTitle, renderHead } from './head.ts'
import { html, Markup } from './markup.ts'
import { renderNumbers } from './numbers.ts'
import { renderOverTime } from './over-time.ts'
import { renderPolling } from './polling.ts'
import { SCRIPT } from './script.ts'
import { renderStrips } from './strips.ts'
import { STYLE } from './style.ts'
import { renderTrust } from './trust.ts'
import { renderWaits } from './waits.ts'
import { renderWrong } from './wrong.ts'

/** A whole HTML document: no address outside itself, every foreign text escaped, the same bytes for the same document. */
export function renderHtml(document: ResultDocument): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${document.verdict.sentence}" />
        <title>${pageTitle(document)}</title>
        <style>
          ${new Markup(STYLE)}
        </style>
      </head>
      <body>
        <main>
          ${renderHead(document)}
          ${section('How long people wait', [renderWaits(document), renderBreakdown(document)])}
          ${section('Over time', renderOverTime(document))}
          ${section('What went wrong', renderWrong(document))}
          ${section('What polling cost', renderPolling(document))}
          ${section('A few executions', renderStrips(document))}
          ${section('Can we trust this', renderTrust(document))}
          ${section('All numbers', renderNumbers(document))}
          <footer>
            crewload ${document.crewload}, run ${document.run.id}, plan ${document.run.planHash}
          </footer>
        </main>
        <script>
          ${new Markup(SCRIPT)}
        </script>
      </body>
    </html> `.text
}

function section(title: string, content: Markup | readonly Markup[]): Markup {
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section> `
}
