/** All executions as a raster, one row each: drawn here without script, searched with it. */
import { targetOf } from '../../../../execution/record/crew-place.ts'
import { DOCUMENTED_PATHS } from '../../../../crew/crew-request.ts'
import type { ResultDocument } from '../../../../result/document.ts'
import type { ExecutionRow, SampledExecutions } from '../../../../result/execution-row.ts'
import { formatCount, formatMs, formatOptionalMs, plural } from '../../../../base/numbers.ts'
import type { Drawing, Picture } from '../../../charts/chart.ts'
import { swatchKey } from '../../../charts/key.ts'
import type { KeyEntry } from '../../../charts/key.ts'
import { ink } from '../../../charts/palette.ts'
import type { Color } from '../../../charts/palette.ts'
import { bottomAxis, round } from '../../../charts/plot.ts'
import { elapsedTicks } from '../../../charts/ticks.ts'
import { exampleName, plainText } from '../../../text/format.ts'
import { html } from '../../../text/markup.ts'
import type { Markup } from '../../../text/markup.ts'
import type { Block } from '../../../frame/report.ts'
import type { Table } from '../../../text/table.ts'
import { columnsOf, pageTable } from '../../../text/table.ts'
import type { ListedExecutions, RunSection } from '../section.ts'
import { packed } from './pack.ts'
import { endsBadly, PHASES, phasesOf } from './phases.ts'
import type { PhaseKind } from './phases.ts'

export const EXECUTIONS: RunSection = {
  chapter: 'All executions',
  title: null,
  blocks: (document, listed = null) => blocksOf(document, listed),
}

/** When there are so few that all are drawn as strips, a raster shows nothing new. */
function blocksOf(document: ResultDocument, listed: ListedExecutions | null): Block[] {
  if (listed === null || listed.rows.length <= document.samples.length) return []
  const { script, deflated } = listed
  const data = deflated(JSON.stringify(packed(listed, statusUrlOf(document))))
  return [{ kind: 'explored', figure: figureOf(listed), data, script }]
}

/** The address of a status answer, with `{id}` in it; null for a crew of virtual time. */
export function statusUrlOf({ run, plan }: ResultDocument): string | null {
  const { status } = plan.paths ?? DOCUMENTED_PATHS
  const target = targetOf(run.place)
  return target === null ? null : plainText(`${target}${status}`, 500)
}

function figureOf(executions: SampledExecutions): Drawing {
  const inOrder = executions.rows.toSorted((a, b) => b.totalMs - a.totalMs || a.index - b.index)
  const drawn = spreadOut(inOrder, DRAWN)
  const every = drawn.length < inOrder.length ? ` ${formatCount(DRAWN)} of them are drawn.` : ''
  return {
    id: 'executions',
    heading: headingOf(executions),
    caption:
      'Each row is an execution, from its intended kickoff until its client knew the end; the ' +
      `slowest is on top. A red end: it was not completed.${every}`,
    draw: (width) => draw(drawn, width),
    table: [slowestTable(executions.rows)],
  }
}

function headingOf({ rows, total, failed }: SampledExecutions): string {
  const all = plural(total, 'execution')
  if (rows.length === total) {
    return failed === 0 ? `All ${all}` : `All ${all}: ${formatCount(failed)} were not completed`
  }
  return (
    `${formatCount(rows.length)} of ${all}: the slowest, those not completed ` +
    `(up to 800 of ${formatCount(failed)}), and an even share of the others`
  )
}

/** Rows of the picture without script. */
const DRAWN = 160
const ROW_PX = 3
const LEFT = 10

function spreadOut<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all]
  return Array.from({ length: most }, (_, at) => all[Math.floor((at * all.length) / most)]!)
}

const KINDS = Object.keys(PHASES) as PhaseKind[]

function draw(rows: readonly ExecutionRow[], width: number): Picture {
  const key = swatchKey(keyOf(rows), { left: LEFT, right: width, top: 4 })
  const top = key.bottom + 8
  const bottom = top + rows.length * ROW_PX
  const longest = Math.max(1, ...rows.map(({ totalMs }) => totalMs))
  const right = width - 22
  const x = (ms: number): number => LEFT + (ms / longest) * (right - LEFT)
  const phases = KINDS.map((kind) => phasePath(rows, kind, { x, top }))
  const ends = rows.flatMap((row, at) =>
    endsBadly(row) ? `M${round(x(row.totalMs))} ${middle(top, at)}h3` : [],
  )
  const axis = bottomAxis(
    { left: LEFT, right, top, bottom: bottom + 4 },
    elapsedTicks(longest, (right - LEFT) / 84),
    x,
  )
  return {
    height: bottom + 36,
    body: [key.body, phases, stroke(ends.join(''), 'bad', 1), axis],
  }
}

function keyOf(rows: readonly ExecutionRow[]): KeyEntry[] {
  const kinds = new Set(rows.flatMap((row) => phasesOf(row).map(({ kind }) => kind)))
  return [
    ...KINDS.filter((kind) => kinds.has(kind)).map((kind) => PHASES[kind]),
    ...(rows.some(endsBadly)
      ? [{ label: 'not completed', color: 'bad' as const, opacity: 1 }]
      : []),
  ]
}

/** All rows of a kind are one path, so thousands of them remain cheap. */
function phasePath(
  rows: readonly ExecutionRow[],
  kind: PhaseKind,
  { x, top }: { x: (ms: number) => number; top: number },
): Markup | null {
  const steps = rows.flatMap((row, at) =>
    phasesOf(row)
      .filter((phase) => phase.kind === kind)
      .map(({ fromMs, toMs }) => {
        const [from, to] = [fromMs, toMs].map((ms) => Math.round(10 * x(ms)) / 10)
        return `M${from} ${middle(top, at)}H${Math.max(to!, from! + 0.5)}`
      }),
  )
  const { color, opacity } = PHASES[kind]
  return stroke(steps.join(''), color, opacity)
}

function middle(top: number, at: number): number {
  return round(top + (at + 0.5) * ROW_PX)
}

function stroke(path: string, color: Color, opacity: number): Markup | null {
  if (path === '') return null
  return html`<path
    d="${path}"
    fill="none"
    stroke="${ink(color)}"
    stroke-opacity="${opacity}"
    stroke-width="${ROW_PX - 0.6}"
  />`
}

const SLOWEST_SHOWN = 20

function slowestTable(rows: readonly ExecutionRow[]): Table {
  const slowest = rows.toSorted((a, b) => b.totalMs - a.totalMs).slice(0, SLOWEST_SHOWN)
  return pageTable(
    [
      { title: 'slowest executions', kind: 'code' },
      ...columnsOf(['outcome'], ['intended at', 'started after', 'known after', 'polls'], []),
    ],
    slowest.map((row) => [
      exampleName(row),
      row.outcome,
      formatMs(row.intendedMs),
      formatOptionalMs(row.ledger?.startedMs),
      formatMs(row.totalMs),
      formatCount(row.polls),
    ]),
  )
}
