/** The rungs of the ladder, how many connections each has, and what each may take of a budget. */

const MOST_CONNECTIONS = 10_000
const MOST_RUNGS = 100

/** What `parseLadder` allows, for error messages. */
export const LADDER_HELP =
  'a maximum to reach by doubling, like "64", or an increasing list like ' +
  `"1,2,4,8", of 1 to ${MOST_CONNECTIONS} connections`

/** `64` climbs 1, 2, 4 ... 64; `1,2,4,8` climbs just these. Undefined for anything else. */
export function parseLadder(text: string): number[] | undefined {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > MOST_RUNGS || !parts.every((part) => /^\d{1,5}$/.test(part))) return undefined
  const rungs = parts.map(Number)
  const [first = 0] = rungs
  const rising = rungs.every((rung, i) => rung > (rungs[i - 1] ?? 0) && rung <= MOST_CONNECTIONS)
  if (!rising) return undefined
  return rungs.length === 1 ? doubling(first) : rungs
}

function doubling(most: number): number[] {
  const rungs: number[] = []
  for (let rung = 1; rung < most; rung *= 2) rungs.push(rung)
  return [...rungs, most]
}

/** Fewer requests a connection would hardly tell its steady state from its first moments. */
export const FEWEST_REQUESTS_PER_CONNECTION = 10

/**
 * How many of the `left` requests the first of `rungs` may take: the same for every connection of
 * the rungs to come, so that the wide rungs are not starved by the narrow ones, but for each
 * connection at least `least`. Null when what is left does not feed this rung.
 */
export function shareOfBudget(
  left: number,
  rungs: readonly number[],
  least: number = FEWEST_REQUESTS_PER_CONNECTION,
): number | null {
  const [connections = 0] = rungs
  const all = rungs.reduce((sum, rung) => sum + rung, 0)
  const each = Math.max(FEWEST_REQUESTS_PER_CONNECTION, Math.ceil(least), Math.floor(left / all))
  const share = each * connections
  return share <= left ? share : null
}
