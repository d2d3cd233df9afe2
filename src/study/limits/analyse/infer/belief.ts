/** What is believed after some evidence: each hypothesis with its pool, and their probabilities. */
import type { Random } from '../../../../base/random.ts'
import type { Grouped } from './evidence/group.ts'
import { HYPOTHESES } from './hypotheses/list.ts'
import type { Effort, Particle } from './search/pool.ts'
import { Pool } from './search/pool.ts'

export interface Weighed {
  pool: Pool
  /** Best particle. */
  best: Particle
  probability: number
}

/** A rigid explanation that fits by this many nats better than chance is more than luck. */
const NO_CHANCE = 12
/** Headers tell when the window ends: that a block ends just then would be a coincidence. */
const COINCIDENCE = 5
/** Nats behind the best. */
const NEAR = 9
/** From here on a hypothesis has all but failed: each new answer speaks against it. */
const FAR = 25
/** So far behind, a hypothesis is searched again only every so many times that evidence comes. */
const LOST = 60
const SELDOM = 4

/** Moves by which an interval that seems narrow is tried. */
const TRIES_FOR_RANGE = 300
/** And from its outermost values, of each parameter to either side. */
const TRIES_OUTWARD = 80
/** Groups that the best explanation misses when all are searched anew, so often at most. */
const UNEXPLAINED = 2
const MOST_SCANS = 4
const SCANNED = 60

const NO_EFFORT: Effort = { tries: 0, fresh: 0, restarts: 0 }

function effortFor(behind: number, isSeldom: boolean): Effort {
  if (behind > LOST && !isSeldom) return NO_EFFORT
  if (behind < NEAR) return { tries: 120, fresh: 40, restarts: Infinity }
  return { tries: 25, fresh: 12, restarts: behind < FAR ? Infinity : 60 }
}

export class Belief {
  readonly #pools: readonly Pool[]
  #grouped: Grouped | null = null
  #weighed: readonly Weighed[] = []
  #scans = 0
  #updates = 0

  constructor(random: Random) {
    this.#pools = HYPOTHESES.map((hypothesis) => new Pool(hypothesis, random))
  }

  get grouped(): Grouped {
    return this.#grouped!
  }

  /** Most probable first. */
  get weighed(): readonly Weighed[] {
    return this.#weighed
  }

  /** Whether refusals at random would be a far worse explanation than the best. */
  get isNoChance(): boolean {
    const chance = this.#weighed.find(({ pool }) => pool.hypothesis.fitOf !== undefined)
    return chance !== undefined && chance.best.fit < this.#weighed[0]!.best.fit - NO_CHANCE
  }

  update(grouped: Grouped): void {
    this.#grouped = grouped
    const best = Math.max(...this.#pools.map(({ weight }) => weight))
    const isSeldom = this.#updates++ % SELDOM === 0
    for (const pool of this.#pools) {
      const behind = Number.isFinite(best) ? best - pool.weight : 0
      pool.update(grouped, effortFor(behind, isSeldom))
    }
    this.#weigh()
    const isUnexplained = (this.#weighed[0]?.best.misses ?? 0) >= UNEXPLAINED
    if (isUnexplained && this.#scans++ < MOST_SCANS) this.scan(SCANNED)
  }

  /** Looks for explanations that are far from those that are known: the search may have failed. */
  scan(nats = FAR): void {
    const best = this.#weighed[0]!.best.fit
    const near = this.#weighed.filter((each) => each.best.fit > best - nats)
    for (const { pool } of near) pool.scan(this.grouped)
    this.#weigh()
  }

  /** Looks how far the parameters of one explanation are open. */
  explore({ pool }: Weighed): void {
    pool.improve(this.grouped, TRIES_FOR_RANGE)
    pool.stretch(this.grouped, TRIES_OUTWARD)
    this.#weigh()
  }

  #weigh(): void {
    const isCounted = this.grouped.promise !== null
    const logs = this.#pools.map(({ weight, hypothesis }) =>
      isCounted && hypothesis.kind === 'penalty' ? weight - COINCIDENCE : weight,
    )
    const most = Math.max(...logs)
    const weights = logs.map((weight) => Math.exp(weight - most))
    const sum = weights.reduce((total, weight) => total + weight, 0)
    this.#weighed = this.#pools
      .flatMap((pool, i): Weighed[] => {
        const best = pool.particles[0]
        return best === undefined ? [] : [{ pool, best, probability: weights[i]! / sum }]
      })
      .sort((a, b) => b.probability - a.probability)
  }
}
