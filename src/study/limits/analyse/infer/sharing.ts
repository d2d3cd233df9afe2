/**
 * Whether requests that this study sent to other operations have used up the same limit: it may be
 * shared, and the answers show it where they fit a limit better that had counted those as well.
 */
import type { Random } from '../../../../base/random.ts'
import type { Weighed } from './belief.ts'
import { Belief } from './belief.ts'
import type { Grouped, RequestGroup } from './evidence/groups.ts'
import type { LimitEvidence, LimiterAnswer } from './interface.ts'
import { replay } from './search/replay.ts'
import { othersGroup } from './evidence/groups.ts'
import { burstsIn, isAccepted } from './evidence/timing.ts'

/** Rounds of search for what explains the answers then: for each, and for the best of them. */
const ROUNDS = 2
const MORE_ROUNDS = 2
/** By so many nats the answers have to be likelier with others. */
const CLEAR = 1
/** Nothing can explain the answers much better that loses no more nats than this. */
const LITTLE = 3
/** By so many nats another limit may be less likely, and is not ruled out. */
const OPEN = 5
/** It differs by no more than this: few requests are sent to others at a time. */
const NEAR = 4
/** Evidence grows by this factor before they are compared once more. */
const GROWN = 1.3
/** So often at most others are counted than before. */
const MOST_CHANGES = 4

const NONE: LimitEvidence = []

export interface SharingCompared {
  /** With those requests counted of which that is likeliest. */
  belief: Belief
  isClear: boolean
  /** The largest limit that they leave possible beside the likeliest; null for none. */
  otherLimit: number | null
}

interface SharingCounting {
  requests: LimitEvidence
  belief: Belief
  fit: number
}

export class SharingBelief {
  readonly #alternatives: readonly LimitEvidence[]
  readonly #random: Random
  /** Those that count: answers fit the limit better then. */
  #counted: LimitEvidence = NONE
  #comparedAt = 0
  #changes = 0

  /** `sets`: of each, all may have used the limit. */
  constructor(sets: readonly LimitEvidence[], random: Random) {
    this.#alternatives = [NONE, ...sets.filter(({ length }) => length > 0)]
    this.#random = random
  }

  /** With those that are counted. */
  groups(own: Grouped): Grouped {
    return this.#counted.length === 0 ? own : withSharedUse(own, this.#counted)
  }

  /** Whether there is more to compare with since the last time. */
  isDue(evidence: LimitEvidence): boolean {
    return evidence.length >= GROWN * this.#comparedAt
  }

  /** Null where there is nothing to compare. Where it is clear, they count from now on. */
  compare(belief: Belief, own: Grouped, evidence: LimitEvidence): SharingCompared | null {
    const others = this.#alternatives.filter((each) => each !== this.#counted)
    const first = belief.weighed[0]!
    if (others.length === 0 || this.#changes === MOST_CHANGES) return null
    this.#comparedAt = evidence.length
    // Nothing explains the answers much better; but a counter of another window may as well.
    const isCounter = first.pool.hypothesis.kind === 'sliding-counter'
    if (first.best.fit > -LITTLE && !isCounter) {
      const limits = others.flatMap((each) => limitsLike(first, withSharedUse(own, each)))
      return { belief, isClear: false, otherLimit: limits.length > 0 ? Math.max(...limits) : null }
    }
    const random = this.#random.fork('earlier requests', evidence.length)
    const [likeliest] = others
      .map((requests, i): SharingCounting => {
        const counting = { requests, belief: new Belief(random.fork('with', i)), fit: 0 }
        return searched(counting, own, ROUNDS)
      })
      .toSorted((a, b) => b.fit - a.fit)
    const found = searched(likeliest!, own, MORE_ROUNDS)
    const isClear = found.fit > first.best.fit + CLEAR
    if (isClear) {
      this.#counted = found.requests
      this.#changes++
    }
    const isOpen = found.fit > first.best.fit - OPEN
    const limit = found.belief.weighed[0]?.best.parameters.limit ?? null
    const otherLimit = isOpen && limit !== first.best.parameters.limit ? limit : null
    return { belief: found.belief, isClear, otherLimit }
  }
}

/** Limits about as large, which explain the answers about as well, if the rest stays the same. */
function limitsLike({ pool: { hypothesis }, best }: Weighed, grouped: Grouped): number[] {
  const { limit } = best.parameters
  const { sigmaMs } = grouped.timing
  return Array.from({ length: 2 * NEAR + 1 }, (_, i) => limit - NEAR + i).filter((each) => {
    if (each === limit || each < 1) return false
    const model = hypothesis.model({ ...best.parameters, limit: each }, sigmaMs)
    return replay(model, grouped).fit > best.fit - OPEN
  })
}

function searched(
  { requests, belief }: SharingCounting,
  own: Grouped,
  rounds: number,
): SharingCounting {
  const grouped = withSharedUse(own, requests)
  for (let i = 0; i < rounds; i++) belief.update(grouped)
  return { requests, belief, fit: belief.weighed[0]?.best.fit ?? -Infinity }
}

/** As if all of them had used up the limit that the groups met. */
function withSharedUse(grouped: Grouped, earlier: LimitEvidence): Grouped {
  const wayMs = grouped.timing.usualMs / 2
  const bursts = burstsIn(earlier.filter(({ answer }) => answer !== 'failed'))
  const first = grouped.groups[grouped.settled]
  const groups = [...bursts.map((burst) => groupOf(burst, wayMs)), ...grouped.groups]
  groups.sort((a, b) => a.firstMs - b.firstMs)
  const settled = first === undefined ? Infinity : groups.indexOf(first)
  return { ...grouped, groups, settled }
}

/** Those that were let in come first, as in a burst that uses the limit up. */
function groupOf(burst: readonly LimiterAnswer[], wayMs: number): RequestGroup {
  const times = burst.map(({ sentMs }) => sentMs + wayMs)
  const lastMs = Math.max(...times)
  const accepted = burst.filter(isAccepted).length
  const refused = burst.length - accepted
  return {
    ...othersGroup(Math.min(...times), lastMs, accepted),
    refused,
    ...(refused > 0 ? { firstRefusedMs: lastMs, lastRefusedMs: lastMs } : {}),
  }
}
