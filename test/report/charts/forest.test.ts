import { expect, test } from 'vitest'
import { forest } from '../../../src/report/charts/forest.ts'
import type { ForestRow } from '../../../src/report/charts/forest.ts'
import { html } from '../../../src/report/text/markup.ts'

const WORDS = { id: 'changes', heading: 'It changed', caption: 'See.', table: [] }

function row(name: string, value: number, own: Partial<ForestRow> = {}): ForestRow {
  const interval = { low: value - 2, high: value + 2 }
  return { name, value, ...interval, text: `${value} %`, color: 'error', hollow: false, ...own }
}

function drawn(rows: readonly ForestRow[], width: number): string {
  return html`${forest(WORDS, rows, { unit: '%', least: 5 }).draw(width).body}`.text
}

test.each([344, 640, 1_040])('rows are sorted by change, the largest first, at %i px', (width) => {
  const text = drawn([row('small', 1), row('fell', -9), row('rose', 20)], width)
  const order = ['rose', 'small', 'fell'].map((name) => text.indexOf(`>${name}<`))
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(Math.min(...order)).toBeGreaterThan(0)
})

test('a change to the right is larger, and one that is not proven is hollow', () => {
  const text = drawn([row('rose', 20), row('fell', -9, { hollow: true })], 1_040)
  const circles = [...text.matchAll(/<circle\s+cx="([\d.]+)"[^>]*?fill="var\(--(\w+)\)"/g)]
  expect(Number(circles[0]![1])).toBeGreaterThan(Number(circles[1]![1]))
  expect(circles.map(([, , fill]) => fill)).toEqual(['error', 'paper'])
})

test('an endless interval does not flatten the others', () => {
  const text = drawn([row('wild', 10, { low: -4_000, high: 9_000 }), row('calm', 8)], 1_040)
  const [, wild = '0', calm = '0'] = /cx="([\d.]+)".*cx="([\d.]+)"/s.exec(text) ?? []
  expect(Number(wild) - Number(calm)).toBeGreaterThan(10)
})
