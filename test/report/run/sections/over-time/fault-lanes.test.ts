/**
 * Bad weather on the page: what is shaded and named, what is only counted, and what a reader
 * without the picture is told.
 */
import { expect, test } from 'vitest'
import type { ResultDocument } from '../../../../../src/result/document.ts'
import type { FaultResult } from '../../../../../src/result/disturbances.schema.ts'
import {
  faultLanes,
  faultSpans,
  faultWords,
} from '../../../../../src/report/run/sections/over-time/over-time.ts'
import { drawLanes, shortened } from '../../../../../src/report/charts/lanes.ts'
import { failingDocument, steadyDocument } from '../../sample-document.ts'
import { runFile } from '../../../../support/run-shown.ts'

const FAULT: FaultResult = {
  name: 'outage',
  kind: 'status',
  always: false,
  touched: { inputs: 0, kickoff: 1, status: 60 },
  times: 2,
  bands: [],
  counts: [],
}

function overTime(document: ResultDocument): string {
  const page = runFile(document, 'report.html')
  return page.slice(page.indexOf('id="over-time"'), page.indexOf('id="outcomes"'))
}

test.each<[Partial<FaultResult>, string]>([
  [{}, 'on twice, changed 61 answers'],
  [{ times: 1 }, 'on once, changed 61 answers'],
  [{ always: true, times: 0 }, 'changed 61 answers'],
  [{ kind: 'restart', times: 3 }, 'happened 3 times'],
  [{ kind: 'refuse', times: 1_200 }, 'on 1,200 times'],
])('%o in words', (changes, words) => {
  expect(faultWords({ ...FAULT, ...changes })).toBe(words)
})

test('seven faults have a lane of their own, those with a schedule first, the rest is counted', () => {
  const lanes = faultLanes(failingDocument(), (counts) => [...counts])
  expect(lanes.map(({ label }) => label.replace(/:[^:]*$/, '')).slice(0, 2)).toEqual([
    'outage',
    'restart',
  ])
  expect(lanes).toHaveLength(8)
  expect(lanes.at(-1)!.label).toMatch(/^4 more faults: changed [\d,]+ answers$/)
  const all = failingDocument().faults!.reduce(
    (sum, { touched }) => sum + touched.kickoff + touched.status,
    0,
  )
  const drawn = lanes.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0)
  expect(drawn).toBe(all)
})

test('only faults with a schedule cast a shade, and not more than four', () => {
  const bands = [{ fromMs: 0, toMs: 1 }]
  const faults = Array.from({ length: 6 }, (_, i) => ({ ...FAULT, name: `${i}`, bands }))
  const document = { ...steadyDocument(), faults: [{ ...FAULT, name: 'chance' }, ...faults] }
  expect(faultSpans(document).map(({ name }) => name)).toEqual(['0', '1', '2', '3'])
})

test('the picture names the shades once, and the figure tells what they changed', () => {
  const document = steadyDocument()
  const { durationMs } = document.run
  const bands = [{ fromMs: 0.2 * durationMs, toMs: 0.4 * durationMs }]
  const section = overTime({ ...document, faults: [{ ...FAULT, bands }] })
  const [picture = ''] = section.split('</svg>')
  expect(picture.match(/>outage</g)).toHaveLength(1)
  expect(section).toContain('Faults of the crew')
  expect(section).toContain('<th scope="col" class="text">fault of the crew</th>')
  expect(section).toMatch(/<h3>[^<]*; faults of the crew changed [\d,]+ answers/)
})

test('without faults nothing is said of any', () => {
  for (const faults of [null, []]) {
    expect(overTime({ ...steadyDocument(), faults })).not.toMatch(/fault/i)
  }
})

test('a tick grows with what it counts', () => {
  const frame = { x: (ms: number) => ms, left: 0, right: 9, width: 9, top: 0 }
  const group = { title: 'Errors', color: 'error', interval: 1 } as const
  const lanes = [{ label: 'a', bands: [], counts: [1, 0, 100] }]
  const drawn = drawLanes({ ...group, lanes }, frame)!.text
  const heights = [...drawn.matchAll(/height="([\d.]+)"/g)].map(([, height]) => Number(height))
  expect(heights).toEqual([5, 14])
  expect(drawLanes({ ...group, lanes: [] }, frame)).toBeNull()
})

const rest = (others: readonly unknown[]): string => `${others.length} more`

test('one lane too many stays; two become one', () => {
  const lanes = ['a', 'b', 'c', 'd'].map((label) => ({ label, bands: [], counts: [1, 2] }))
  expect(shortened(lanes, 3, rest)).toEqual(lanes)
  expect(shortened(lanes, 2, rest).at(-1)).toEqual({ label: '2 more', bands: [], counts: [2, 4] })
})

test('what a limit refused is shaded, and stands in the table', () => {
  const document = steadyDocument()
  const refused = { code: 'refused', operation: 'status', status: 429 } as const
  const bands = [{ ...refused, fromMs: 60_000, toMs: 90_000 }]
  const section = overTime({ ...document, series: { ...document.series, bands } })
  expect(section.match(/data-tip="polls refused \(429\)"/g)).toHaveLength(3)
  expect(section).toContain('Shaded times are named above the picture.')
  expect(section).toContain('<th scope="col" class="text">shaded</th>')
})
