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

const MARKS = ['endToEnd', 'response', 'service', 'error', 'extra', 'sky', 'grey'] as const

type Three = readonly [number, number, number]

function linear(hex: string): Three {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as unknown as Three
}

/** Machado, Oliveira and Fernandes (2009), deuteranopia, in linear light. */
const DEUTERANOPIA: readonly Three[] = [
  [0.367322, 0.860646, -0.227968],
  [0.280085, 0.672501, 0.047413],
  [-0.01182, 0.04294, 0.968881],
]

/** Of CIE L*a*b*. */
function f(t: number): number {
  return t > 216 / 24_389 ? Math.cbrt(t) : (t * 24_389) / 27 / 116 + 4 / 29
}

/** The colour as it is seen, in CIE L*a*b* (D65). */
function seen(hex: string): Three {
  const given = linear(hex)
  const [r, g, b] = DEUTERANOPIA.map((row) =>
    Math.min(1, Math.max(0, row[0] * given[0] + row[1] * given[1] + row[2] * given[2])),
  ) as unknown as Three
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b)
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

/** CIE76; a difference of 2.3 is just noticeable side by side. */
function apart(one: Three, other: Three): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2])
}

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

  test.each(MARKS)('marks in %s have 3:1', (name) => {
    expect(contrast(colors[name], colors.paper)).toBeGreaterThanOrEqual(3)
  })

  test.each(MARKS.flatMap((one, at) => MARKS.slice(at + 1).map((other) => [one, other] as const)))(
    'a reader with deuteranopia tells %s from %s',
    (one, other) => {
      expect(apart(seen(colors[one]), seen(colors[other]))).toBeGreaterThanOrEqual(10)
    },
  )

  test('tooltips, which turn paper and ink round, have 4.5:1', () => {
    expect(contrast(colors.paper, colors.ink)).toBeGreaterThanOrEqual(4.5)
  })
})
