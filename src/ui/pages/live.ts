/** The page that watches a run or a study, and its parts, which are replaced as they change. */
import { placeText } from '../../report/frame/place-text.ts'
import { unreachable } from '../../base/assert.ts'
import { capital, shellWord } from '../../base/text.ts'
import { plainText } from '../../report/text/format.ts'
import { html, tied } from '../../report/text/markup.ts'
import type { Markup, MarkupContent } from '../../report/text/markup.ts'
import type { Block } from '../../report/frame/report.ts'
import { pageBlocks } from '../../report/frame/render/page-blocks.ts'
import type { LiveRun } from '../../report/run/live.ts'
import {
  farWords,
  liveCharts,
  liveErrors,
  liveFacts,
  liveThresholds,
} from '../../report/run/live.ts'
import type { LivePhase, LiveProgress } from '../../report/run/terminal/progress.ts'
import { phaseWords, warningOf } from '../../report/run/terminal/progress.ts'
import type { StudyProgress } from '../../study/frame/progress.ts'
import { studyParts } from '../../study/frame/progress.ts'
import type { Shell, ViewState } from './shell.ts'
import { shellPage } from './shell.ts'

/** By the ids of their places in the page, which are in this order. */
const HEAD = ['trouble', 'study', 'head'] as const
const BODY = ['thresholds', 'facts', 'charts', 'errors'] as const
type PlaceId = (typeof HEAD | typeof BODY)[number]

function placeOf(place: PlaceId): Markup {
  return html`<div id="${place}"></div> `
}

/** `id`: of the run or study; null for the next one that begins. */
export function livePage(
  id: string | null,
  folder: string,
  others: readonly string[],
  shell: Pick<Shell, 'script' | 'nonce'>,
): string {
  const content =
    id === null
      ? html`<h1>Nothing is under way</h1>
          <p>
            This page shows the next run or study that begins in ${plainText(folder, 300)}, whoever
            starts it.
          </p>`
      : html`${HEAD.map(placeOf)} ${controls(id)} ${BODY.map(placeOf)}
          <section>
            <h2>Executions</h2>
            <div id="executions"><p class="muted">None has ended yet.</p></div>
          </section>
          ${othersNav(others.filter((other) => other !== id))}`
  const title = id === null ? 'crewload: nothing under way' : `crewload: ${id}`
  return shellPage({ title, page: 'live', content, ...shell })
}

function othersNav(others: readonly string[]): Markup | null {
  if (others.length === 0) return null
  return html`<nav aria-label="Also under way">
    Also under way: ${others.map((other) => html`<a href="${liveAddress(other)}">${other}</a> `)}
  </nav>`
}

/** Asks before it does what cannot be taken back. */
function controls(id: string): Markup {
  return html`<div class="control" data-id="${id}" hidden>
      <button type="button" class="copy" data-how="drain">Drain</button>
      <button type="button" class="copy" data-how="now">Stop now</button>
    </div>
    ${dialog(
      'drain',
      'Drain this run?',
      'No new kickoffs are sent. Executions in flight run to their ends, and the report is written.',
    )}
    ${dialog(
      'now',
      'Stop this run now?',
      'Executions in flight are given up. On a real target they go on, and cost money.',
    )}
    <p id="answer" role="status"></p>`
}

function dialog(how: 'drain' | 'now', question: string, text: string): Markup {
  return html`<dialog id="ask-${how}" aria-label="${question}">
    <h3>${question}</h3>
    <p>${text}</p>
    <button type="button" class="copy" data-yes="${how}">
      ${how === 'drain' ? 'Drain' : 'Stop now'}
    </button>
    <button type="button" class="copy" data-no="${how}">Go on</button>
  </dialog>`
}

/** The head of a study stands above the head of its current run. */
export function runParts(live: LiveRun, of: 'run' | 'study'): ViewState {
  return partsOf({
    head: head(live.progress, of === 'run' ? 'h1' : 'h2'),
    thresholds: blocks(liveThresholds(live)),
    facts: blocks([{ kind: 'facts', facts: liveFacts(live) }]),
    charts: blocks(liveCharts(live)),
    errors: blocks(liveErrors(live)),
  })
}

/** Before the first line of what is shown. */
export function beginningParts(): ViewState {
  return partsOf({
    head: html`<p class="muted">It is preparing: no kickoff has been sent yet.</p>`,
  })
}

/** As the terminal has them. */
export function studyHead(progress: StudyProgress): ViewState {
  const { number, of } = progress
  const share = of === null ? null : (number - 1) / of
  const [name = '', ...parts] = studyParts(progress)
  return partsOf({
    study: html`<h1>● ${name}</h1>
      ${bar(share)}
      <ul class="reasons">
        ${parts.map((part) => html`<li>${tied(part)}</li> `)}
      </ul>`,
  })
}

/** Each part of a mix has a page of its own. */
export function mixHead(id: string, parts: readonly string[]): ViewState {
  const links = parts.map(
    (part) => html`<a href="${liveAddress(id, part)}">${plainText(part)}</a> `,
  )
  return partsOf({ study: html`<nav aria-label="Parts of the mix">Parts: ${links}</nav>` })
}

export function troublePart(why: string): ViewState {
  return partsOf({ trouble: why === '' ? '' : html`<p class="advice problem">${why}</p>` })
}

export function endedParts(folder: string): ViewState {
  const path = shellWord(folder)
  return partsOf({
    trouble: html`<p class="advice problem">
        Nothing carries this on any more, and it has no report. What is shown here was written until
        then.
      </p>
      <pre class="command">crewload report render --recover ${path}</pre>
      <pre class="command">crewload resume ${path}</pre>`,
  })
}

function partsOf(parts: Partial<Record<PlaceId, MarkupContent>>): ViewState {
  return Object.fromEntries(
    Object.entries(parts).map(([place, content]) => [place, html`${content}`.text]),
  )
}

function blocks(all: readonly Block[]): MarkupContent {
  return pageBlocks(all)
}

function head(progress: LiveProgress, level: 'h1' | 'h2'): Markup {
  const { scenario, place, load, phase, share } = progress
  const warning = warningOf(progress)
  const title = `${phaseName(phase)}: ${plainText(scenario)}`
  return html`${level === 'h1' ? html`<h1>● ${title}</h1>` : html`<h2>${title}</h2>`}
    <p class="load">
      ${tied([plainText(placeText(place)), load ?? ''].filter(Boolean).join(', '))}
    </p>
    ${bar(share)}
    <p class="verdict">${tied(farWords(progress))}</p>
    ${phase.kind === 'running' ? null : html`<p class="muted">${tied(phaseWords(phase))}</p>`}
    ${
      warning === null
        ? null
        : html`<p class="advice problem">
            <strong class="bad">${tied(warning.message)}</strong>. ${capital(warning.remedy)}
          </p>`
    }`
}

function phaseName({ kind }: LivePhase): string {
  switch (kind) {
    case 'warm-up':
      return 'Warm-up'
    case 'running':
      return 'Running'
    case 'finishing':
    case 'draining':
      return 'Draining'
    default:
      return unreachable(kind)
  }
}

function bar(share: number | null): Markup {
  const percent = Math.floor((share ?? 0) * 100)
  return html`<div
    class="bar"
    role="progressbar"
    aria-label="done"
    aria-valuemin="0"
    aria-valuemax="100"
    aria-valuenow="${percent}"
  >
    <span style="width:${percent}%"></span>
  </div>`
}

/** The address of its page, below the token. */
export function liveAddress(id: string, part?: string): string {
  const ofPart = part === undefined ? '' : `&part=${encodeURIComponent(part)}`
  return `live?id=${encodeURIComponent(id)}${ofPart}`
}

/** The address of a file of a run or a study, below the token. */
export function filePath(id: string, name: string): string {
  const folders = id === '.' ? [] : id.split('/')
  return ['files', ...folders, name].map(encodeURIComponent).join('/')
}
