/**
 * A figure as data: panels of lines and points over one horizontal axis. `drawChart` makes the
 * picture.
 */
import type { Color } from './palette.ts'
import type { Tick } from './ticks.ts'

export interface Chart {
  /** Unique in the page. */
  id: string
  /**
   * The finding in a sentence without its full stop, with its number: the heading of the figure.
   */
  finding: string
  /** How to read the picture, in one or two sentences. */
  caption: string
  x: Axis
  /** From top to bottom. */
  panels: readonly Panel[]
  /** Shaded over all panels, from one value of `x` to another. */
  spans?: readonly Span[]
  /** Vertical lines over all panels. */
  moments?: readonly Moment[]
  /** The numbers behind the picture. */
  table: ChartTable
}

interface ChartTable {
  /** The first column stands for `x`. All hold numbers. */
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}

/**
 * Values of an axis and how they are written. `duration` and `elapsed` take milliseconds, `share`
 * values from 0 to 1. A `duration` becomes logarithmic when its values differ more than twentyfold.
 */
export interface Axis {
  title: string
  kind: 'count' | 'share' | 'duration' | 'elapsed'
  /** Logarithmic between its least and its greatest value. */
  log?: boolean
  /** Default: chosen for the kind. */
  ticks?: readonly Tick[]
}

export interface Panel {
  y: Axis
  lines: readonly Line[]
  points?: readonly Points[]
  /**
   * Of the plot, in CSS pixels: in a window narrower than 500 px, and else. Default 120 in both.
   */
  height?: { narrow: number; wide: number }
  /**
   * Where the names of lines stand: right of the plot (default), or above it, each behind its
   * stroke.
   */
  names?: 'beside' | 'above'
}

export interface Line {
  name: string
  color: Color
  /** An SVG stroke pattern; empty for a whole line. */
  dash: string
  points: readonly ChartPoint[]
  /**
   * `step` holds each value until the next; `chord` is straight in the values of a logarithmic
   * axis. Default straight in the picture.
   */
  shape?: 'step' | 'chord'
  /** A broad pale band, for what others are compared with. */
  band?: boolean
  /** A bound or a reference, which has no name in the picture. */
  unnamed?: boolean
}

export interface ChartPoint {
  x: number
  y: number
  /** What hovering tells; without it a point of a line has no mark. */
  tip?: string
}

/** A point with a whisker, which is a 95 % interval; hollow where it does not count. */
export interface Mark extends ChartPoint {
  low: number | null
  high: number | null
  hollow?: boolean
}

export interface Points {
  color: Color
  points: readonly Mark[]
}

export interface Span {
  from: number
  to: number
  /** Above the panels; null for none. */
  label: string | null
}

export interface Moment {
  at: number
  label: string
  color: Color
}
