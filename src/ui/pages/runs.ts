/** The page that lists every run and study of a folder: to filter, to open, and to compare. */
import { formatCount, plural } from '../../base/numbers.ts'
import { ink } from '../../report/charts/palette.ts'
import { round, stroke } from '../../report/charts/plot.ts'
import { noteInCell, tableFrame } from '../../report/frame/table-frame.ts'
import { formatInstant, plainText } from '../../report/text/format.ts'
import { html, tied } from '../../report/text/markup.ts'
import type { Markup } from '../../report/text/markup.ts'
import { columnsOf } from '../../report/text/table.ts'
import type { Entry } from '../library.ts'
import { filePath, liveAddress } from './live.ts'
import type { Shell } from './shell.ts'
import { shellPage } from './shell.ts'
import { groupedBy } from '../../base/collections/counts.ts'

export function runsPage(
  entries: readonly Entry[],
  folder: string,
  shell: Pick<Shell, 'script' | 'nonce'>,
): string {
  const content = html`<h1>Runs and studies</h1>
    <p class="muted">${plainText(folder, 300)}</p>
    <div class="choose" id="choose">
      <label>text<input type="search" name="text" /></label>
      ${['scenario', 'target', 'verdict'].map(
        (name) =>
          html`<label
            >${name}<select name="${name}">
              <option value="">all</option>
            </select></label
          > `,
      )}
      <button type="button" class="copy" id="compare" disabled>Compare before with after</button>
    </div>
    <p class="muted" id="shown" role="status"></p>
    <div id="entries">${entriesMarkup(entries)}</div>`
  return shellPage({ title: 'crewload: runs and studies', page: 'runs', content, ...shell })
}

/** Runs by scenario, on one axis each; then the studies. */
export function entriesMarkup(entries: readonly Entry[]): Markup {
  if (entries.length === 0) return html`<p>There is no run and no study here yet.</p>`
  const runs = entries.filter(({ kind }) => kind === 'run')
  const studies = entries.filter(({ kind }) => kind === 'study')
  const byScenario = groupedBy(runs, ({ scenario }) => scenario ?? '')
  return html`${byScenario.map(([scenario, own]) => scenarioTable(scenario, own))}
  ${studies.length === 0 ? null : studiesTable(studies)}`
}

function scenarioTable(scenario: string, entries: readonly Entry[]): Markup {
  const reached = entries.flatMap(({ p95 }) => (p95 === null ? [] : [p95.value, p95.high ?? 0]))
  const most = Math.max(0, ...reached.filter(Number.isFinite))
  const heads = ['verdict and load', 'p95 with its interval', 'in flight', 'started', '']
  return html`<section>
    <h2>${scenario === '' ? 'runs' : plainText(scenario)} (${plural(entries.length, 'run')})</h2>
    ${table(
      heads,
      entries.map(
        (entry) =>
          html`<tr ${rowData(entry)}>
            <td class="text">${verdict(entry)}${loadOf(entry)}</td>
            <td class="word">${interval(entry, most)}</td>
            <td class="word">${sparkline(entry.inFlight)}</td>
            <td>${when(entry)}</td>
            <td>${choice(entry)}</td>
          </tr> `,
      ),
    )}
  </section> `
}

function studiesTable(entries: readonly Entry[]): Markup {
  return html`<section>
    <h2>${plural(entries.length, 'study', 'studies')}</h2>
    ${table(
      ['answer', 'study', 'commit', 'started'],
      entries.map(
        (entry) =>
          html`<tr ${rowData(entry)}>
            <td class="text">${verdict(entry)}${loadOf(entry)}</td>
            <td class="word">${entry.study ?? ''}</td>
            <td class="word">${plainText(entry.commit?.slice(0, 8) ?? '')}</td>
            <td>${when(entry)}</td>
          </tr> `,
      ),
    )}
  </section> `
}

function table(heads: readonly string[], rows: readonly Markup[]): Markup {
  const body = html`<tbody>
    ${rows}
  </tbody>`
  return tableFrame({ columns: columnsOf(heads), looks: 'runs stack', body })
}

function loadOf({ kind, scenario, target, load }: Entry): Markup | null {
  const of = kind === 'run' ? load : (scenario ?? '')
  const words = [plainText(target, 60), plainText(of, 200)].filter((text) => text !== '')
  return noteInCell(words.length === 0 ? null : tied(words.join('; ')))
}

/** What the script filters by. */
function rowData(entry: Entry): Markup {
  const { id, scenario, target, head, verdict, cause, load, study } = entry
  const text = [id, scenario ?? '', target, head.word, cause, load, study ?? '']
    .join(' ')
    .toLowerCase()
  return html`data-text="${plainText(text, 600)}" data-scenario="${plainText(scenario ?? '')}"
  data-target="${plainText(target)}" data-verdict="${verdict}"`
}

/** The side of a comparison. */
function choice({ id, isComparable }: Entry): Markup | null {
  return !isComparable
    ? null
    : html`<select data-run="${id}" aria-label="compare ${id}">
        <option value="">compare</option>
        <option>before</option>
        <option>after</option>
      </select>`
}

function verdict({ id, head, cause, report, isUnderWay }: Entry): Markup {
  const { sign, word, tone } = head
  const words = html`<span class="${tone} whole">${sign} ${word}</span>`
  const href = isUnderWay ? liveAddress(id) : report === null ? null : filePath(id, report)
  const why = noteInCell(cause === '' ? null : plainText(cause, 200))
  return href === null
    ? html`${words}${why}`
    : html`<a href="${href}" title="${id}">${words}</a>${why}`
}

function when({ atMs, id }: Entry): Markup {
  const at = atMs === 0 ? null : formatInstant(new Date(atMs).toISOString())
  return html`<span class="whole">${at}</span>${noteInCell(plainText(id, 120))}`
}

const WIDE = 160
const HIGH = 24
const MIDDLE = HIGH / 2

/** A point with its interval; from 0 to the most of the scenario. */
function interval({ p95 }: Entry, most: number): Markup | null {
  if (p95 === null) return null
  const { text, value, low, high, interval: known, part } = p95
  const words = `${text}${part === undefined ? '' : ` of ${plainText(part)}`}`
  const x = (ms: number): number =>
    round(4 + (WIDE - 12) * (most === 0 ? 0 : Math.min(1, ms / most)))
  const whisker =
    low === null || high === null ? null : stroke(`M${x(low)} ${MIDDLE}H${x(high)}`, 'endToEnd')
  const mark = Number.isFinite(value)
    ? html`<circle cx="${x(value)}" cy="${MIDDLE}" r="4" fill="${ink('endToEnd')}" />`
    : html`<path d="M${WIDE - 10} 6L${WIDE - 2} 12L${WIDE - 10} 18Z" fill="${ink('error')}" />`
  const reach = known === null ? '' : `, ${known}`
  return html`<svg viewBox="0 0 ${WIDE} ${HIGH}" role="img" aria-label="p95 ${words}${reach}">
      <path d="M4 ${HIGH - 2}H${WIDE - 8}" stroke="${ink('hair')}" />
      ${whisker}${mark}
    </svg>
    ${tied(words)}`
}

const SPARK = { wide: 96, columns: 48 }

/** Executions in flight over the time of the run; from 0 to its own most. */
function sparkline(counts: readonly number[]): Markup | null {
  const most = Math.max(0, ...counts)
  if (most === 0) return null
  const each = Math.max(1, counts.length / SPARK.columns)
  const columns = Array.from({ length: Math.ceil(counts.length / each) }, (_, at) =>
    Math.max(...counts.slice(Math.floor(at * each), Math.floor((at + 1) * each))),
  ).filter(Number.isFinite)
  const step = SPARK.wide / Math.max(1, columns.length)
  const y = (count: number): number => round(HIGH - 2 - ((HIGH - 4) * count) / most)
  const line = columns.map((count, at) => `V${y(count)}H${round((at + 1) * step)}`).join('')
  return html`<svg
      class="spark"
      viewBox="0 0 ${SPARK.wide} ${HIGH}"
      role="img"
      aria-label="at most ${formatCount(most)} in flight"
    >
      ${stroke(`M0 ${HIGH - 2}${line}`, 'service')}
    </svg>
    ${formatCount(most)}`
}
