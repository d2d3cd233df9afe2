/** The page of the laboratory: sliders, and what they do to the people who wait. */
import {
  formatCount,
  formatMs,
  formatShare,
  NOTHING,
  formatRough,
  toDigits,
  withDecimals,
} from '../base/numbers.ts'
import type {
  LabAnswer,
  LabNumbers,
  LabOrder,
  LabSettings,
  LabProfile,
} from '../run/lab/settings.ts'
import { labProfile, labScenario } from '../run/lab/settings.ts'
import { el } from './explorer/dom.ts'
import { inflated } from './inflated.ts'

interface Slider {
  name: keyof LabSettings
  label: string
  least: number
  most: number
  /** Steps of equal ratio; default: of equal size. */
  isLog?: boolean
  step: number
  words: (value: number) => string
}

const perMinute = (value: number): string => `${formatCount(value)} a minute`
const inSeconds = (value: number): string => formatMs(value * 1_000)
const limit = (value: number): string => (value === 0 ? 'none' : perMinute(value))

const SLIDERS: readonly Slider[] = [
  {
    name: 'perMinute',
    label: 'arrivals',
    least: 0.5,
    most: 200,
    isLog: true,
    step: 0.1,
    words: perMinute,
  },
  {
    name: 'minutes',
    label: 'for',
    least: 10,
    most: 240,
    step: 10,
    words: (value) => `${value} min`,
  },
  { name: 'workers', label: 'workers', least: 1, most: 200, isLog: true, step: 1, words: String },
  {
    name: 'taskTimes',
    label: 'task times',
    least: 0.2,
    most: 5,
    isLog: true,
    step: 0.05,
    words: (value) => `× ${value}`,
  },
  {
    name: 'failed',
    label: 'executions that fail',
    least: 0,
    most: 0.5,
    step: 0.01,
    words: formatShare,
  },
  { name: 'kickoffLimit', label: 'limit of kickoffs', least: 0, most: 120, step: 1, words: limit },
  { name: 'statusLimit', label: 'limit of polls', least: 0, most: 1_200, step: 10, words: limit },
  {
    name: 'firstPoll',
    label: 'first poll after',
    least: 0.5,
    most: 60,
    isLog: true,
    step: 0.5,
    words: inSeconds,
  },
  {
    name: 'pollFactor',
    label: 'each wait longer by',
    least: 1,
    most: 3,
    step: 0.1,
    words: (value) => `× ${value}`,
  },
  {
    name: 'longestPoll',
    label: 'longest wait',
    least: 1,
    most: 120,
    isLog: true,
    step: 0.5,
    words: inSeconds,
  },
  {
    name: 'deadline',
    label: 'deadline',
    least: 60,
    most: 7_200,
    isLog: true,
    step: 30,
    words: inSeconds,
  },
  {
    name: 'price',
    label: 'price of a kickoff',
    least: 0,
    most: 2,
    step: 0.01,
    words: (value) => withDecimals(value, 2),
  },
  { name: 'seed', label: 'seed', least: 0, most: 100, step: 1, words: String },
]

const DEBOUNCE_MS = 120
const SLOW_MS = 3_000
/** Positions of a slider of equal ratios. */
const POSITIONS = 200

class Lab {
  readonly #written: LabProfile
  readonly #workerUrl: string
  readonly #verdict = el('h2', { className: 'verdict' })
  readonly #numbers = el('dl', { className: 'facts' })
  readonly #status = el('p', { className: 'muted wide' })
  readonly #figures = el('div', { className: 'figures' })
  readonly #start: LabSettings
  #settings: LabSettings
  #worker: Worker | null = null
  #isBusy = false
  #beganMs = 0
  #timer = 0
  #slow = 0

  constructor(main: Element, start: { written: LabProfile; settings: LabSettings }, code: string) {
    this.#written = start.written
    this.#start = start.settings
    this.#settings = { ...start.settings, ...changesIn(location.hash) }
    this.#workerUrl = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
    this.#status.setAttribute('role', 'status')
    main.append(
      this.#sliders(),
      this.#verdict,
      this.#numbers,
      this.#status,
      this.#downloads(),
      this.#figures,
    )
    this.#run()
  }

  #sliders(): HTMLElement {
    const form = el('form', { className: 'choose sliders' })
    for (const slider of SLIDERS) {
      const words = el('output')
      const field = el('input', { type: 'range', name: slider.name, ...rangeOf(slider) })
      const show = (): void => {
        const value = this.#settings[slider.name]
        words.textContent = value === null ? 'as the profile says' : slider.words(value)
      }
      field.value = String(positionOf(slider, this.#settings[slider.name] ?? slider.least))
      field.addEventListener('input', () => {
        this.#settings = { ...this.#settings, [slider.name]: valueAt(slider, field.valueAsNumber) }
        show()
        this.#changed()
      })
      show()
      form.append(el('label', {}, slider.label, field, words))
    }
    return form
  }

  #changed(): void {
    history.replaceState(null, '', `#${fragmentOf(this.#settings, this.#start)}`)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#run(), DEBOUNCE_MS)
  }

  /** A run that is under way is dropped: its sliders have moved on. */
  #run(): void {
    if (this.#isBusy) {
      this.#worker?.terminate()
      this.#worker = null
    }
    this.#worker ??= this.#newWorker()
    this.#beganMs = performance.now()
    this.#isBusy = true
    document.body.dataset['lab'] = 'busy'
    clearTimeout(this.#slow)
    this.#slow = setTimeout(() => {
      this.#status.textContent =
        'Still computing. Fewer arrivals, a shorter time or fewer polls take less.'
    }, SLOW_MS)
    const order: LabOrder = { settings: this.#settings, written: this.#written }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    this.#worker.postMessage(order)
  }

  #newWorker(): Worker {
    const worker = new Worker(this.#workerUrl)
    worker.addEventListener('message', ({ data }: MessageEvent<LabAnswer>) => this.#show(data))
    worker.addEventListener('error', ({ message }) =>
      this.#show({ kind: 'mistakes', mistakes: [message] }),
    )
    return worker
  }

  #show(answer: LabAnswer): void {
    this.#isBusy = false
    clearTimeout(this.#slow)
    document.body.dataset['lab'] = answer.kind
    if (answer.kind === 'mistakes') {
      this.#status.textContent = answer.mistakes.join('; ')
      return
    }
    const { numbers, verdict, page } = answer
    this.#verdict.textContent = verdict
    this.#numbers.replaceChildren(
      ...pairs(numbers, this.#settings).map(([name, value]) =>
        el('div', {}, el('dt', {}, name), el('dd', {}, value)),
      ),
    )
    const arrivals = `${formatCount(numbers.arrivals)} arrivals`
    this.#status.textContent = `${arrivals}, computed in ${formatMs(performance.now() - this.#beganMs)}.`
    // Markup that the report's own templates made: they escape every text.
    this.#figures.innerHTML = page
  }

  #downloads(): HTMLElement {
    return el(
      'p',
      { className: 'wide' },
      'Save ',
      saved('lab.scenario.json', () => labScenario(this.#settings, this.#written)),
      ' and ',
      saved('lab.profile.yaml', () => labProfile(this.#written, this.#settings)),
      ': crewload run lab.scenario.json --engine virtual --profile ./lab.profile.yaml',
    )
  }
}

/** A link that saves the value of that moment. */
function saved(name: string, value: () => unknown): HTMLElement {
  const anchor = el('a', { download: name, textContent: name, href: '#' })
  anchor.addEventListener('click', () => {
    const text = `${JSON.stringify(value(), null, 2)}\n`
    anchor.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  })
  return anchor
}

const wait = (ms: number | null): string => (ms === null ? 'never' : formatMs(ms))

function pairs(numbers: LabNumbers, { price }: LabSettings): [name: string, value: string][] {
  const { p50, p95, arrivals, completed, failed, unserved, backlog, polls, refused } = numbers
  return [
    ['half of the users wait at most', wait(p50)],
    ['95 % of them at most', wait(p95)],
    ['completed', `${formatCount(completed)} of ${formatCount(arrivals)}`],
    ['failed', formatCount(failed)],
    ['not served', formatCount(unserved)],
    ['in flight at most', formatCount(backlog)],
    ['polls per execution', polls === null ? NOTHING : formatCount(polls)],
    ['refused requests', formatCount(refused)],
    ['cost', formatRough(numbers.kickoffs * price)],
  ]
}

function rangeOf({ least, most, isLog, step }: Slider): Partial<HTMLInputElement> {
  return isLog === true
    ? { min: '0', max: String(POSITIONS), step: '1' }
    : { min: String(least), max: String(most), step: String(step) }
}

function positionOf({ least, most, isLog }: Slider, value: number): number {
  if (isLog !== true) return value
  return Math.round((POSITIONS * Math.log(value / least)) / Math.log(most / least))
}

function valueAt({ least, most, isLog, step }: Slider, position: number): number {
  const value = isLog === true ? least * (most / least) ** (position / POSITIONS) : position
  const rounded = Math.max(least, Math.round(value / step) * step)
  return toDigits(rounded, 6)
}

/** What differs from the start. */
function fragmentOf(settings: LabSettings, start: LabSettings): string {
  const words = new URLSearchParams()
  for (const { name } of SLIDERS) {
    if (settings[name] !== start[name]) words.set(name, String(settings[name]))
  }
  return words.toString()
}

/** Only what a slider can set. */
function changesIn(fragment: string): Partial<LabSettings> {
  const words = new URLSearchParams(fragment.replace(/^#/, ''))
  return Object.fromEntries(
    SLIDERS.flatMap(({ name, least, most }): [string, number][] => {
      const value = Number(words.get(name) ?? Number.NaN)
      return value >= least && value <= most ? [[name, value]] : []
    }),
  )
}

const main = document.querySelector('#lab')
const start = document.querySelector('#lab-start')?.textContent ?? ''
const code = document.querySelector('#lab-worker')?.textContent ?? ''
if (main !== null) {
  void inflated(code).then((script) => {
    const from = JSON.parse(start) as { written: LabProfile; settings: LabSettings }
    return new Lab(main, from, script)
  })
}
