/** What the pages of `crewload ui` do by script: follow the server, filter, compare and stop. */
import { unpacked } from '../report/run/sections/executions/pack.ts'
import type { PackedExecutions } from '../report/run/sections/executions/pack.ts'
import type { ViewState } from '../ui/pages/shell.ts'
import { el } from './explorer/dom.ts'
import type { Explorer } from './explorer/explorer.ts'
import { createExplorer } from './explorer/explorer.ts'
import { inflated } from './inflated.ts'

const one = (selector: string): HTMLElement | null => document.querySelector(selector)

const all = (selector: string): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>(selector),
]

/** The field of the form above the list. */
const chosenBy = (name: string): HTMLSelectElement | HTMLInputElement =>
  document.querySelector<HTMLSelectElement | HTMLInputElement>(`#choose [name=${name}]`)!

function follow(address: string, take: (changed: ViewState) => void): void {
  const source = new EventSource(address)
  const connection = one('#connection')!
  source.addEventListener('open', () => (connection.hidden = true))
  source.addEventListener('error', () => (connection.hidden = false))
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    take(JSON.parse(data) as ViewState)
  })
}

/** The server made the markup, and escaped in it what others said. */
function replace(place: HTMLElement, markup: string): void {
  const open = new Set([...place.querySelectorAll('details[open]')].map(nameOf))
  place.innerHTML = markup
  for (const details of place.querySelectorAll('details')) {
    if (open.has(nameOf(details))) details.open = true
  }
}

function nameOf(details: Element): string {
  return details.querySelector('summary')?.textContent ?? ''
}

const FILTERS = ['scenario', 'target', 'verdict'] as const

function watchRuns(): void {
  const entries = one('#entries')!
  const sides = new Map<string, string>()
  const refresh = (): void => {
    fillFilters()
    filter()
    for (const field of document.querySelectorAll<HTMLSelectElement>('select[data-run]')) {
      field.value = sides.get(field.dataset['run']!) ?? ''
    }
    const chosen = new Set(sides.values())
    const isReady = chosen.has('before') && chosen.has('after')
    document.querySelector<HTMLButtonElement>('#compare')!.disabled = !isReady
  }
  entries.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) return
    if (target.value === '') sides.delete(target.dataset['run']!)
    else sides.set(target.dataset['run']!, target.value)
    refresh()
  })
  one('#choose')!.addEventListener('input', filter)
  one('#compare')!.addEventListener('click', () => {
    location.href = `compare?${new URLSearchParams([...sides].map(([id, side]) => [side, id]))}`
  })
  refresh()
  follow('events/runs', (changed) => {
    // A list that is open would close under the hand.
    if (changed['entries'] === undefined || entries.contains(document.activeElement)) return
    replace(entries, changed['entries'])
    refresh()
  })
}

function fillFilters(): void {
  for (const name of FILTERS) {
    const field = chosenBy(name)
    const values = new Set(all('#entries tr[data-text]').map((row) => row.dataset[name] ?? ''))
    const known = new Set([...field.querySelectorAll('option')].map(({ value }) => value))
    for (const value of values) if (!known.has(value)) field.append(el('option', { value }, value))
  }
}

function filter(): void {
  const words = chosenBy('text').value.toLowerCase().split(' ')
  const rows = all('#entries tr[data-text]')
  for (const row of rows) {
    const isChosen = FILTERS.every((name) => {
      const { value } = chosenBy(name)
      return value === '' || row.dataset[name] === value
    })
    row.hidden = !isChosen || !words.every((word) => row.dataset['text']!.includes(word))
  }
  for (const section of all('#entries section')) {
    section.hidden = section.querySelector('tr[data-text]:not([hidden])') === null
  }
  const shown = rows.filter((row) => !row.hidden).length
  one('#shown')!.textContent = `${shown} of ${rows.length}`
}

function watchLive(): void {
  const control = one('.control')
  const id = control?.dataset['id']
  if (control !== null && id !== undefined) offerStops(control, id)
  let executions: LiveExecutions | null = null
  follow(`events/live${location.search}`, (changed) => {
    const { go, over, stoppable, executions: deflated, ...parts } = changed
    if (go !== undefined || over !== undefined) location.replace((go ?? over)!)
    for (const [place, markup] of Object.entries(parts)) {
      const element = one(`#${place}`)
      if (element !== null) replace(element, markup)
    }
    if (control !== null && stoppable !== undefined) control.hidden = stoppable === ''
    if (deflated === undefined) return
    executions ??= new LiveExecutions(one('#executions')!)
    void executions.show(deflated)
  })
}

/** A study has one run after another, each with executions of its own. */
class LiveExecutions {
  readonly #place: HTMLElement
  #explorer: Explorer | null = null
  #runId: string | null = null

  constructor(place: HTMLElement) {
    this.#place = place
  }

  async show(deflated: string): Promise<void> {
    if (!('DecompressionStream' in globalThis)) return
    const packed = JSON.parse(await inflated(deflated)) as PackedExecutions
    const data = { ...packed, rows: unpacked(packed) }
    if (this.#explorer === null || this.#runId !== packed.runId) {
      this.#explorer = createExplorer(data)
      this.#runId = packed.runId
      this.#place.replaceChildren(this.#explorer.element)
    }
    this.#explorer.update(data)
  }
}

/** Asks before it does what cannot be taken back. */
function offerStops(control: HTMLElement, id: string): void {
  for (const button of control.querySelectorAll<HTMLButtonElement>('[data-how]')) {
    const how = button.dataset['how']!
    const dialog = document.querySelector<HTMLDialogElement>(`#ask-${how}`)!
    button.addEventListener('click', () => dialog.showModal())
    dialog.querySelector('[data-no]')!.addEventListener('click', () => dialog.close())
    dialog.querySelector('[data-yes]')!.addEventListener('click', () => {
      dialog.close()
      void askTo(how, id)
    })
  }
}

const DONE: Readonly<Record<string, string>> = {
  drain: 'It drains: no new kickoffs; executions in flight run to their ends.',
  now: 'It stops now.',
}

async function askTo(how: string, id: string): Promise<void> {
  const answer = one('#answer')!
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ id, how })
  const { isDone, trouble } = await fetch('stop', { method: 'POST', headers, body })
    .then(async (reply) => (await reply.json()) as { isDone: boolean; trouble: string | null })
    .catch(() => ({ isDone: false, trouble: null }))
  const why = trouble ?? 'it may have ended'
  answer.textContent = isDone ? (DONE[how] ?? '') : `It could not be stopped: ${why}.`
}

if (one('main')!.dataset['page'] === 'runs') watchRuns()
else watchLive()
