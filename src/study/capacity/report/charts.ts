/** The figures of a search for capacity. */
import type { Chart, ChartPoint, Mark } from '../../../report/charts/chart.ts'
import { formatCount, formatMs, formatOptionalMs } from '../../../report/frame/format.ts'
import { formatShare } from '../../../base/units.ts'
import { rateWords } from '../analyse/rate-words.ts'
import type { CapacityDocument } from '../document.ts'

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
    tip: `${rateWords(perHour)} per hour: ${formatMs(value ?? 0)}`,
  }))
  return {
    id: 'curve',
    finding:
      capacity === null
        ? `${metric} by rate`
        : `${metric} reaches ${formatMs(boundMs)} at ${rateWords(capacity.perHour)} kickoffs ` +
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
        rateWords(perHour),
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
