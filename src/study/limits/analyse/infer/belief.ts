/** What is believed after some evidence: each hypothesis with its pool, and their probabilities. */
import type { Random } from '../../../../base/random.ts'
import type { Grouped } from './evidence/group.ts'
import { HYPOTHESES } from './hypotheses/list.ts'
import type { Particle } from './search/pool.ts'
import { Pool } from './search/pool.ts'

export interface Weighed {
  pool: Pool
  /** Best particle. */
  best: Particle
  probability: number
}

/** Moves a round for a hypothesis that is near the best, and for one that is not. */
const TRIES_NEAR = 120
const TRIES_FAR = 25
/** A rigid explanation that fits by this many nats better than chance is more than luck. */
const NO_CHANCE = 12
/** Headers tell when the window ends: that a block ends just then would be a coincidence. */
const COINCIDENCE = 5
/** Nats. */
const NEAR = 9

export class Belief {
  readonly #pools: readonly Pool[]
  #grouped: Grouped | null = null
  #weighed: readonly Weighed[] = []

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
    for (const pool of this.#pools) {
      const isNear = !Number.isFinite(best) || pool.weight > best - NEAR
      pool.update(grouped, isNear ? TRIES_NEAR : TRIES_FAR)
    }
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
