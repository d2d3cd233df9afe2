/** The table of ten searches over HTTP in bench/results/capacity.md. */
import type { CapacityDocument } from '../../../src/study/capacity/document.ts'
import type { HttpCrew } from './crews.ts'

export interface HttpRow {
  crew: HttpCrew
  /** The true capacity, in kickoffs per hour. */
  truth: number
  document: CapacityDocument
}

const PLACES: Record<HttpCrew['place'], string> = {
  queue: 'queue',
  'limited queue': 'queue of limited length',
  'cold start': 'cold start',
  limiter: 'limiter in front',
  k6: 'queue; k6 as engine',
  'not ours': 'not ours: a server with a semaphore',
}

export function pageOf(rows: readonly HttpRow[]): string {
  return [
    '| crew | workers | found | true capacity | found, with 98 % interval | off by | kickoffs | took |',
    '| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |',
    ...rows.map(lineOf),
    '',
  ].join('\n')
}

function lineOf({ crew, truth, document }: HttpRow): string {
  const { capacity, verdict, model, kickoffs, durationMs } = document
  const isLimited = crew.place === 'limiter'
  const found =
    capacity === null
      ? `${verdict.outcome}: ${verdict.reasons.map(({ code }) => code).join(', ')}`
      : `${round(capacity.perHour)} (${round(capacity.low)} to ` +
        `${round(capacity.high)})${capacity.resolved ? '' : `, ${verdict.outcome}`}`
  const cells = [
    `${PLACES[crew.place]}, ${crew.shape}`,
    crew.slots,
    model === null ? '–' : model.slots.value,
    isLimited ? 'not of the crew alone' : round(truth),
    found,
    capacity === null ? '–' : signed(capacity.perHour / truth - 1),
    kickoffs,
    `${Math.round(durationMs / 1_000)} s`,
  ]
  return `| ${cells.join(' | ')} |`
}

function round(perHour: number): string {
  return Math.round(perHour).toLocaleString('en')
}

function signed(share: number): string {
  return `${share >= 0 ? '+' : '−'}${Math.abs(100 * share).toFixed(1)} %`
}
