/**
 * All executions to search: fields, arrivals over time, raster, one execution, and a table. The
 * report and the live page show it; whoever embeds it gives rows and places the element.
 */
import { formatMs, formatCount, formatOptionalMs, plural } from '../../base/numbers.ts'
import type { SampleExecution } from '../../result/document.ts'
import type { ExecutionRow } from '../../result/execution-row.ts'
import { PHASES } from '../../report/run/sections/executions/phases.ts'
import { Controls } from './controls.ts'
import { detailOf, journalHint } from './detail.ts'
import type { DetailFacts } from './detail.ts'
import { el, colorOf, prepared } from './dom.ts'
import { Raster } from './raster.ts'
import { chosen, EVERYTHING, fragmentOf, viewOf } from './view.ts'
import type { View } from './view.ts'

export interface ExplorerData extends DetailFacts {
  rows: readonly ExecutionRow[]
  /** Those with all of their requests. */
  details: readonly SampleExecution[]
  /** Of the run: more than `rows` where these are a sample. */
  total: number
}

export interface Explorer {
  element: HTMLElement
  /** Replaces what changed, and keeps what the reader chose. Call it after placing the element. */
  update(data: Partial<ExplorerData>): void
}

/** Rows of the table at most: whoever wants more, filters. */
const TABLE_ROWS = 200
const PAGE_ROWS = 20

export function createExplorer(data: ExplorerData): Explorer {
  const page = new ExplorerPage(data)
  return { element: page.element, update: (change) => page.update(change) }
}

const AXES: Readonly<Record<View['order'], string>> = {
  duration: 'time since the kickoff was intended.',
  start: 'time of the run.',
  worker:
    'time of the run. A lane is the first that was free when an execution began: ledgers do not ' +
    'name workers.',
}

class ExplorerPage {
  readonly element = el('div', { className: 'explorer' })
  readonly #controls = new Controls((change) => this.#choose(change))
  readonly #brush = new Brush((span) => this.#choose(span))
  readonly #raster = new Raster(el('canvas', { className: 'raster', tabIndex: 0 }), EVERYTHING)
  readonly #status = el('p', { className: 'muted wide' })
  readonly #key = el('p', { className: 'key' })
  readonly #open = el('div')
  readonly #table = el('details', {}, el('summary', {}, 'These executions as a table'))
  readonly #hover = el('p', { className: 'muted hovered' })
  #data: ExplorerData
  #details: ReadonlyMap<number, SampleExecution>
  #view: View

  constructor(data: ExplorerData) {
    this.#data = data
    this.#details = byIndex(data)
    this.#view = viewOf(location.hash) ?? EVERYTHING
    const { canvas } = this.#raster
    canvas.setAttribute('role', 'application')
    canvas.setAttribute('aria-label', 'Executions: arrow keys open the next or the previous one')
    this.#status.setAttribute('role', 'status')
    this.#open.setAttribute('aria-live', 'polite')
    this.element.append(
      this.#controls.element,
      this.#brush.canvas,
      this.#status,
      this.#key,
      canvas,
      this.#hover,
      this.#open,
      this.#table,
    )
    this.#listen(canvas)
  }

  update(change: Partial<ExplorerData>): void {
    this.#data = { ...this.#data, ...change }
    this.#details = byIndex(this.#data)
    this.#draw()
    this.#showOpen()
  }

  #listen(canvas: HTMLCanvasElement): void {
    canvas.addEventListener('click', ({ offsetX, offsetY }) => {
      const row = this.#raster.at(offsetX, offsetY)
      if (row !== null) this.#choose({ execution: row.index })
    })
    canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
      const row = this.#raster.at(offsetX, offsetY)
      this.#hover.textContent = row === null ? '' : wordsOf(row)
      canvas.style.cursor = row === null ? 'default' : 'pointer'
    })
    canvas.addEventListener('keydown', (event) => {
      const to = this.#reached(event.key)
      if (to === null) return
      event.preventDefault()
      this.#choose({ execution: to.index })
    })
    this.#table.addEventListener('toggle', () => this.#fillTable())
    addEventListener('hashchange', () => this.#followAddress())
    addEventListener('resize', () => this.#draw())
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#draw())
  }

  /** The execution to which a key leads from the one that is open. */
  #reached(key: string): ExecutionRow | null {
    const { rows } = this.#raster
    const at = rows.findIndex(({ index }) => index === this.#view.execution)
    const last = rows.length - 1
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? last : at - 1,
      PageDown: at + PAGE_ROWS,
      PageUp: at - PAGE_ROWS,
      Home: 0,
      End: last,
    }
    const to = steps[key]
    return to === undefined ? null : (rows[Math.max(0, Math.min(last, to))] ?? null)
  }

  #choose(change: Partial<View>): void {
    this.#view = { ...this.#view, ...change }
    const { pathname, search } = location
    history.replaceState(null, '', fragmentOf(this.#view) || `${pathname}${search}`)
    this.#draw()
    if ('execution' in change) this.#showOpen()
  }

  #followAddress(): void {
    const view = viewOf(location.hash)
    if (view === null) return
    this.#view = view
    this.#draw()
    this.#showOpen()
    if (view.execution !== null) this.#open.scrollIntoView({ block: 'nearest' })
  }

  #draw(): void {
    const { rows, total } = this.#data
    const shown = chosen(rows, this.#view)
    this.#controls.show(rows, this.#view)
    this.#brush.draw(rows, this.#view)
    this.#raster.draw(shown, this.#view)
    const of = `${formatCount(shown.length)} of ${plural(rows.length, 'execution')} shown`
    const sampled = rows.length < total ? `, which are a sample of ${formatCount(total)}` : ''
    const axis = AXES[this.#view.order]
    this.#status.textContent = `${of}${sampled}. Across: ${axis} Click a row for its requests.`
    this.#drawKey()
    this.#fillTable()
  }

  #drawKey(): void {
    const { kinds, hasBadEnds } = this.#raster.drawn
    const entries = kinds.map((kind) => PHASES[kind])
    const ends = hasBadEnds ? [{ color: 'bad', label: 'not completed' }] : []
    this.#key.replaceChildren(
      ...[...entries, ...ends].map(({ color, label }) => {
        const swatch = el('span', { className: 'swatch' })
        swatch.style.background = `var(--${color})`
        return el('span', {}, swatch, label)
      }),
    )
  }

  #showOpen(): void {
    const { execution } = this.#view
    if (execution === null) {
      this.#open.replaceChildren()
      return
    }
    const row = this.#data.rows.find(({ index }) => index === execution)
    const shown =
      row === undefined
        ? journalHint(execution, `This page does not list execution ${execution}.`)
        : detailOf(row, this.#details.get(execution) ?? null, this.#data)
    this.#open.replaceChildren(shown)
  }

  /** Built when it is opened. */
  #fillTable(): void {
    if (!this.#table.open) return
    const rows = this.#raster.rows
    const heads = ['execution', 'outcome', 'intended at', 'started after', 'known after', 'polls']
    const lines = rows.slice(0, TABLE_ROWS).map((row) => {
      const href = fragmentOf({ ...this.#view, execution: row.index })
      const link = el('a', { href, textContent: String(row.index) })
      const texts = [
        row.outcome,
        formatMs(row.intendedMs),
        formatOptionalMs(row.ledger?.startedMs),
        formatMs(row.totalMs),
        String(row.polls),
      ]
      return el('tr', {}, el('td', {}, link), ...texts.map((text) => el('td', {}, text)))
    })
    const head = el('tr', {}, ...heads.map((text) => el('th', { scope: 'col' }, text)))
    const table = el('table', {}, el('thead', {}, head), el('tbody', {}, ...lines))
    const more = rows.length - lines.length
    const rest = more > 0 ? el('p', { className: 'muted' }, `${formatCount(more)} more`) : null
    const scroll = el('div', { className: 'scroll', tabIndex: 0 }, table)
    this.#table.replaceChildren(this.#table.firstElementChild!, scroll, ...(rest ? [rest] : []))
  }
}

function byIndex({ details }: ExplorerData): ReadonlyMap<number, SampleExecution> {
  return new Map(details.map((detail) => [detail.record.index, detail]))
}

function wordsOf({ index, outcome, totalMs, polls, reason }: ExecutionRow): string {
  const why = reason === null ? '' : `, ${reason}`
  return `execution ${index}: ${outcome} after ${formatMs(totalMs)}, ${plural(polls, 'poll')}${why}`
}

const HEIGHT_PX = 48
const BARS = 160
const LEFT_PX = 10
const RIGHT_PX = 22
/** A shorter drag is a click, which clears the span. */
const LEAST_DRAG_PX = 4

type BrushedTime = Pick<View, 'from' | 'to'>

class Brush {
  readonly canvas: HTMLCanvasElement
  #last = 1
  #pressedX: number | null = null

  constructor(choose: (span: BrushedTime) => void) {
    const what = 'Arrivals over time: drag to choose a span; the fields from and to do the same'
    this.canvas = el('canvas', { className: 'brush', title: what })
    this.canvas.setAttribute('role', 'img')
    this.canvas.setAttribute('aria-label', what)
    this.canvas.addEventListener('pointerdown', (event) => {
      this.#pressedX = event.offsetX
      this.canvas.setPointerCapture(event.pointerId)
    })
    this.canvas.addEventListener('pointermove', (event) => {
      if (this.#pressedX !== null && event.buttons > 0) choose(this.#span(event.offsetX))
    })
    this.canvas.addEventListener('pointerup', (event) => {
      if (this.#pressedX !== null) choose(this.#span(event.offsetX))
      this.#pressedX = null
    })
  }

  draw(all: readonly ExecutionRow[], { from, to }: BrushedTime): void {
    const pen = prepared(this.canvas, HEIGHT_PX)
    const width = this.canvas.clientWidth
    this.#last = all.reduce((last, row) => Math.max(last, row.intendedMs + row.totalMs), 1)
    const good = bars(all, this.#last, () => true)
    const bad = bars(all, this.#last, ({ outcome }) => outcome !== 'completed')
    const most = Math.max(1, ...good)
    const barPx = (width - LEFT_PX - RIGHT_PX) / BARS
    const paint = (counts: readonly number[], color: string): void => {
      pen.fillStyle = color
      for (const [at, count] of counts.entries()) {
        const height = (count / most) * (HEIGHT_PX - 4)
        pen.fillRect(LEFT_PX + at * barPx, HEIGHT_PX - height, Math.max(1, barPx - 1), height)
      }
    }
    paint(good, colorOf('grey'))
    paint(bad, colorOf('bad'))
    if (from === null && to === null) return
    const x = (ms: number): number => LEFT_PX + (ms / this.#last) * (width - LEFT_PX - RIGHT_PX)
    const [left, right] = [x(from ?? 0), x(to ?? this.#last)]
    pen.fillStyle = colorOf('endToEnd')
    pen.globalAlpha = 0.22
    pen.fillRect(left, 0, Math.max(1, right - left), HEIGHT_PX)
    pen.globalAlpha = 1
    for (const edge of [left, right]) pen.fillRect(edge - 1, 0, 2, HEIGHT_PX)
  }

  #span(x: number): BrushedTime {
    const pressed = this.#pressedX ?? x
    if (Math.abs(x - pressed) < LEAST_DRAG_PX) return { from: null, to: null }
    const width = this.canvas.clientWidth - LEFT_PX - RIGHT_PX
    const ms = (at: number): number =>
      Math.round(Math.min(1, Math.max(0, (at - LEFT_PX) / width)) * this.#last)
    return { from: ms(Math.min(x, pressed)), to: ms(Math.max(x, pressed)) }
  }
}

function bars(
  rows: readonly ExecutionRow[],
  last: number,
  counts: (row: ExecutionRow) => boolean,
): number[] {
  const sums = Array.from({ length: BARS }, () => 0)
  for (const row of rows) {
    const at = Math.min(BARS - 1, Math.floor((row.intendedMs / last) * BARS))
    if (counts(row)) sums[at]!++
  }
  return sums
}
