/**
 * The figures of a recovery test: one trial over time, and the share of trials that do not recover
 * by the size of the trigger.
 */
import { meanOf } from '../../../result/statistics/moments.ts'
import type { Chart, Line, Mark, Panel } from '../../../report/charts/chart.ts'
import type { Color } from '../../../report/charts/palette.ts'
import { formatMs, formatRough } from '../../../base/numbers.ts'
import { plainText } from '../../../report/text/format.ts'
import type { RecoveryCourse, RecoveryDocument } from '../document.ts'
import type { TippingPoint, TippingSize } from '../sentences.ts'
import { tippingWords } from '../sentences.ts'
import { shareText, sizeRows } from './wording.ts'

/**
 * The maximum number of steps in the picture, and of rows in its table: more could not be
 * distinguished.
 */
const PICTURE_STEPS = 96
const TABLE_STEPS = 48

/** Goodput, the kickoffs needed for it, and the backlog, with the trigger shaded. */
export function courseChart(document: RecoveryDocument, whole: RecoveryCourse): Chart {
  const course = coarser(whole, PICTURE_STEPS)
  const { fromMs, triggerFromMs, triggerToMs, restoredMs } = course
  const words = `trigger: ${plainText(document.plan.trigger.words, 60)}`
  return {
    id: 'course',
    heading: courseHeading(document, whole),
    caption: COURSE_CAPTION,
    x: { title: '', kind: 'elapsed' },
    panels: coursePanels(course),
    spans: [{ from: triggerFromMs - fromMs, to: triggerToMs - fromMs, label: words }],
    moments:
      restoredMs === null
        ? []
        : [
            {
              at: restoredMs - fromMs,
              label: `recovered after ${formatMs(restoredMs - triggerToMs)}`,
              color: 'good',
            },
          ],
    table: courseTable(coarser(whole, TABLE_STEPS)),
  }
}

const COURSE_CAPTION =
  'One trial. Top: goodput, the executions completed within their deadline, when they were due to ' +
  'start. It falls up to a deadline before the trigger. Middle: the kickoffs that the client sent for them. Bottom: the executions that ' +
  'wait for a worker of the crew, and those whose end the client awaits. The trigger is shaded.'

function courseHeading({ plan }: RecoveryDocument, course: RecoveryCourse): string {
  const { seed, triggerToMs, restoredMs, goodputPerSecond } = course
  if (restoredMs !== null) {
    const after = restoredMs - triggerToMs
    return (
      `Seed ${seed}: goodput recovers ` +
      (after === 0 ? 'immediately' : `${formatMs(after)} after the trigger`)
    )
  }
  const left = mean(goodputPerSecond.slice(-Math.ceil(goodputPerSecond.length / 8)))
  return (
    `Seed ${seed}: at the end goodput is ${formatRough(left)} per second, of ` +
    `${formatRough(plan.wantedPerSecond)} arrivals (${shareText(left / plan.wantedPerSecond)})`
  )
}

/** The mean; zero for no values. */
function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : meanOf(values)
}

/** Joins neighbouring columns, so that there are at most `most`. */
function coarser(course: RecoveryCourse, most: number): RecoveryCourse {
  const by = Math.max(1, Math.ceil(course.wantedPerSecond.length / most))
  const means = (values: readonly number[]): number[] => groups(values, by).map(mean)
  const last = (values: readonly number[]): number[] =>
    groups(values, by).map((group) => group.at(-1) ?? 0)
  return {
    ...course,
    stepMs: course.stepMs * by,
    wantedPerSecond: means(course.wantedPerSecond),
    goodputPerSecond: means(course.goodputPerSecond),
    controlPerSecond: course.controlPerSecond === null ? null : means(course.controlPerSecond),
    attemptsPerSecond: means(course.attemptsPerSecond),
    inFlight: last(course.inFlight),
    waiting: course.waiting === null ? null : last(course.waiting),
    running: course.running === null ? null : last(course.running),
  }
}

function groups(values: readonly number[], by: number): number[][] {
  return Array.from({ length: Math.ceil(values.length / by) }, (_, i) =>
    values.slice(i * by, (i + 1) * by),
  )
}

function coursePanels(course: RecoveryCourse): Panel[] {
  const { stepMs, wantedPerSecond: wanted, waiting } = course
  const line = (
    name: string,
    color: Color,
    dash: string,
    values: readonly number[] | null,
  ): Line[] =>
    values === null ? [] : [{ name, color, dash, shape: 'step', points: steps(values, stepMs) }]
  return [
    {
      y: { title: 'Executions per second', kind: 'count' },
      lines: [
        ...line('arrivals', 'grey', '2 3', wanted),
        ...line('no trigger', 'response', '6 3', course.controlPerSecond),
        ...line('goodput', 'endToEnd', '', course.goodputPerSecond),
      ],
    },
    {
      y: { title: 'Kickoffs sent per second', kind: 'count' },
      lines: [
        ...line('arrivals', 'grey', '2 3', wanted),
        ...line('sent', 'error', '', course.attemptsPerSecond),
      ],
    },
    {
      y: { title: 'Executions that wait', kind: 'count' },
      lines: [
        ...line('client', 'endToEnd', '6 3', course.inFlight),
        ...line('for a worker', 'extra', '', waiting),
      ],
    },
  ]
}

/** Repeats the last value, so that the last step has an end. */
function steps(values: readonly number[], stepMs: number): Line['points'] {
  return [...values, values.at(-1) ?? 0].map((y, i) => ({ x: i * stepMs, y }))
}

function courseTable(course: RecoveryCourse): Chart['table'] {
  const columns: [title: string, values: readonly number[] | null][] = [
    ['arrivals per second', course.wantedPerSecond],
    ['goodput per second', course.goodputPerSecond],
    ['without the trigger', course.controlPerSecond],
    ['kickoffs per second', course.attemptsPerSecond],
    ['client waits for', course.inFlight],
    ['wait for a worker', course.waiting],
    ['running', course.running],
  ]
  const shown = columns.filter(([, values]) => values !== null)
  return {
    columns: ['from', ...shown.map(([title]) => title)],
    rows: course.wantedPerSecond.map((_, i) => [
      formatMs(i * course.stepMs),
      ...shown.map(([, values]) => formatRough(values?.[i] ?? 0)),
    ]),
  }
}

/**
 * The share of trials that did not recover, by size; logarithmic, because a bisection halves and
 * doubles.
 */
export function tippingChart(point: TippingPoint): Chart {
  const { sureLowMs, sureHighMs, sizes } = point
  return {
    id: 'tipping',
    heading: tippingWords(point),
    caption:
      'Share of the trials of each size that did not recover, with its 95 % ' +
      'interval. The line never falls with the size. A cross at the top is a trial that did not ' +
      'recover, a tick at the bottom one that did. Shaded: where the tipping point certainly lies.',
    x: {
      title: 'length of the trigger',
      kind: 'duration',
      log: true,
      ticks: sizes.map(({ sizeMs }) => ({ value: sizeMs, label: formatMs(sizeMs) })),
    },
    panels: [
      {
        y: { title: 'Did not recover', kind: 'share' },
        height: { narrow: 164, wide: 204 },
        lines: [{ name: 'share', color: 'grey', dash: '', unnamed: true, points: rising(sizes) }],
        points: [
          { color: 'endToEnd', points: sizes.flatMap(tippingMark) },
          {
            color: 'error',
            shape: 'cross',
            points: sizes.flatMap((size) => trialMarks(size, true)),
          },
          {
            color: 'service',
            shape: 'tick',
            points: sizes.flatMap((size) => trialMarks(size, false)),
          },
        ],
      },
    ],
    spans:
      sureLowMs === null || sureHighMs === null
        ? []
        : [{ from: sureLowMs, to: sureHighMs, label: null }],
    table: {
      columns: ['trigger', 'did not recover', '95 % interval'],
      rows: sizeRows(point),
    },
  }
}

/**
 * The shares as they would be without chance, for a longer trigger never tips less: neighbours that
 * fall are pooled (isotonic regression).
 */
function rising(sizes: readonly TippingSize[]): Line['points'] {
  const pools: { tipped: number; of: number; sizes: number[] }[] = []
  for (const { sizeMs, tipped, of } of sizes.filter((size) => size.of > 0)) {
    let pool = { tipped, of, sizes: [sizeMs] }
    for (;;) {
      const last = pools.at(-1)
      if (last === undefined || last.tipped * pool.of <= pool.tipped * last.of) break
      pools.pop()
      pool = {
        tipped: last.tipped + pool.tipped,
        of: last.of + pool.of,
        sizes: [...last.sizes, ...pool.sizes],
      }
    }
    pools.push(pool)
  }
  return pools.flatMap((pool) => pool.sizes.map((x) => ({ x, y: pool.tipped / pool.of })))
}

/** Trials of one size stand beside each other, by this share of the size. */
const BESIDE = 0.008

function trialMarks({ sizeMs, tipped, of }: TippingSize, isTipped: boolean): Mark[] {
  const count = isTipped ? tipped : of - tipped
  const tip = `${formatMs(sizeMs)}: ${count} of ${of} ${isTipped ? 'did not recover' : 'recovered'}`
  return Array.from({ length: count }, (_, i) => {
    const x = sizeMs * (1 + BESIDE * (i - (count - 1) / 2))
    return { x, y: isTipped ? 1 : 0, low: null, high: null, tip }
  })
}

/** No mark without a trial with a clear outcome. */
function tippingMark({ sizeMs, tipped, of, low, high }: TippingSize) {
  const tip = `${formatMs(sizeMs)}: ${tipped} of ${of}`
  return of === 0 ? [] : [{ x: sizeMs, y: tipped / of, low, high, tip }]
}
