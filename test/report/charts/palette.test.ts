import { describe, expect, test } from 'vitest'
import { DARK, LIGHT } from '../../../src/report/charts/palette.ts'

/** Relative luminance and contrast of WCAG 2.2. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** A colour laid over another with an opacity. */
function over(top: string, below: string, opacity: number): string {
  const channel = (at: number): string => {
    const [a, b] = [top, below].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16))
    return Math.round((a ?? 0) * opacity + (b ?? 0) * (1 - opacity))
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(1)}${channel(3)}${channel(5)}`
}

test('contrast is counted as WCAG does', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

describe.each([
  ['light', LIGHT],
  ['dark', DARK],
])('%s', (_, colors) => {
  test.each(['ink', 'muted', 'good', 'bad', 'doubt'] as const)('text in %s has 4.5:1', (name) => {
    expect(contrast(colors[name], colors.paper)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(colors[name], colors.soft)).toBeGreaterThanOrEqual(4.5)
  })

  test.each(['endToEnd', 'error'] as const)('text inside a strip of %s has 4.5:1', (name) => {
    expect(contrast(colors.ink, over(colors[name], colors.paper, 0.42))).toBeGreaterThanOrEqual(4.5)
  })

  test.each(['endToEnd', 'response', 'service', 'error', 'extra', 'sky'] as const)(
    'marks in %s have 3:1',
    (name) => {
      expect(contrast(colors[name], colors.paper)).toBeGreaterThanOrEqual(3)
    },
  )

  test('tooltips, which turn paper and ink round, have 4.5:1', () => {
    expect(contrast(colors.paper, colors.ink)).toBeGreaterThanOrEqual(4.5)
  })
})

test('the other series are the ones of Okabe and Ito', () => {
  expect(LIGHT).toMatchObject({
    endToEnd: '#0072b2',
    service: '#009e73',
    error: '#d55e00',
    extra: '#cc79a7',
  })
})
