/** The figure of the tipping point: how many trials did not recover, by the size of the trigger. */
import { scaleLinear, scaleLog } from 'd3-scale'
import type { TippingPoint, TippingSize } from '../document.ts'
import { formatMs } from '../../../report/frame/format.ts'
import { figure } from '../../../report/charts/figure.ts'
import type { Picture } from '../../../report/charts/figure.ts'
import { html } from '../../../report/frame/markup.ts'
import type { Markup } from '../../../report/frame/markup.ts'
import { ink } from '../../../report/charts/palette.ts'
import { bar, bottomAxis, leftAxis, panelTitle, round } from '../../../report/charts/plot.ts'
import type { Rect, Scale } from '../../../report/charts/plot.ts'
import { table } from '../../../report/frame/table.ts'
import { share, sizeRows } from './summary.ts'

export function renderTipping(point: TippingPoint): Markup {
  const heading = point.sentence.replace(/\.$/, '')
  return figure({
    id: 'tipping',
    heading,
    caption:
      'Share of the trials of each size that did not recover, with its 95 % interval. Sizes were bisected; shaded is where the tipping point lies.',
    alternative: heading,
    draw: (width) => draw(point, width),
    table: table(
      [
        { title: 'trigger', kind: 'number' },
        { title: 'did not recover', kind: 'number' },
        { title: '95 % interval', kind: 'number' },
      ],
      sizeRows(point).map(({ size, tipped, interval }) => [size, tipped, interval]),
    ),
  })
}

const TICKS = [0, 0.25, 0.5, 0.75, 1]

function draw(point: TippingPoint, width: number): Picture {
  const rect = { left: 64, top: 36, right: width - 24, bottom: width < 500 ? 200 : 240 }
  const x = sizeScale(point.sizes, rect)
  const y = scaleLinear([0, 1], [rect.bottom, rect.top])
  const ticks = point.sizes.map(({ sizeMs }) => ({ value: sizeMs, label: formatMs(sizeMs) }))
  return {
    height: rect.bottom + 48,
    body: [
      panelTitle({ ...rect, left: 0 }, 'Did not recover'),
      bracket(point, x, rect),
      leftAxis(
        rect,
        TICKS.map((value) => ({ value, label: share(value) })),
        y,
      ),
      point.sizes.map((size) => mark(size, x, y)),
      bottomAxis(rect, ticks, x),
      html`<text class="quiet" x="${rect.right}" y="${rect.bottom + 40}" text-anchor="end"
        >length of the trigger</text
      >`,
    ],
  }
}

/** Logarithmic: a bisection halves and doubles. */
function sizeScale(sizes: readonly TippingSize[], { left, right }: Rect): Scale {
  const all = sizes.map(({ sizeMs }) => sizeMs)
  const [least, most] = [Math.min(...all), Math.max(...all)]
  if (all.length < 2 || least === most) return () => (left + right) / 2
  return scaleLog([least, most], [left + 16, right - 16])
}

function bracket({ lowMs, highMs }: TippingPoint, x: Scale, rect: Rect): Markup | null {
  if (lowMs === null || highMs === null) return null
  return bar({ ...rect, left: x(lowMs), right: x(highMs) }, 'grey', { opacity: 0.24 })
}

function mark({ sizeMs, tipped, of, low, high }: TippingSize, x: Scale, y: Scale): Markup | null {
  if (of === 0) return null
  const at = round(x(sizeMs))
  const whisker =
    low === null || high === null
      ? null
      : html`<path
          d="M${at} ${round(y(low))}V${round(y(high))}M${at - 4} ${round(y(low))}h8M${at - 4} ${round(y(high))}h8"
          stroke="${ink('endToEnd')}"
        />`
  return html`${whisker}<circle
      cx="${at}"
      cy="${round(y(tipped / of))}"
      r="4"
      fill="${ink('endToEnd')}"
      stroke="${ink('endToEnd')}"
      stroke-width="2"
      data-tip="${formatMs(sizeMs)}: ${tipped} of ${of}"
    />`
}
