/**
 * The page's colours, light and dark, by their meaning. The colours of series come from Okabe and
 * Ito, and from Tol, changed so that marks have a contrast of 3:1 on the page (WCAG 2.2, 1.4.11),
 * and that series of one figure differ for a reader with deuteranopia.
 */
import { html } from '../text/markup.ts'
import type { Markup } from '../text/markup.ts'

export type Color = (typeof COLORS)[number]

const COLORS = [
  'paper',
  'soft',
  'hair',
  'ink',
  'muted',
  'good',
  'bad',
  'doubt',
  'endToEnd',
  'response',
  'service',
  'error',
  'extra',
  'sky',
  'grey',
] as const

/**
 * Text uses `ink`, `muted`, `good`, `bad` and `doubt` on `paper` and `soft`, with a contrast of at
 * least 4.5:1 (WCAG 2.2, 1.4.3).
 */
export const LIGHT: Record<Color, string> = {
  paper: '#ffffff',
  soft: '#f4f5f7',
  hair: '#d5d9de',
  ink: '#16191d',
  muted: '#58606a',
  good: '#17653a',
  bad: '#ae2012',
  doubt: '#7d5200',
  endToEnd: '#0072b2',
  response: '#bd8200',
  service: '#009e73',
  error: '#b84a00',
  extra: '#aa4499',
  sky: '#3d96cc',
  grey: '#868d97',
}

export const DARK: Record<Color, string> = {
  paper: '#14171b',
  soft: '#1d2126',
  hair: '#383e46',
  ink: '#e8eaed',
  muted: '#a5adb7',
  good: '#74cf9a',
  bad: '#ff8f80',
  doubt: '#f0bd62',
  endToEnd: '#56b4e9',
  response: '#e69f00',
  service: '#12b886',
  error: '#f0752b',
  extra: '#d98cd0',
  sky: '#2f8fc9',
  grey: '#7d858f',
}

/** For example `--endToEnd:#0072b2;...`, for a style rule. */
export function customProperties(colors: Record<Color, string>): string {
  return COLORS.map((name) => `--${name}:${colors[name]}`).join(';')
}

/** A reference to a colour for marks. */
export function ink(color: Color): string {
  return `var(--${color})`
}

/** The angles of hatching: areas with colours that are alike differ by it. */
const HATCHES = {
  grey: 45,
  endToEnd: 45,
  service: 45,
  error: 45,
  response: 135,
  extra: 90,
  sky: 135,
  bad: 0,
  doubt: 45,
} as const satisfies Partial<Record<Color, number>>
export type Hatch = keyof typeof HATCHES

/** A reference to hatching in a colour, which `hatchPatterns` defines. */
export function hatched(color: Hatch): string {
  return `url(#hatch-${color})`
}

/** Once in a page: browsers do not use the patterns of a picture that is not displayed. */
export function hatchPatterns(): Markup {
  return html`<svg class="patterns" width="0" height="0" aria-hidden="true">
    ${Object.entries(HATCHES).map(
      ([color, angle]) =>
        html`<pattern
          id="hatch-${color}"
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(${angle})"
        >
          <rect width="6" height="6" fill="var(--${color})" fill-opacity="0.15" />
          <rect width="6" height="3" fill="var(--${color})" />
        </pattern>`,
    )}
  </svg>`
}
