/** Renders `report.html` of one run: what it found, beginning with the verdict. */
import type { ResultDocument } from '../../../result/document.ts'
import { html } from '../../frame/markup.ts'
import type { Markup } from '../../frame/markup.ts'
import { page, section } from '../../frame/html-document.ts'
import type { Section } from '../../frame/html-document.ts'
import { pageBlocks } from '../../frame/render/page.ts'
import { blocksOn } from '../../frame/report.ts'
import type { Block } from '../../frame/report.ts'
import { RUN_SECTIONS } from '../sections/list.ts'
import { pageTitle, renderHead } from './head.ts'

/** Every foreign text is escaped. */
export function renderHtml(document: ResultDocument): string {
  return page({
    title: pageTitle(document),
    description: document.verdict.sentence,
    head: renderHead(document),
    sections: chapters(document),
    footer: html`crewload ${document.crewload}, run ${document.run.id}, plan
    ${document.run.planHash}`,
  })
}

/** The sections that have content, under their own headings. */
function chapters(document: ResultDocument): Section[] {
  const shown = RUN_SECTIONS.map(({ chapter, title, blocks }) => {
    return { chapter, title, blocks: blocksOn({ blocks: blocks(document) }, 'page') }
  }).filter(({ blocks }) => blocks.length > 0)
  return [...new Set(shown.map(({ chapter }) => chapter))].map((name) =>
    section(name, shown.filter(({ chapter }) => chapter === name).map(contentOf)),
  )
}

function contentOf({ title, blocks }: { title: string | null; blocks: readonly Block[] }): Markup {
  return html`${title === null ? null : html`<h3 class="part">${title}</h3>`}${pageBlocks(blocks)}`
}
