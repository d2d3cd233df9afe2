/** What happened to workers in the middle of a search, so that no model of the crew holds. */
import { sumBy } from '../../../../result/statistics/moments.ts'
import { waitingSpans } from '../seen.ts'
import type { Scaling } from './scaling.ts'
import { vanishedOf } from './scaling.ts'
import type { Micros } from '../../../../base/units.ts'
import type { LoadSeen, LoadFacts } from '../seen.ts'

export type Unsteady =
  /** So many executions were in the crew at one moment and were all lost. */
  | { kind: 'restarted'; lost: number }
  /** While executions waited, fewer were at work than before. */
  | { kind: 'vanished'; from: number; to: number }

/** A restart explains workers that are missing after it. */
export function unsteadyOf(loads: readonly LoadFacts[], scaling: Scaling | null): Unsteady | null {
  const restart = restartOf(loads)
  if (restart !== null) return { kind: 'restarted', ...restart }
  const fall = vanishedOf(loads, scaling)
  return fall === null ? null : { kind: 'vanished', ...fall }
}

/**
 * The mean number at work while executions waited, in arrivals at random to a crew that had grown
 * to `to` workers: fewer than these, if some of them leave between arrivals. Null if none do.
 */
export function leavingOf(
  loads: readonly LoadFacts[],
  scaling: Scaling | null,
): { workers: number; atWork: number } | null {
  if (scaling === null) return null
  const { to } = scaling
  const spans = loads.flatMap((load) => {
    const waiting = load.seen.load.kind === 'open' ? waitingSpans(load) : []
    const grown = waiting.findIndex(({ atWork }) => atWork >= to)
    return grown === -1 ? [] : waiting.slice(grown)
  })
  const all = sumBy(spans, ({ micros }) => micros)
  const mean = sumBy(spans, ({ micros, atWork }) => (micros * atWork) / all)
  return all > 0 && mean < to * (1 - LEAVING) ? { workers: to, atWork: mean } : null
}

/** The share of the workers that must be missing. */
const LEAVING = 0.05

/** Fewer executions may be lost at the same time by chance. */
const FEWEST = 4

interface Lost {
  accepted: Micros
  until: Micros
}

/**
 * The most executions that were lost while they were in the crew together, and no other one
 * survived that moment; null if there were fewer than 4.
 */
function restartOf(loads: readonly { seen: LoadSeen }[]): { lost: number } | null {
  const most = Math.max(0, ...loads.map(({ seen }) => mostLostAtOnce(seen)))
  return most < FEWEST ? null : { lost: most }
}

function mostLostAtOnce({ executions }: LoadSeen): number {
  const lost = executions.flatMap(({ accepted, lost: until }): Lost[] =>
    accepted === null || until === undefined ? [] : [{ accepted, until }],
  )
  const ended = executions.flatMap(({ accepted, ended: end }) =>
    accepted === null || end === null ? [] : [[accepted, end] as const],
  )
  if (lost.length < FEWEST || ended.length === 0) return 0
  return Math.max(...gapsBetween(ended).map((gap) => togetherIn(lost, gap)))
}

/** The times in which no execution was in the crew that was seen to end. */
function gapsBetween(
  spans: readonly (readonly [Micros, Micros])[],
): { from: Micros; to: Micros }[] {
  const gaps: { from: Micros; to: Micros }[] = []
  let from = -Infinity
  for (const [begin, end] of spans.toSorted(([one], [other]) => one - other)) {
    if (begin > from) gaps.push({ from, to: begin })
    from = Math.max(from, end)
  }
  return [...gaps, { from, to: Infinity }]
}

/** The most of them that were in the crew at one moment of the gap. */
function togetherIn(lost: readonly Lost[], { from, to }: { from: Micros; to: Micros }): number {
  const inside = lost.filter(({ accepted, until }) => accepted < to && until > from)
  const counts = inside.map(({ accepted }) => {
    const at = Math.max(accepted, from)
    return inside.filter((each) => each.accepted <= at && each.until > at).length
  })
  return Math.max(0, ...counts)
}
