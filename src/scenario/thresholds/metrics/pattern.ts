/** Parses and lists the names of a pattern, such as `<operation>.error`. */
import { OUTCOMES } from '../../outcomes.ts'
import { OPERATIONS } from '../../../crew/answer.ts'
import type { Statistic } from './family.ts'

/** The fields of a reference, without its kind. */
type PatternFields = Record<string, unknown>

interface Slot {
  field: string
  /** Matches the word alone, without a capturing group. */
  word: string
  /** Returns undefined for text that matches but is not such a word. */
  read: (text: string) => unknown
  /** The words shown for it in a list of names. */
  shown: readonly string[]
}

/** The words shown for an open slot in lists of names. */
export interface ShownWords {
  statistics: readonly string[]
  operations: readonly string[]
}

const ALL: ShownWords = {
  statistics: ['p50', 'p90', 'p95', 'p99', 'p99.9', 'min', 'max', 'mean'],
  operations: OPERATIONS,
}

/** Returns a function that parses a name of the pattern; undefined for any other name. */
export function readerOf(pattern: string): (name: string) => PatternFields | undefined {
  const { texts, slots } = partsOf(pattern, ALL)
  const groups = slots.map(({ word }) => `(${word})`)
  const source = texts.map((text, at) => literal(text) + (groups[at] ?? '')).join('')
  const whole = new RegExp(`^${source}$`, 's')
  return (name) => {
    const match = whole.exec(name)
    if (match === null) return undefined
    const fields = slots.map(({ field, read }, at) => [field, read(match[at + 1] ?? '')] as const)
    return fields.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(fields)
  }
}

/** The names of a pattern; none when a slot accepts any text. */
export function namesIn(pattern: string, shown: ShownWords = ALL): string[] {
  const { texts, slots } = partsOf(pattern, shown)
  const [first = '', ...rest] = texts
  return rest.reduce<string[]>(
    (names, text, at) =>
      names.flatMap((name) => (slots[at]?.shown ?? []).map((word) => name + word + text)),
    [first],
  )
}

/** Splits `a.<b>.c` into the texts `a.`, `.c` and the slot between them. */
function partsOf(pattern: string, shown: ShownWords): { texts: string[]; slots: Slot[] } {
  const parts = pattern.split(/<([^<>]+)>/)
  return {
    texts: parts.filter((_, at) => at % 2 === 0),
    slots: parts.filter((_, at) => at % 2 === 1).map((slot) => slotOf(slot, shown)),
  }
}

function slotOf(slot: string, { statistics, operations }: ShownWords): Slot {
  switch (slot) {
    case 'operation':
      return words(slot, OPERATIONS, operations)
    case 'outcome':
      return words(slot, OUTCOMES)
    case 'statistic':
      return { field: slot, word: '[a-z0-9.]+', read: parseStatistic, shown: statistics }
    case 'name':
      return { field: slot, word: '.+', read: (text) => text, shown: [] }
    default:
      return words('which', slot.split('|'))
  }
}

function words(field: string, all: readonly string[], shown = all): Slot {
  return { field, word: all.map(literal).join('|'), read: (text) => text, shown }
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

function parseStatistic(text: string): Statistic | undefined {
  if (text === 'min' || text === 'max' || text === 'mean') return { kind: text }
  const percent = /^p(\d{1,2}(?:\.\d{1,6})?)$/.exec(text)?.[1]
  if (percent === undefined || Number(percent) === 0) return undefined
  return { kind: 'quantile', q: quantileOf(percent) }
}

/** `99.9` becomes 0.999 by moving the decimal point: 99.9 / 100 would be 0.9990000000000001. */
function quantileOf(percent: string): number {
  return Number(`${percent}e-2`)
}
