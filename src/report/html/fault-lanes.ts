/** The fake crew's faults over time: lanes with their names, the shades that they cast, and their table. */
import type { ResultDocument } from '../../analysis/document.ts'
import type { FaultResult } from '../../analysis/weather.ts'
import { formatCount, formatMs, NOTHING, plainText, plural } from '../format.ts'
import type { Lane } from './lanes.ts'
import { shortened } from './lanes.ts'
import { textWidth } from './labels.ts'
import { html } from './markup.ts'
import type { Markup } from './markup.ts'
import { ink } from './palette.ts'
import { bar, round } from './plot.ts'
import type { Rect, Scale } from './plot.ts'
import { table } from './table.ts'

const MOST_LANES = 7
/** Those with a schedule shade the picture: more would leave nothing light. */
const MOST_SHADES = 4
const NAME_LIMIT = 40

type Faults = readonly FaultResult[]

/** Those with a schedule first, in the order of what they touched. */
function ordered(faults: Faults): Faults {
  return [...faults.filter(({ always }) => !always), ...faults.filter(({ always }) => always)]
}

/** `rebinned` gives the counts of the picture's columns. */
export function faultLanes(
  { faults }: ResultDocument,
  rebinned: (counts: readonly number[]) => number[],
): Lane[] {
  const lanes = ordered(faults ?? []).map((fault) => ({
    label: `${plainText(fault.name, NAME_LIMIT)}: ${faultWords(fault)}`,
    bands: fault.bands,
    counts: rebinned(fault.counts),
  }))
  return shortened(lanes, MOST_LANES, (others) => {
    const touched = others.reduce((sum, { counts }) => sum + total(counts), 0)
    return `${plural(others.length, 'more fault')}: touched ${plural(touched, 'answer')}`
  })
}

/** `on 3 times, touched 61 answers`; `happened twice`. */
export function faultWords({ always, kind, times, touched }: FaultResult): string {
  const answers = touched.inputs + touched.kickoff + touched.status
  const touching = `touched ${plural(answers, 'answer')}`
  if (always) return touching
  const often = times === 1 ? 'once' : times === 2 ? 'twice' : `${formatCount(times)} times`
  if (kind === 'restart') return `happened ${often}`
  return kind === 'refuse' ? `on ${often}` : `on ${often}, ${touching}`
}

/** From top to bottom of the frame, each fault named once above, where there is room for it. */
export function drawShades({ faults }: ResultDocument, x: Scale, frame: Rect): Markup {
  const shading = shadingOf(faults ?? [])
  const spans = shading
    .flatMap(({ name, bands }) =>
      bands.map((band) => ({ name: plainText(name, NAME_LIMIT), band })),
    )
    .sort((a, b) => a.band.fromMs - b.band.fromMs)
  const named = new Set<string>()
  let free = frame.left
  return html`${spans.map(({ name, band }) => {
    const left = x(band.fromMs)
    const right = Math.min(frame.right, x(band.toMs))
    const from = Math.min(left, frame.right - textWidth(name))
    const fits = from >= free && !named.has(name)
    if (fits) named.add(name)
    if (fits) free = from + textWidth(name) + 12
    return html`${drawShade({ ...frame, left, right }, name)}${fits ? html`<text class="quiet" x="${round(from)}" y="${frame.top - 8}">${name}</text>` : null}`
  })}`
}

export function shadingOf(faults: Faults): Faults {
  return faults.filter(({ bands }) => bands.length > 0).slice(0, MOST_SHADES)
}

/** A moment is a dashed line. */
function drawShade(rect: Rect, name: string): Markup {
  if (rect.right - rect.left >= 1) return bar(rect, 'grey', { opacity: 0.18, tip: name })
  return html`<path
    d="M${round(rect.left)} ${rect.top}V${rect.bottom}"
    stroke="${ink('grey')}"
    stroke-dasharray="2 3"
    data-tip="${name}"
  />`
}

/** `; faults touched 61 answers`; empty without any. */
export function faultsFinding({ faults }: ResultDocument): string {
  const answers = (faults ?? []).reduce(
    (sum, { touched }) => sum + touched.inputs + touched.kickoff + touched.status,
    0,
  )
  return answers === 0 ? '' : `; faults of the crew touched ${plural(answers, 'answer')}`
}

/** `Faults: outage on twice, touched 61 answers; ...`; empty without any. */
export function faultsAlternative({ faults }: ResultDocument): string {
  const words = ordered(faults ?? []).map(
    (fault) => `${plainText(fault.name, NAME_LIMIT)} ${faultWords(fault)}`,
  )
  return words.length === 0 ? '' : ` Faults: ${words.join('; ')}.`
}

export function faultTable({ faults }: ResultDocument): Markup | null {
  if (faults === null || faults.length === 0) return null
  return table(
    [
      { title: 'fault of the crew' },
      { title: 'kind' },
      { title: 'on' },
      { title: 'kickoff answers touched', kind: 'number' },
      { title: 'status answers touched', kind: 'number' },
    ],
    ordered(faults).map((fault) => [
      plainText(fault.name),
      plainText(fault.kind),
      timesText(fault),
      formatCount(fault.touched.kickoff),
      formatCount(fault.touched.status),
    ]),
  )
}

const BANDS_WRITTEN = 4

function timesText({ always, bands, times }: FaultResult): string {
  if (always) return 'all the time'
  if (bands.length === 0) return NOTHING
  const written = bands
    .slice(0, BANDS_WRITTEN)
    .map(({ fromMs, toMs }) =>
      toMs > fromMs ? `${formatMs(fromMs)} to ${formatMs(toMs)}` : `at ${formatMs(fromMs)}`,
    )
  const more = times - written.length
  return [...written, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join('; ')
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
