/** The fields by which a reader chooses executions. */
import { counted } from '../../base/collections/counts.ts'
import type { ExecutionRow } from '../../result/execution-row.ts'
import { el, labelled } from './dom.ts'
import { laneOf } from './raster.ts'
import { BAD, EVERYTHING, numberIn } from './view.ts'
import type { View } from './view.ts'

const NUMBERS = ['least', 'most', 'from', 'to'] as const

type ChangeView = (change: Partial<View>) => void

export class Controls {
  readonly element = el('form', { className: 'choose' })
  readonly #order = el('select', { name: 'order' })
  readonly #outcome = el('select', { name: 'outcome' })
  readonly #tag = el('select', { name: 'tag' })
  readonly #task = el('select', { name: 'task' })
  readonly #numbers: Readonly<Record<(typeof NUMBERS)[number], HTMLInputElement>>
  readonly #tagLabel = labelled('tag', this.#tag)
  readonly #taskLabel = labelled('failed in task', this.#task)

  constructor(change: ChangeView) {
    this.#numbers = {
      least: fieldOf('least'),
      most: fieldOf('most'),
      from: fieldOf('from'),
      to: fieldOf('to'),
    }
    const { least, most, from, to } = this.#numbers
    const clear = el('button', { type: 'button', className: 'copy', textContent: 'Show all' })
    this.element.append(
      labelled('sort by', this.#order),
      labelled('outcome', this.#outcome),
      this.#tagLabel,
      this.#taskLabel,
      labelled('took at least (s)', least),
      labelled('at most (s)', most),
      labelled('from (s)', from),
      labelled('to (s)', to),
      clear,
    )
    this.element.addEventListener('submit', (event) => event.preventDefault())
    this.element.addEventListener('input', () => change(this.#chosen()))
    clear.addEventListener('click', () => {
      const { order: _order, execution: _execution, ...filters } = EVERYTHING
      change(filters)
    })
  }

  /** What can be chosen, by `rows`; and what is, by `view`. */
  show(rows: readonly ExecutionRow[], view: View): void {
    const outcomes = choicesOf(rows.map(({ outcome }) => outcome))
    const tags = choicesOf(rows.flatMap((row) => row.tags))
    const tasks = choicesOf(rows.flatMap(({ failedIn }) => failedIn ?? []))
    const hasLanes = rows.some((row) => laneOf(row) !== null)
    fill(this.#order, view.order, [
      ['duration', 'duration'],
      ['start', 'start'],
      ...(hasLanes ? [['worker', 'worker (lanes)'] as [string, string]] : []),
    ])
    const isMixed = outcomes.length > 1 && outcomes.some(([value]) => value === 'completed')
    const bad: [string, string][] = isMixed ? [[BAD, BAD]] : []
    fill(this.#outcome, view.outcome, [['', 'all'], ...bad, ...outcomes])
    fill(this.#tag, view.tag, [['', 'all'], ...tags])
    fill(this.#task, view.task, [['', 'all'], ...tasks])
    this.#tagLabel.hidden = tags.length === 0
    this.#taskLabel.hidden = tasks.length === 0
    for (const name of NUMBERS) {
      const [ms, field] = [view[name], this.#numbers[name]]
      // What is being typed stays as it is.
      if (document.activeElement !== field) field.value = ms === null ? '' : String(ms / 1_000)
    }
  }

  #chosen(): Partial<View> {
    const { least, most, from, to } = this.#numbers
    return {
      order: this.#order.value as View['order'],
      outcome: this.#outcome.value,
      tag: this.#tag.value,
      task: this.#task.value,
      least: msIn(least),
      most: msIn(most),
      from: msIn(from),
      to: msIn(to),
    }
  }
}

/** For seconds. */
function fieldOf(name: string): HTMLInputElement {
  return el('input', { name, type: 'number', min: '0', step: 'any', placeholder: 'any' })
}

function msIn({ value }: HTMLInputElement): number | null {
  const seconds = numberIn(value)
  return seconds === null ? null : Math.round(seconds * 1_000)
}

/** The values at most that a field offers. */
const MOST_CHOICES = 300

/** Each value once, with how many executions have it. */
function choicesOf(values: readonly string[]): [value: string, words: string][] {
  return counted(values)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, MOST_CHOICES)
    .map(([value, count]) => [value, `${value} (${count})`])
}

/** A value that cannot be chosen here, from an address, stays chosen and matches nothing. */
function fill(
  select: HTMLSelectElement,
  value: string,
  options: readonly (readonly [value: string, words: string])[],
): void {
  const known = options.some(([each]) => each === value)
  const all = known ? options : [...options, [value, value] as const]
  select.replaceChildren(
    ...all.map(([each, words]) => el('option', { value: each, textContent: words })),
  )
  select.value = value
}
