/** What a reader chose: filters, order, span of time and execution; as text in the address. */
import type { ExecutionRow } from '../../result/execution-row.ts'

type Order = 'start' | 'duration' | 'worker'

export interface View {
  order: Order
  /** Empty texts choose all. `ended badly` stands for all outcomes but `completed`. */
  outcome: string
  tag: string
  task: string
  /** Milliseconds of duration; null for no bound. */
  least: number | null
  most: number | null
  /** Milliseconds of the run's clock; null for all of it. */
  from: number | null
  to: number | null
  /** The index of the execution that is open; null for none. */
  execution: number | null
}

export const EVERYTHING: View = {
  order: 'duration',
  outcome: '',
  tag: '',
  task: '',
  least: null,
  most: null,
  from: null,
  to: null,
  execution: null,
}

export const BAD = 'not completed'

const NUMBERS = ['least', 'most', 'from', 'to', 'execution'] as const
const TEXTS = ['outcome', 'tag', 'task'] as const

/** `#execution=12&outcome=failed`; empty for the view that a page opens with. */
export function fragmentOf(view: View): string {
  const words = new URLSearchParams()
  for (const name of NUMBERS) if (view[name] !== null) words.set(name, String(view[name]))
  for (const name of TEXTS) if (view[name] !== '') words.set(name, view[name])
  if (view.order !== EVERYTHING.order) words.set('order', view.order)
  const text = words.toString()
  return text === '' ? '' : `#${text}`
}

/** Null for a fragment of something else. */
export function viewOf(fragment: string): View | null {
  const words = new URLSearchParams(fragment.replace(/^#/, ''))
  const known = new Set<string>([...NUMBERS, ...TEXTS, 'order'])
  if (![...words.keys()].some((name) => known.has(name))) return null
  const order = words.get('order')
  const view: View = { ...EVERYTHING, order: isOrder(order) ? order : EVERYTHING.order }
  for (const name of TEXTS) view[name] = words.get(name) ?? ''
  for (const name of NUMBERS) view[name] = numberIn(words.get(name))
  return view
}

function isOrder(text: string | null): text is Order {
  return text === 'start' || text === 'duration' || text === 'worker'
}

export function numberIn(text: string | null): number | null {
  const number = Number(text ?? '')
  return text === null || text.trim() === '' || !Number.isFinite(number) ? null : number
}

/** The rows that the view shows, in its order. */
export function chosen(rows: readonly ExecutionRow[], view: View): ExecutionRow[] {
  return rows.filter((row) => isChosen(row, view)).sort(ORDERS[view.order])
}

function isChosen(row: ExecutionRow, { outcome, tag, task, least, most, from, to }: View): boolean {
  if (outcome === BAD ? row.outcome === 'completed' : outcome !== '' && row.outcome !== outcome) {
    return false
  }
  return (
    (tag === '' || row.tags.includes(tag)) &&
    (task === '' || row.failedIn === task) &&
    row.totalMs >= (least ?? 0) &&
    row.totalMs <= (most ?? Infinity) &&
    row.intendedMs + row.totalMs >= (from ?? -Infinity) &&
    row.intendedMs <= (to ?? Infinity)
  )
}

type RowOrder = (a: ExecutionRow, b: ExecutionRow) => number

const byStart: RowOrder = (a, b) => a.intendedMs - b.intendedMs || a.index - b.index

const ORDERS: Record<Order, RowOrder> = {
  start: byStart,
  duration: (a, b) => b.totalMs - a.totalMs || a.index - b.index,
  worker: (a, b) => (a.ledger?.lane ?? Infinity) - (b.ledger?.lane ?? Infinity) || byStart(a, b),
}
