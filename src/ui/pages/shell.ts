/** What all pages have in common: their head, their style, and where they lead. */
import { htmlDocument } from '../../report/frame/html-document.ts'
import { html, Markup } from '../../report/text/markup.ts'
import type { MarkupContent } from '../../report/text/markup.ts'
import { plainText } from '../../report/text/format.ts'
import { hatchPatterns } from '../../report/charts/palette.ts'
import { SCRIPT } from '../../report/frame/style.ts'

/** Parts of a page by name, and what its script does; a part that is not named has not changed. */
export type ViewState = Readonly<Record<string, string>>

export interface Shell {
  title: string
  /** The page's script looks for it. */
  page: 'runs' | 'live'
  content: MarkupContent
  script: string
  /** Without it no script runs: whatever a target said is never one. */
  nonce: string
}

const OWN_STYLE = `
.top{border:0;margin:0 0 8px;padding:0}.top [aria-current]{font-weight:600;color:var(--ink)}
.bar{height:8px;background:var(--soft);margin:8px 0 16px;max-width:640px}.bar>span{display:block;height:8px;background:var(--endToEnd)}
.runs td{vertical-align:middle}.runs svg{display:inline-block;width:160px;height:24px}.runs svg.spark{width:96px}
.runs{width:100%}.runs td.text{min-width:32ch}.runs select{font:inherit;max-width:none;font-size:14px;color:var(--ink);background:var(--paper);border:1px solid var(--grey);border-radius:4px}main>div>section>h2{margin-top:24px}.control{display:flex;gap:8px;margin:16px 0}.control[hidden]{display:none}
dialog{border:1px solid var(--grey);background:var(--paper);color:var(--ink);max-width:56ch;padding:24px}dialog::backdrop{background:#0008}
.copy:disabled{color:var(--muted);cursor:default}
@media (max-width:639px){.runs td.text{flex:1 0 100%;min-width:0}}
`

/** Without it a browser asks for one. */
const NO_ICON = html`<link rel="icon" href="data:," />`

export function shellPage({ title, page, content, script, nonce }: Shell): string {
  const link = (to: 'runs' | 'live', name: string): Markup =>
    html`<a href="${to}" aria-current="${to === page ? 'page' : 'false'}">${name}</a>`
  return htmlDocument({
    title,
    head: NO_ICON,
    style: OWN_STYLE,
    body: html`${hatchPatterns()}
      <main data-page="${page}">
        <nav class="top" aria-label="Views">${link('runs', 'Runs')} ${link('live', 'Live')}</nav>
        <p id="connection" class="advice problem" role="alert" hidden>
          crewload ui does not answer any more. What is shown here is from before.
        </p>
        ${content}
      </main>
      <script nonce="${nonce}">
        ${new Markup(SCRIPT)}
      </script>
      <script nonce="${nonce}">
        ${new Markup(script)}
      </script>`,
  })
}

/** Says why there is no page, without script. */
export function refusalPage(why: string): string {
  const body = html`<main><p>${plainText(why, 2_000)}</p></main>`
  return htmlDocument({ title: 'crewload: refused', head: NO_ICON, body })
}
