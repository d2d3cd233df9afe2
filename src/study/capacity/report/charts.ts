/** The figures of a search for capacity. */
import { capital } from '../../../base/text.ts'
import { byShareChart } from '../../../report/charts/by-share.ts'
import { sumBy } from '../../../result/statistics/moments.ts'
import type { Chart, ChartPoint, Line, Mark, Panel } from '../../../report/charts/chart.ts'
import type { Tick } from '../../../report/charts/ticks.ts'
import {
  formatCount,
  formatInterval,
  formatMs,
  formatOptionalMs,
  formatShare,
  plural,
  toDigits,
} from '../../../base/numbers.ts'
import { formatPerHour } from '../analyse/model/system.ts'
import type { CapacityDocument, Quantiles } from '../document.ts'

function unnamed(name: string, color: Line['color'], points: Line['points'], dash = ''): Line {
  return { name, color, dash, unnamed: true, points }
}

const MEASURED =
  ' The diamond was measured: the p95 of the time in the crew, at the rate of the confirmation.'

/** The confirming run knows one quantile alone. */
function measuredOf({ confirmation }: CapacityDocument, metric: string): Mark[] {
  const tail = confirmation?.parts.find(({ name }) => name === 'tail')
  if (confirmation == null || tail === undefined || metric !== 'execution.p95') return []
  const { perHour } = confirmation
  const { observed: y } = tail
  const tip = `${formatPerHour(perHour)} per hour, measured: ${formatMs(y)}`
  return [{ x: perHour, y, low: null, high: null, tip }]
}

/** The promised quantile over the rate, with its bound; null if there is nothing to show. */
export function curveChart(document: CapacityDocument): Chart | null {
  const { curve, curveOf, capacity } = document
  const known = curve.filter(({ value }) => value !== null)
  if (curveOf === null || known.length < 2) return null
  const { metric, boundMs } = curveOf
  const measured = measuredOf(document, metric)
  const points = known.map(({ perHour, value, low, high }): Mark => {
    const y = value ?? 0
    return { x: perHour, y, low, high, tip: `${formatPerHour(perHour)} per hour: ${formatMs(y)}` }
  })
  const bound = [points[0]!, points.at(-1)!].map(({ x }) => ({ x, y: boundMs }))
  return {
    id: 'curve',
    heading:
      capacity === null
        ? `${metric} by rate`
        : `${metric} reaches ${formatMs(boundMs)} at ${formatPerHour(capacity.perHour)} kickoffs ` +
          'per hour',
    caption:
      'Simulated with the learned model of the crew; whiskers are intervals of 98 % (one ' +
      'without an upper end continues). The dashed line is the bound, the shaded span the ' +
      `interval of the capacity.${measured.length === 0 ? '' : MEASURED}`,
    x: { title: 'kickoffs per hour', kind: 'count' },
    panels: [
      {
        y: { title: metric, kind: 'duration' },
        height: { narrow: 220, wide: 280 },
        lines: [unnamed(metric, 'endToEnd', points), unnamed('bound', 'error', bound, '6 4')],
        points: [
          { color: 'endToEnd', points },
          { color: 'response', shape: 'diamond', points: measured },
        ],
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
function serviceHeading(
  full: Pick<Quantiles, 'mean' | 'n'>,
  idle: Pick<Quantiles, 'mean' | 'n'>,
  cv: number,
): string {
  const ratio = full.mean / idle.mean
  const chance = 2 * cv * Math.hypot(1 / Math.sqrt(full.n), 1 / Math.sqrt(idle.n))
  if (Math.abs(Math.log(ratio)) <= chance) {
    return 'Executions take about as long in a full crew as in a half-empty one; chance may explain the difference'
  }
  const size = formatShare(Math.abs(ratio - 1))
  return `Executions take ${size} ${ratio > 1 ? 'longer' : 'less'} while the crew is full`
}

/** Compares service times of the full crew with those of the half-empty crew. */
export function serviceChart({ model }: CapacityDocument): Chart | null {
  const whole = model?.service.find(({ task }) => task === null)
  const shares = model?.serviceByShare ?? []
  if (whole === undefined || whole.idle === null || shares.length === 0) return null
  const points = (of: 'full' | 'idle'): ChartPoint[] => {
    return shares.map((at) => ({ x: at.share, y: at[of], tip: formatMs(at[of]) }))
  }
  return {
    id: 'service',
    heading: serviceHeading(whole.full, whole.idle, model?.cv ?? 0),
    caption:
      'Share of executions by service time, while every worker is busy and while at most half of ' +
      'them are. The lines are of ' +
      `${formatCount(whole.full.n)} and ${formatCount(whole.idle.n)} executions.`,
    x: { title: 'share of executions', kind: 'share' },
    panels: [
      {
        y: { title: 'service time', kind: 'duration' },
        height: { narrow: 180, wide: 200 },
        names: 'above',
        lines: [
          { name: 'full', color: 'endToEnd', dash: '', points: points('full') },
          { name: 'half empty', color: 'service', dash: '6 4', points: points('idle') },
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
  const { observed, low, high } = parts.find(({ name }) => name === 'tail') ?? parts[0]!
  const where = parts.every(({ agrees }) => agrees) ? 'within' : 'not all within'
  const heading =
    `Waits are ${where} the predicted range. The p95 of the time in the crew was ` +
    `${formatMs(observed)}; ${formatInterval({ low, high }, 'ms')} was predicted`
  const caption =
    'Waits for a worker by the share of executions that waited no longer. The line is the ' +
    'crew. Grey points are the median of the replays in the simulation; their whiskers hold ' +
    '95 % of them.'
  return byShareChart({ id: 'waits', heading, caption }, waits, {
    title: 'wait',
    names: ['observed', 'predicted'],
    color: 'grey',
  })
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
function levelsOf(ladder: CapacityDocument['ladder']): LadderLevel[] {
  const rungs = ladder.filter(({ perHour, executions, clients }) => {
    return perHour > 0 && (executions > clients || clients === 1)
  })
  const counts = [...new Set(rungs.map(({ clients }) => clients))].toSorted((a, b) => a - b)
  return counts.map((clients) => {
    const same = rungs.filter((rung) => rung.clients === clients)
    const executions = sumBy(same, (rung) => rung.executions)
    const hours = sumBy(same, (rung) => rung.executions / rung.perHour)
    return { clients, executions, perHour: executions / hours }
  })
}

/** Throughput over clients, up to where more of them add nothing, and what caps it. */
export function ladderChart(document: CapacityDocument): Chart | null {
  const levels = levelsOf(document.ladder)
  if (levels.length < 2) return null
  const slots = document.model?.slots.value ?? null
  const caps = capsOf(document)
  const tooHigh = caps.filter((cap) => isTooHigh(cap, caps))
  const beyond = tooHigh.map(
    ({ name, shown }) => ` ${capital(name)}: ${shown} per hour, beyond the picture.`,
  )
  const clients = levels.map((level) => level.clients)
  return {
    id: 'ladder',
    heading: ladderHeading(document),
    caption:
      'Executions that ended per hour, by the number of clients. Each starts its ' +
      `next execution when the last one ends. Points of few executions scatter.${beyond.join('')}`,
    x: { title: 'clients', kind: 'count', log: true, ticks: roundTicks(clients) },
    panels: [
      throughputPanel(
        levels,
        caps.filter((cap) => !tooHigh.includes(cap)),
      ),
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

function throughputPanel(levels: readonly LadderLevel[], caps: readonly Cap[]): Panel {
  const points = levels.map(({ clients: x, perHour: y, executions }): Mark => {
    const put = `${plural(x, 'client')}, ${plural(executions, 'execution')}`
    return { x, y, low: null, high: null, tip: `${put}: ${formatPerHour(y)} per hour` }
  })
  const ends = [points[0]!, points.at(-1)!]
  return {
    y: { title: 'ended per hour', kind: 'count' },
    height: { narrow: 200, wide: 240 },
    names: 'above',
    lines: [
      unnamed('ended per hour', 'endToEnd', points),
      ...caps.map(({ name, perHour: y, shown, dash }): Line => {
        const level = ends.map(({ x }) => ({ x, y }))
        return { name: `${name}: ${shown}`, color: 'grey', dash, points: level }
      }),
    ],
    points: [{ color: 'endToEnd', points }],
  }
}

function ladderHeading(document: CapacityDocument): string {
  const { ladder, saturation, sharedPerHour, limit, model } = document
  if (model === null) {
    const running = Math.max(...ladder.map((rung) => rung.running))
    return `No execution waited for a worker, and at most ${formatCount(running)} ran at once`
  }
  const workers = plural(model.slots.value, 'worker')
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
  shown: string
  dash: string
}

/** What workers allow, and what is shared; the saturation where nothing else is known. */
function capsOf(document: CapacityDocument): Cap[] {
  const { saturation, sharedPerHour } = document
  const own = workersPerHour(document)
  if (sharedPerHour !== null && own !== null) {
    return [
      { ...cap('what the workers allow', own, '6 4'), shown: aboutWords(own) },
      cap('what all executions share allows', sharedPerHour.value, '2 3'),
    ]
  }
  return saturation === null ? [] : [cap('saturation', saturation.perHour, '6 4')]
}

function cap(name: string, perHour: number, dash: string): Cap {
  return { name, perHour, shown: formatPerHour(perHour), dash }
}

/** Of a rate without an interval. */
function aboutWords(perHour: number): string {
  return `about ${formatPerHour(toDigits(perHour, 2))}`
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

/** 1, 2, 5, 10, ... from the fewest to the most clients. */
function roundTicks(clients: readonly number[]): Tick[] {
  const [least, most] = [clients[0]!, clients.at(-1)!]
  const decades = Array.from({ length: Math.ceil(Math.log10(most)) + 1 }, (_, power) => 10 ** power)
  const round = decades
    .flatMap((decade) => [decade, 2 * decade, 5 * decade])
    .filter((value) => value >= least && value <= most)
  return (round.length < 2 ? [least, most] : round).map((value) => ({
    value,
    label: formatCount(value),
  }))
}
