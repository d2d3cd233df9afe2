/** A crew that restarted: everything that was in it was lost at once. */
import type { Micros } from '../../../../base/units.ts'
import type { LoadSeen } from '../learn/seen.ts'

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
export function restartOf(loads: readonly { seen: LoadSeen }[]): { lost: number } | null {
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
