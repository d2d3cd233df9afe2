/** The tables of `bench/results/performance.md`. */
import { median } from '../../support/median.ts'

export const PACES = [100, 1_000, 10_000] as const
export const HELD = [1_000, 10_000, 100_000] as const

interface Paced {
  rate: number
  /** The user and system time per request, in microseconds. */
  microsOfCpu: number
  /** The share of the wanted requests that were sent. */
  kept: number
  latenessP99Ms: number | null
}

interface Held {
  size: number
  /** The memory per execution, user or connection, in bytes. */
  bytes: number
  latenessP99Ms: number | null
}

/** The measurements of one program; those that it cannot do are missing. */
export interface Measured {
  name: string
  does: string
  perCpuSecond: number[]
  paced: Paced[]
  held: Held[]
}

/** A pace counts as kept when at least this share of the requests was sent. */
const KEPT = 0.95

export function pageOf(all: readonly Measured[], rounds: number): string {
  const costs = table(
    ['program', 'flat out', ...PACES.map(paceTitle)],
    all.map(({ name, perCpuSecond, paced }) => [
      name,
      perCpuSecond.length === 0 ? '–' : whole(median(perCpuSecond)),
      ...PACES.map((rate) => pacedCell(paced.filter((each) => each.rate === rate))),
    ]),
  )
  const holding = all.filter(({ held }) => held.length > 0)
  const memory = table(
    ['program', ...HELD.map((size) => `one of ${size.toLocaleString('en')} held`)],
    holding.map(({ name, held }) => [name].concat(HELD.map((size) => heldCell(held, size)))),
  )
  const each = all.map(({ name, does }) => `- ${name}: ${does}.`).join('\n')
  const tables = holding.length === 0 ? [costs] : [costs, memory]
  return [`${rounds} rounds, medians, whole programs.`, each, ...tables].join('\n\n')
}

function paceTitle(rate: number): string {
  return `us a request at ${rate.toLocaleString('en')}/s`
}

function pacedCell(rounds: readonly Paced[]): string {
  if (rounds.length === 0) return '–'
  const kept = median(rounds.map((round) => round.kept))
  const micros = whole(median(rounds.map(({ microsOfCpu }) => microsOfCpu)))
  return [kept < KEPT ? `${micros} (sent ${percent(kept)})` : micros, latenessOf(rounds)].join('')
}

function latenessOf(rounds: readonly { latenessP99Ms: number | null }[]): string {
  const known = rounds.flatMap(({ latenessP99Ms }) => latenessP99Ms ?? [])
  return known.length === 0 ? '' : `, late ${median(known).toFixed(1)} ms`
}

function heldCell(held: readonly Held[], size: number): string {
  const found = held.filter((each) => each.size === size)
  const [one] = found
  return one === undefined ? '–' : `${(one.bytes / 1_000).toFixed(1)} kB${latenessOf(found)}`
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n')
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
