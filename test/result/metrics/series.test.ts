/** Bands of a series: the warm-up, when a limit refused, and the drain. */
import { expect, test } from 'vitest'
import { series } from '../../../src/result/metrics/series.ts'
import { observationsOf } from '../observations.ts'

function bandsOf(
  errors: Record<string, number[]>,
  warmUpMicros = 0,
  offered: number[] = [],
): string[] {
  const timeline = {
    ...observationsOf().timeline,
    intervalMicros: 1_000_000,
    offered,
    errors: new Map(Object.entries(errors)),
  }
  return series(timeline, warmUpMicros).bands.map(
    ({ fromMs, toMs, ...band }) => `${Object.values(band).join(' ')} ${fromMs}-${toMs}`,
  )
}

test('the warm-up comes first, from zero', () => {
  expect(bandsOf({ 'status 429': [0, 1] }, 500_000)).toEqual([
    'warm-up 0-500',
    'refused status 429 1000-2000',
  ])
})

test('refusals are one span as long as no longer pause parts them', () => {
  expect(bandsOf({ 'kickoff 429': [0, 3, 0, 0, 1, 0, 0, 0, 2, 2] })).toEqual([
    'refused kickoff 429 1000-5000',
    'refused kickoff 429 8000-10000',
  ])
})

test('other errors are no limits, and scattered refusals no spans', () => {
  const scattered = Array.from({ length: 130 }, (_, i) => (i % 10 === 0 ? 1 : 0))
  expect(bandsOf({ 'status 503': [9], 'status 429': scattered })).toEqual([])
})

test.each<[offered: number[], bands: string[]]>([
  [[4, 0, 2, 0, 0, 0], ['no-more-arrivals 3000-6000']],
  [[1, 0], ['no-more-arrivals 1000-2000']],
  [[1, 0, 1], []],
  [[0, 0], []],
])('what follows the last arrival is shaded: offered %j', (offered, bands) => {
  expect(bandsOf({}, 0, offered)).toEqual(bands)
})
