/** The blocks of a report as parts of a page. */
import { unreachable } from '../../../base/assert.ts'
import { hasMarks } from '../../charts/chart.ts'
import type { ChartTable, Drawing } from '../../charts/chart.ts'
import { drawChart } from '../../charts/draw.ts'
import { coded, html, Markup, tied } from '../../text/markup.ts'
import type { MarkupContent } from '../../text/markup.ts'
import type { Block, Fact } from '../report.ts'
import { blocksOn } from '../report.ts'
import type { Column, Table, TableCell } from '../../text/table.ts'
import { cellText, cellTone, columnsOf, isShown, pageTable } from '../../text/table.ts'
import { kindOf, tableFrame } from '../table-frame.ts'
import { thresholdMarkup } from '../thresholds.ts'

/** The blocks that the page shows. */
export function pageBlocks(blocks: readonly Block[]): MarkupContent {
  return blocksOn({ blocks }, 'page').map(blockOf)
}

function blockOf(block: Block): Markup | null {
  switch (block.kind) {
    case 'prose':
      return proseOf(block)
    case 'list':
      return listOf(block.items)
    case 'facts':
      return factList(pairs(block.facts))
    case 'table':
      return table(block)
    case 'thresholds':
      return thresholdMarkup(block.rows)
    case 'figure':
      return [block.chart, ...(block.chart.beside ?? [])].some(hasMarks)
        ? figure(drawChart(block.chart))
        : html`<h3>${tied(block.chart.heading)}</h3>`
    case 'drawing':
      return figure(block.figure)
    case 'explored':
      return explored(block)
    case 'fold':
      return fold(block.title, pageBlocks(block.blocks))
    case 'verbatim':
      return block.command === true
        ? commandLine(block.text)
        : html`<pre tabindex="0">${block.text}</pre>`
    default:
      return unreachable(block)
  }
}

function proseOf({ text, as }: Extract<Block, { kind: 'prose' }>): Markup {
  if (as === 'heading') return html`<h3>${tied(text)}</h3>`
  if (as === 'about') return html`<p class="about">${coded(text)}</p>`
  return as === undefined ? html`<p>${tied(text)}</p>` : html`<p class="${as}">${tied(text)}</p>`
}

export function pairs(facts: readonly Fact[]): [string, Markup][] {
  return facts.filter((fact) => isShown(fact, 'page')).map(({ name, text }) => [name, tied(text)])
}

export function listOf(items: readonly string[]): Markup | null {
  if (items.length === 0) return null
  return html`<ul class="reasons">
    ${items.map((item) => html`<li>${tied(item)}</li>`)}
  </ul>`
}

export function table({
  columns,
  rows,
  empty,
  stacks = false,
}: Omit<Table, 'kind' | 'on' | 'terminalRows' | 'fixed'>): Markup {
  if (rows.length === 0) return html`<p class="muted">${empty ?? 'Nothing to show.'}</p>`
  const shown = columns.flatMap((column, at) => (isShown(column, 'page') ? [{ column, at }] : []))
  return tableFrame({
    columns: shown.map(({ column }) => column),
    looks: stacks ? 'stack' : null,
    body: html`<tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${shown.map(({ column, at }, i) => tableCell(row[at] ?? '', column, stacks && i > 0))}
          </tr> `,
      )}
    </tbody>`,
  })
}

/** Numbers and bounds say nothing where the heading of their column is gone. */
function tableCell(cell: TableCell, column: Column, isStacked: boolean): Markup {
  const kind = kindOf(column)
  return isStacked && (kind === 'number' || kind === 'bound')
    ? html`<td class="${kind}" data-label="${column.title}">${cellOf(cell)}</td>`
    : html`<td class="${kind}">${cellOf(cell)}</td>`
}

function cellOf(cell: TableCell): MarkupContent {
  const tone = cellTone(cell)
  const text = cellText(cell)
  if (typeof cell === 'object' && !('text' in cell)) {
    return cell.map((line) => html`${tied(line)}<br />`)
  }
  if (typeof cell === 'object' && cell.href !== undefined) {
    return html`<a href="${cell.href}">${text}</a>`
  }
  return tone === null ? tied(text) : html`<span class="${tone} whole">${tied(text)}</span>`
}

/**
 * Natural widths in CSS pixels. The style sheet shows the one that fits the window, so text is
 * never scaled below 10 px; each is drawn for its width.
 */
const PICTURE_WIDTHS = [344, 640, 1_040] as const

/** The heading, the picture in three widths, and its numbers to open. */
function figure(drawing: Drawing): Markup {
  const { id, heading, caption, table: numbers } = drawing
  const tables = 'columns' in numbers ? [ofNumbers(numbers)] : numbers
  const shown = tables.filter((each) => each.rows.length > 0 || each.empty !== null)
  return html`<figure id="${id}">
    <h3>${tied(heading)}</h3>
    <p class="caption">${caption}</p>
    ${PICTURE_WIDTHS.map((width) => picture(drawing, width))}
    ${shown.length === 0 ? null : fold('Numbers of this figure', shown.map(table))}
  </figure> `
}

/** The script finds the figure and the data by their ids. */
function explored({ figure: drawing, data, script }: Extract<Block, { kind: 'explored' }>): Markup {
  return html`${figure(drawing)}
    <script type="application/octet-stream" id="${drawing.id}-data">
      ${data}
    </script>
    <script>
      ${new Markup(script)}
    </script>`
}

function ofNumbers({ columns, rows }: ChartTable): Table {
  return pageTable(columnsOf([], columns), rows)
}

function picture({ id, heading, caption, draw }: Drawing, width: number): Markup {
  const { height, body } = draw(width)
  const name = `${id}-${width}`
  return html`<svg
    class="w${width}"
    viewBox="0 0 ${width} ${Math.ceil(height)}"
    role="img"
    aria-labelledby="${name}-title ${name}-desc"
  >
    <title id="${name}-title">${heading}</title>
    <desc id="${name}-desc">${caption}</desc>
    ${body}
  </svg> `
}

export function fold(title: string, content: MarkupContent): Markup {
  return html`<details>
    <summary>${title}</summary>
    ${content}
  </details> `
}

/** A command line, to which the script adds a copy button. */
export function commandLine(text: string): Markup {
  return html`<pre class="command" tabindex="0">${text}</pre>`
}

/** Names and values in columns. */
export function factList(
  facts: readonly (readonly [name: string, value: MarkupContent])[],
): Markup {
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
