/** A figure as data: panels of lines and points over one horizontal axis. `drawChart` draws it. */
import type { MarkupContent } from '../text/markup.ts'
import type { Table } from '../text/table.ts'
import type { Color } from './palette.ts'
import type { Tick } from './ticks.ts'

interface FigureWords {
  /** The id must be unique in the page. */
  id: string
  /**
   * The heading: what the figure shows, in one sentence with its number, without a full stop.
   */
  heading: string
  /**
   * Says how to read the picture, in one or two sentences; a reader who does not see it is told
   * the same, and has the table.
   */
  caption: string
  /** The numbers behind the picture. */
  table: ChartTable | readonly Table[]
}

/** The first column contains `x`. All columns hold numbers. */
export interface ChartTable {
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}

export interface Chart extends FigureWords, Plot {
  /** Further plots, to the right of the first where there is room, otherwise below. */
  beside?: readonly Plot[]
  /** The first plot in a window narrower than 500 px. Default: the same. */
  narrow?: Plot
}

/** A picture that no chart describes, drawn for each width of the page. */
export interface Drawing extends FigureWords {
  draw: (width: number) => Picture
}

export interface Picture {
  height: number
  body: MarkupContent
}

export interface Plot {
  x: Axis
  /** The panels from top to bottom. */
  panels: readonly Panel[]
  /** Below the panels, over the same axis. */
  lanes?: readonly LaneGroup[]
  /** Ranges of `x` that are shaded over all panels. */
  spans?: readonly ChartSpan[]
  /** Vertical lines over all panels. */
  moments?: readonly Moment[]
}

/** Whether a plot has a mark; one without is not drawn. */
export function hasMarks({ panels }: Pick<Plot, 'panels'>): boolean {
  return panels.some(
    ({ lines, points = [], cells = [] }) =>
      cells.length > 0 || [...lines, ...points].some((each) => each.points.length > 0),
  )
}

/**
 * Values of an axis and how they are formatted. `duration` and `elapsed` are in milliseconds,
 * `share` is from 0 to 1. A `duration` axis becomes logarithmic when its values differ more than
 * twentyfold. `change` is a share of what was before, on both sides of 0. `nines` is a share of
 * 0.5 or more on a logarithmic scale of 1/(1-q).
 */
export interface Axis {
  title: string
  kind: 'count' | 'share' | 'change' | 'nines' | 'duration' | 'elapsed'
  /** Makes the axis logarithmic between its smallest and its largest value, or a linear one. */
  log?: boolean
  /** Default: ticks that suit the kind of axis. */
  ticks?: readonly Tick[]
}

export interface Panel {
  y: Axis
  lines: readonly Line[]
  points?: readonly Points[]
  cells?: readonly Cell[]
  gap?: Gap
  /**
   * The height of the plot in CSS pixels: in a window narrower than 500 px, and in a wider one.
   * Default 120 in both.
   */
  height?: { narrow: number; wide: number }
  /**
   * The place of the names of lines: to the right of the plot (default), or above it, each beside
   * its stroke.
   */
  names?: 'beside' | 'above'
}

export interface Line {
  name: string
  color: Color
  /** An SVG stroke pattern; empty for a solid line. */
  dash: string
  points: readonly LinePoint[]
  /**
   * `step` keeps each value until the next; `chord` is straight in the values of a logarithmic
   * axis. Default: straight in the picture.
   */
  shape?: 'step' | 'chord'
  /** A bound or a reference, which is not named in the picture. */
  unnamed?: boolean
  /** What stands below the name of a line beside its plot: its last value. */
  end?: string
  /** From here on it is beyond everything: it ends in an arrow upward. */
  endlessFrom?: number
}

export interface ChartPoint {
  x: number
  y: number
  /** The text shown on hovering; a point of a line without it has no mark. */
  tip?: string
}

/** Between points that have ends, a pale area is drawn from end to end. */
export interface LinePoint extends ChartPoint {
  low?: number | null
  high?: number | null
}

/** A point with a whisker, which is a 95 % interval; hollow when the point does not count. */
export interface Mark extends ChartPoint {
  low: number | null
  high: number | null
  hollow?: boolean
}

export interface Points {
  color: Color
  /**
   * Tells a point from those of the other series without colour. Default `circle`. A `grain` is
   * small and pale, so that many on one place show.
   */
  shape?: 'circle' | 'diamond' | 'grain' | 'tick' | 'cross'
  points: readonly Mark[]
}

/** A distance between two values at one place of `x`, with a name. */
export interface Gap {
  at: number
  from: number
  to: number
  label: string
}

/** A rectangle from one pair of values to another: a bar of a histogram, a cell of a heat map. */
export interface Cell {
  from: Pick<ChartPoint, 'x' | 'y'>
  to: Pick<ChartPoint, 'x' | 'y'>
  opacity: number
  tip: string
}

export interface ChartSpan {
  from: number
  to: number
  /** The label above the panels, once for all spans of this name; null for none. */
  label: string | null
}

export interface Moment {
  at: number
  label: string
  color: Color
}

/** Lanes of one colour below the panels, one per row: what was on as bars, its events as ticks. */
export interface LaneGroup {
  title: string
  color: Color
  lanes: readonly ChartLane[]
  /** The length of one column, in values of `x`. */
  interval: number
}

export interface ChartLane {
  /** The label; foreign text is shortened. */
  label: string
  /** When it was active; empty for a lane that has only events. */
  bands: readonly { fromMs: number; toMs: number }[]
  /** The number of events by column. */
  counts: readonly number[]
}
