import { describe, expect, test } from 'vitest'
import type { SaturationDocument } from '../../../src/analysis/saturation-document.ts'
import { renderSaturationHtml } from '../../../src/report/saturation/index.ts'
import {
  collapsingSaturation,
  emptySaturation,
  flatSaturation,
  limitedSaturation,
  openSaturation,
} from './sample-saturations.ts'

const DOCUMENTS: [string, () => SaturationDocument][] = [
  ['flat', flatSaturation],
  ['collapsing', collapsingSaturation],
  ['open', openSaturation],
  ['limited', limitedSaturation],
  ['empty', emptySaturation],
]

describe.each(DOCUMENTS)('%s', (_, create) => {
  const page = renderSaturationHtml(create())

  test('is the same for the same document', () => {
    expect(renderSaturationHtml(create())).toBe(page)
  })

  test('holds no number that is none, and nothing from outside', () => {
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
    expect(page).not.toMatch(/(?:src|href)="/)
  })

  test('opens and closes every element', () => {
    for (const name of ['section', 'figure', 'svg', 'table', 'tr', 'td', 'dl', 'details', 'g']) {
      const opened = page.match(new RegExp(`<${name}[\\s>]`, 'g'))?.length ?? 0
      expect([name, page.match(new RegExp(`</${name}\\s*>`, 'g'))?.length ?? 0]).toEqual([
        name,
        opened,
      ])
    }
  })

  test('begins with the verdict, in words', () => {
    const { verdict } = create()
    const [, heading = ''] = /<h1>(.*?)<\/h1>/s.exec(page) ?? []
    const words = heading.replaceAll(/<[^>]+>/g, '').replaceAll('\u00A0', ' ')
    expect(words).toContain(verdict.sentence)
    expect(words.trim().slice(2)).toMatch(new RegExp(`^${verdict.outcome}\\.`, 'i'))
  })
})

test('a point stands for each rung in each picture, hollow where it does not count', () => {
  const page = renderSaturationHtml(collapsingSaturation())
  const points = page.match(/<circle[^>]*stroke="var\(--endToEnd\)"[^>]*>/g) ?? []
  expect(points).toHaveLength(3 * 6)
  expect(points.filter((point) => point.includes('fill="var(--paper)"'))).toHaveLength(3)
  expect(page).toContain('32 connections: 40')
})

test('names the knee where it lies', () => {
  expect(renderSaturationHtml(flatSaturation()).match(/>knee 8</g)).toHaveLength(3)
  expect(renderSaturationHtml(limitedSaturation())).not.toMatch(/>knee \d/)
})

test('foreign text stays text', () => {
  const page = renderSaturationHtml(emptySaturation())
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(page).not.toContain('<script>alert')
  expect(page).not.toContain('\u202E')
})

test('tells what the ceiling feeds, but for inputs', () => {
  expect(renderSaturationHtml(flatSaturation())).toContain('executions in flight')
  expect(renderSaturationHtml(collapsingSaturation())).toContain('kickoffs an hour')
  expect(renderSaturationHtml(limitedSaturation())).not.toContain('What that feeds')
})
