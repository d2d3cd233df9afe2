/**
 * The page's colours, light and dark, by their meaning. The colours of series are those of Okabe
 * and Ito, which colour-blind readers can distinguish; on paper, orange and sky are darker, because
 * marks need a contrast of 3:1 (WCAG 2.2, 1.4.11).
 */

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
  error: '#d55e00',
  extra: '#cc79a7',
  sky: '#3d96cc',
  grey: '#9aa1aa',
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
  extra: '#cc79a7',
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
