/** The figures of a search for capacity. */
import type { Chart, ChartPoint, Mark, Line } from '../../../report/charts/chart.ts'
import { formatCount, formatMs, formatOptionalMs, plural } from '../../../report/frame/format.ts'
import { formatShare } from '../../../base/units.ts'
import { formatPerHour } from '../analyse/model/system.ts'
import type { CapacityDocument } from '../document.ts'
import type { Tick } from '../../../report/charts/ticks.ts'

/** The promised quantile over the rate, with its bound; null if there is nothing to show. */
export function curveChart(document: CapacityDocument): Chart | null {
  const { curve, curveOf, capacity } = document
  const known = curve.filter(({ value }) => value !== null)
  if (curveOf === null || known.length < 2) return null
  const { metric, boundMs } = curveOf
  const [first, last] = [known[0]!, known.at(-1)!]
  const points = known.map(({ perHour, value, low, high }): Mark => ({
    x: perHour,
    y: value ?? 0,
    low,
    high,
    tip: `${formatPerHour(perHour)} per hour: ${formatMs(value ?? 0)}`,
  }))
  return {
    id: 'curve',
    finding:
      capacity === null
        ? `${metric} by rate`
        : `${metric} reaches ${formatMs(boundMs)} at ${formatPerHour(capacity.perHour)} kickoffs ` +
          'per hour',
    caption:
      'Simulated with the learned model of the crew; whiskers are intervals of 98 % (one ' +
      'without an upper end continues). The dashed line is the bound, the shaded span the ' +
      'interval of the capacity.',
    x: { title: 'kickoffs per hour', kind: 'count' },
    panels: [
      {
        y: { title: metric, kind: 'duration' },
        height: { narrow: 220, wide: 280 },
        lines: [
          { name: metric, color: 'endToEnd', dash: '', unnamed: true, points },
          {
            name: 'bound',
            color: 'error',
            dash: '6 4',
            unnamed: true,
            points: [
              { x: first.perHour, y: boundMs },
              { x: last.perHour, y: boundMs },
            ],
          },
        ],
        points: [{ color: 'endToEnd', points }],
      },
    ],
    spans: capacity === null ? [] : [{ from: capacity.low, to: capacity.high, label: null }],
    table: {
      columns: ['kickoffs per hour', metric, 'from', 'to'],
      rows: curve.map(({ perHour, value, low, high }) => [
        formatPerHour(perHour),
        formatOptionalMs(value),
        formatOptionalMs(low),
        formatOptionalMs(high),
      ]),
    },
  }
}

/**
 * Says how the means differ. Chance can explain a difference of less than two standard errors, and
 * the sentence then says so.
 */
export function serviceFinding(full: Times, idle: Times, cv: number): string {
  const ratio = full.mean / idle.mean
  const chance = 2 * cv * Math.hypot(1 / Math.sqrt(full.n), 1 / Math.sqrt(idle.n))
  if (Math.abs(Math.log(ratio)) <= chance) {
    return 'Executions take about as long in a full crew as in a half-empty one; chance may explain the difference'
  }
  const size = formatShare(Math.abs(ratio - 1))
  return `Executions take ${size} ${ratio > 1 ? 'longer' : 'less'} while the crew is full`
}

interface Times {
  mean: number
  /** The number of executions. */
  n: number
}

/** Compares service times of the full crew with those of the half-empty crew. */
export function serviceChart({ model }: CapacityDocument): Chart | null {
  const whole = model?.service.find(({ task }) => task === null)
  if (whole === undefined || whole.idle === null) return null
  const shares = model?.serviceByShare ?? []
  const line = (of: 'full' | 'idle'): ChartPoint[] => {
    return shares.map((at) => ({ x: at.share, y: at[of], tip: formatMs(at[of]) }))
  }
  if (shares.length === 0) return null
  return {
    id: 'service',
    finding: serviceFinding(whole.full, whole.idle, model?.cv ?? 0),
    caption:
      'Service times by the share of executions that took no longer, while every worker is busy ' +
      'and while at most half of them are. The lines are of ' +
      `${formatCount(whole.full.n)} and ${formatCount(whole.idle.n)} executions.`,
    x: { title: 'share of executions', kind: 'share' },
    panels: [
      {
        y: { title: 'service time', kind: 'duration' },
        height: { narrow: 180, wide: 200 },
        names: 'above',
        lines: [
          { name: 'full', color: 'endToEnd', dash: '', points: line('full') },
          { name: 'half empty', color: 'service', dash: '6 4', points: line('idle') },
        ],
      },
    ],
    table: {
      columns: ['share', 'full', 'half empty'],
      rows: shares.map(({ share, full, idle }) => [
        formatShare(share),
        formatMs(full),
        formatMs(idle),
      ]),
    },
  }
}

/** Compares observed waits with predicted ones. */
export function waitsChart({ confirmation }: CapacityDocument): Chart | null {
  if (confirmation === null || confirmation.waits.length === 0) return null
  const { waits, parts } = confirmation
  const agrees = parts.every((part) => part.agrees)
  return {
    id: 'waits',
    finding: agrees ? 'Waits are as predicted' : 'Waits differ from the prediction',
    caption:
      'Waits for a worker by the share of executions that waited no longer. The line is the ' +
      'crew; grey points are the median of the replays in the simulation, and their whiskers ' +
      'hold 95 % of them.',
    x: { title: 'share of executions', kind: 'share' },
    panels: [
      {
        y: { title: 'wait', kind: 'duration' },
        height: { narrow: 200, wide: 240 },
        lines: [
          {
            name: 'observed',
            color: 'endToEnd',
            dash: '',
            unnamed: true,
            points: waits.map(({ share, observed }) => ({ x: share, y: observed })),
          },
        ],
        points: [
          {
            color: 'grey',
            points: waits.map(({ share, predicted, low, high }) => ({
              x: share,
              y: predicted,
              low,
              high,
              tip: `${formatShare(share)}: ${formatMs(predicted)} predicted`,
            })),
          },
        ],
      },
    ],
    table: {
      columns: ['share', 'observed', 'predicted', 'from', 'to'],
      rows: waits.map(({ share, observed, predicted, low, high }) => [
        formatShare(share),
        formatMs(observed),
        formatMs(predicted),
        formatMs(low),
        formatMs(high),
      ]),
    },
  }
}

interface LadderLevel {
  clients: number
  executions: number
  perHour: number
}

/**
 * Joins rungs with the same number of clients. A rung whose clients make a single execution each
 * ends with idle workers, and shows nothing about throughput.
 */
export function levelsOf(ladder: CapacityDocument['ladder']): LadderLevel[] {
  const rungs = ladder.filter(({ perHour, executions, clients }) => {
    return perHour > 0 && (executions > clients || clients === 1)
  })
  const counts = [...new Set(rungs.map(({ clients }) => clients))].toSorted((a, b) => a - b)
  return counts.map((clients) => {
    const same = rungs.filter((rung) => rung.clients === clients)
    const executions = same.reduce((sum, rung) => sum + rung.executions, 0)
    const hours = same.reduce((sum, rung) => sum + rung.executions / rung.perHour, 0)
    return { clients, executions, perHour: executions / hours }
  })
}

/** Throughput over clients, up to where more of them add nothing. */
export function ladderChart(document: CapacityDocument): Chart | null {
  const levels = levelsOf(document.ladder)
  const clients = levels.map((level) => level.clients)
  if (clients.length < 2) return null
  const points = levels.map(({ clients: x, perHour, executions }): Mark => ({
    x,
    y: perHour,
    low: null,
    high: null,
    tip:
      `${plural(x, 'client')}, ${plural(executions, 'execution')}: ${formatPerHour(perHour)} per ` +
      'hour',
  }))
  const slots = document.model?.slots.value ?? null
  const drawn = capsOf(document)
  const tooHigh = drawn.filter((cap) => isTooHigh(cap, drawn))
  const beyond = tooHigh.map(
    ({ name, words }) => ` ${upper(name)}: ${words} per hour, beyond the picture.`,
  )
  const shown = drawn.filter((cap) => !tooHigh.includes(cap))
  return {
    id: 'ladder',
    finding: finding(document),
    caption:
      'Executions that ended per hour, by the number of clients. Each starts its ' +
      `next execution when the last one ends. Points of few executions scatter.${beyond.join('')}`,
    x: { title: 'clients', kind: 'count', log: true, ticks: spacedTicks(clients) },
    panels: [
      {
        y: { title: 'ended per hour', kind: 'count' },
        height: { narrow: 200, wide: 240 },
        names: 'above',
        lines: [
          { name: 'ended per hour', color: 'endToEnd', dash: '', unnamed: true, points },
          ...shown.map((cap) => levelLine(cap, clients)),
        ],
        points: [{ color: 'endToEnd', points }],
      },
    ],
    moments: slots === null ? [] : [{ at: slots, label: plural(slots, 'worker'), color: 'grey' }],
    table: {
      columns: ['clients', 'executions', 'ended per hour'],
      rows: levels.map((level) => [
        formatCount(level.clients),
        formatCount(level.executions),
        formatPerHour(level.perHour),
      ]),
    },
  }
}

function finding(document: CapacityDocument): string {
  const { ladder, saturation, sharedPerHour, limit } = document
  const slots = document.model?.slots.value ?? null
  if (slots === null) {
    const running = Math.max(...ladder.map((rung) => rung.running))
    return `No execution waited for a worker, and at most ${formatCount(running)} ran at once`
  }
  const workers = plural(slots, 'worker')
  const own = workersPerHour(document)
  if (limit?.kind === 'shared' && sharedPerHour !== null && own !== null) {
    return (
      `What all executions share caps the crew at ${formatPerHour(sharedPerHour.value)} per hour; ` +
      `its ${workers} would allow ${aboutWords(own)}`
    )
  }
  const at = saturation === null ? '' : ` at ${formatPerHour(saturation.perHour)} per hour`
  return `${workers}: throughput levels off${at}`
}

interface Cap {
  name: string
  perHour: number
  words: string
  dash: string
}

/** What workers allow, and what is shared; the saturation where nothing else is known. */
function capsOf(document: CapacityDocument): Cap[] {
  const { saturation, sharedPerHour } = document
  const own = workersPerHour(document)
  if (sharedPerHour !== null && own !== null) {
    const shared = sharedPerHour.value
    return [
      { name: 'what the workers allow', perHour: own, words: aboutWords(own), dash: '6 4' },
      {
        name: 'what all executions share allows',
        perHour: shared,
        words: formatPerHour(shared),
        dash: '2 3',
      },
    ]
  }
  if (saturation === null) return []
  const { perHour } = saturation
  return [{ name: 'saturation', perHour, words: formatPerHour(perHour), dash: '6 4' }]
}

/** Of a rate without an interval. */
function aboutWords(perHour: number): string {
  return `about ${formatPerHour(Number(perHour.toPrecision(2)))}`
}

const MS_PER_HOUR = 3_600_000

/** Executions per hour with every worker busy, if each took as long as nearly alone. */
function workersPerHour({ model, limit }: CapacityDocument): number | null {
  const whole = model?.service.find(({ task }) => task === null)
  if (model === null || whole === undefined || limit === null) return null
  return (model.slots.value * MS_PER_HOUR * limit.slowdown.value) / whole.full.mean
}

/** A line much above everything else would flatten the picture. */
const FLATTENING = 3

function isTooHigh({ perHour }: Cap, caps: readonly Cap[]): boolean {
  return caps.some((other) => perHour > FLATTENING * other.perHour)
}

function levelLine({ name, perHour, words, dash }: Cap, clients: readonly number[]): Line {
  const points = [clients[0]!, clients.at(-1)!].map((x) => ({ x, y: perHour }))
  return { name: `${name}: ${words}`, color: 'grey', dash, points }
}

function upper(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** Ticks closer than this share of the axis would touch on a small screen. */
const CLOSEST = 1 / 8

/** Ticks at numbers of clients, from the first to the last, that do not touch. */
function spacedTicks(clients: readonly number[]): Tick[] {
  const [first, last] = [Math.log(clients[0]!), Math.log(clients.at(-1)!)]
  const gap = CLOSEST * (last - first)
  let before = -Infinity
  const chosen = clients.filter((value) => {
    const at = Math.log(value)
    const isLast = at === last
    if (!isLast && (at - before < gap || last - at < gap)) return false
    before = at
    return true
  })
  return chosen.map((value) => ({ value, label: formatCount(value) }))
}
