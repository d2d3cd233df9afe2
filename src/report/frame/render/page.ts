/** A report as one self-contained page: the verdict first, then the evidence. */
import { plainText } from '../../text/format.ts'
import { plural } from '../../../base/numbers.ts'
import { HIDDEN_VALUE } from '../../../base/text.ts'
import { htmlDocument } from '../html-document.ts'
import { html, Markup, tied } from '../../text/markup.ts'
import type { MarkupContent } from '../../text/markup.ts'
import type { Block, Report, Section, ShownFinding } from '../report.ts'
import { blocksOn, headParts, SEVERITIES, startWords } from '../report.ts'
import { hatchPatterns } from '../../charts/palette.ts'
import { SCRIPT } from '../style.ts'
import { commandLine, factList, fold, listOf, pageBlocks, pairs, table } from './page-blocks.ts'
import { groupedBy } from '../../../base/collections/counts.ts'

/**
 * A whole HTML document: no address outside its own folder, every foreign text escaped, and the
 * same bytes for the same report.
 */
export function renderPage(report: Report): string {
  const { headline, title, origin } = report
  const sections = [
    ...chapters(report.sections).map(([name, parts]) => ({
      id: idOf(name),
      name,
      content: html`${parts.map(contentOf)}`,
    })),
    ...(report.parts ?? []).map(partSection),
    { id: idOf('Origin'), name: 'Origin', content: provenance(report) },
  ]
  const isFolded = report.folded === true
  return htmlDocument({
    title: `${headline.sign} ${headline.word} ${plainText(title)}`,
    head: html`<meta name="description" content="${headParts(headline).join(' ')}" />`,
    body: html`${hatchPatterns()}
      <main class="${isFolded ? 'brief' : null}">
        ${head(report)} ${isFolded ? folded(report, sections) : opened(sections)}
        <footer>${origin.tool}</footer>
      </main>
      <script>
        ${new Markup(SCRIPT)}
      </script>`,
  })
}

/** What a reader can do without; in a page of one screen it is folded away. */
function isNote(block: Block): boolean {
  return block.kind === 'prose' && (block.as === 'muted' || block.as === 'about')
}

function opened(sections: readonly PageSection[]): MarkupContent {
  return [contents(sections), ...sections.map(sectionMarkup)]
}

function folded({ lead = [] }: Report, sections: readonly PageSection[]): Markup {
  const notes = pageBlocks(lead.filter(isNote))
  return fold('Figures, executions and numbers', [notes, opened(sections)])
}

interface PageSection {
  id: string
  name: string
  content: Markup
}

function sectionMarkup({ id, name, content }: PageSection): Markup {
  return html`<section id="${id}">
    <h2>${name}</h2>
    ${content}
  </section> `
}

/** A report as a chapter of another. */
function partSection(part: Report): PageSection {
  const { title, headline } = part
  const [beside] = headParts(headline)
  const verdict = `${headline.sign}\u00A0${spoken(headline.word)}${beside === '' ? '' : ':'}`
  const content = html`<h3><span class="${headline.tone}">${verdict}</span> ${tied(beside)}</h3>
    ${underVerdict(part)}
    ${chapters(part.sections).map(
      ([name, parts]) =>
        html`<h3 class="part">${name}</h3>
          ${parts.map(contentOf)}`,
    )}`
  return { id: idOf(`part ${title}`), name: plainText(title), content }
}

function idOf(name: string): string {
  return `section-${(name.toLowerCase().match(/[a-z\d]+/g) ?? []).join('-')}`
}

/** The sections that have content, by the heading under which they stand. */
function chapters(sections: readonly Section[]): [name: string, parts: Section[]][] {
  const shown = sections.filter((part) => blocksOn(part, 'page').length > 0)
  return groupedBy(shown, (part) => ('chapter' in part ? part.chapter : part.title))
}

function contentOf(part: Section): Markup {
  const title = 'chapter' in part ? part.title : null
  const heading = title === null ? null : html`<h3 class="part">${title}</h3>`
  return html`${heading}${pageBlocks(part.blocks)}`
}

function head(report: Report): Markup {
  const { word, sign, tone, cause } = report.headline
  const [beside] = headParts(report.headline)
  const mark = beside === '' ? '' : cause === undefined ? '.' : ':'
  return html`<header>
    <h1><span class="${tone}">${sign} ${spoken(word)}${mark}</span> ${tied(beside)}</h1>
    ${underVerdict(report)}
  </header> `
}

function underVerdict({
  headline,
  reasons,
  lead = [],
  findings,
  facts,
  origin,
  folded,
}: Report): Markup {
  const { load = '', basis = [] } = headline
  const [, rest] = headParts(headline)
  return html`${rest === '' ? null : html`<p class="lede">${tied(rest)}</p>`}
  ${load === '' ? null : html`<p class="load">${tied(load)}</p>`}
  ${
    basis.length === 0
      ? null
      : html`<p class="verdict">
          ${basis.map((each) => html`<span class="${each.tone ?? null}">${each.text}</span> `)}
        </p>`
  }
  ${listOf(reasons)} ${pageBlocks(folded === true ? lead.filter((block) => !isNote(block)) : lead)}
  ${findingBoxes(findings)}
  ${factList([
    ...pairs(facts),
    [origin.name ?? 'Target', plainText(origin.target)],
    ...(origin.proxy === undefined ? [] : [['Proxy', plainText(origin.proxy)] as const]),
    ['Started', startWords(origin)],
  ])}`
}

/** Only the most important findings are shown at once, so that the page stays readable. */
const FINDINGS_SHOWN = 5

function findingBoxes(findings: readonly ShownFinding[]): MarkupContent {
  const boxes = findings.map(findingBox)
  if (boxes.length <= FINDINGS_SHOWN + 1) return boxes
  const more = plural(boxes.length - FINDINGS_SHOWN, 'more finding')
  return [...boxes.slice(0, FINDINGS_SHOWN), fold(more, boxes.slice(FINDINGS_SHOWN))]
}

/** Red for a problem, amber for a warning, blue for a note. */
function findingBox({ severity, message }: ShownFinding): Markup {
  const { word, sign, tone } = SEVERITIES[severity]
  return html`<p class="advice ${severity}">
    <strong class="${tone}">${severity === 'info' ? '' : `${sign} `}${spoken(word)}:</strong>
    ${tied(message)}
  </p>`
}

/** `RECOVERS SLOWLY` -> `Recovers slowly`. */
function spoken(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()
}

const HIDDEN_NOTE = `Put in your own values for ${HIDDEN_VALUE}: no report keeps them.`

function provenance({ files, command }: Report): Markup {
  return html`${filesBeside(files)}
  ${
    command === null
      ? null
      : html`<h3 class="part">Run it again</h3>
          ${commandLine(command)}
          ${command.includes(HIDDEN_VALUE) ? html`<p>${HIDDEN_NOTE}</p>` : null}`
  }`
}

/** A page with fewer sections needs no table of contents. */
const SECTIONS_WITHOUT_CONTENTS = 3

function contents(sections: readonly PageSection[]): Markup | null {
  if (sections.length <= SECTIONS_WITHOUT_CONTENTS) return null
  return html`<nav aria-label="Contents">
    ${sections.map(({ id, name }) => html`<a href="#${id}">${name}</a> `)}
  </nav>`
}

/** A table of the files beside the page, each with its content; paper has no such files. */
function filesBeside(files: readonly (readonly [name: string, holds: string])[]): Markup {
  return html`<div class="files">
    <h3 class="part">Beside this file</h3>
    ${table({
      columns: [{ title: 'file', kind: 'code' }, { title: 'what it holds' }],
      rows: files.map(([name, holds]) => [{ text: name, href: name }, holds]),
      empty: null,
    })}
  </div>`
}
