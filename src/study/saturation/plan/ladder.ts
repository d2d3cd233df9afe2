/**
 * The rungs of the ladder, the order in which they are visited, and the share of a budget that each
 * visit may use.
 */
import { createRandom } from '../../../base/random.ts'

const MOST_CONNECTIONS = 10_000
const MOST_RUNGS = 100
export const MOST_REPEATS = 20

/** The values that `parseLadder` accepts, for error messages. */
export const LADDER_HELP =
  'a maximum to reach by doubling, like "64", or an increasing list like ' +
  `"1,2,4,8", of 1 to ${MOST_CONNECTIONS} connections`

/**
 * Reads a ladder: `64` means 1, 2, 4 ... 64; `1,2,4,8` means just these. Undefined for any other
 * text.
 */
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

/** One visit of a rung, in the pass `pass`, from 1. */
export interface PlannedVisit {
  connections: number
  pass: number
}

/**
 * The first pass rises, so that a ladder ends before it overwhelms a target. The further passes
 * visit the same rungs, each in an order of its own: what drifts meets all rungs alike.
 */
export function visitOrder(
  ladder: readonly number[],
  repeats: number,
  seed: number,
): PlannedVisit[] {
  const random = createRandom(seed)
  return Array.from({ length: repeats }, (_, before) => {
    const pass = before + 1
    const drawn = ladder.map((connections) => ({
      connections,
      pass,
      at: pass === 1 ? connections : random.fork(`pass ${pass}`, connections).next(),
    }))
    return drawn.sort((a, b) => a.at - b.at).map(({ connections }) => ({ connections, pass }))
  }).flat()
}

/** With fewer requests, a connection could hardly distinguish its steady state from its start. */
export const FEWEST_REQUESTS_PER_CONNECTION = 10

/**
 * Returns how many of the `left` requests the first of `rungs` may use: the same for every
 * connection of the remaining visits, so that narrow rungs leave enough for the wide ones, but at
 * least `least` for each connection. Null when the rest is too small for this visit.
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
