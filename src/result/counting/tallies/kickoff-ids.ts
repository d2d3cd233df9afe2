/**
 * Detects a kickoff id that is assigned twice, over all instances and workers, in memory that does
 * not grow with the run.
 */
import type { RuleObservation } from '../../observations.ts'
import { excerptOf } from '../../../crew/excerpt.ts'
import { longHashText } from '../../../base/random.ts'
import { HashedNumbers } from '../../../base/collections/hashed-numbers.ts'

/**
 * About 8 MB. In a run with more ids only a share is watched, half of them, a quarter and so on:
 * those with the lowest hashes, so the same ids are watched in whatever order they come, and every
 * occurrence of a watched id is seen.
 */
const MOST_IDS = 262_144
const HASHES = 2 ** 53

interface Repeated {
  kickoffId: string
  indexes: Set<number>
}

/**
 * Ids are identified by a hash of 53 bits: among all watched ids, two collide with a probability of
 * 4 in a million.
 */
export class KickoffIds {
  readonly #most: number
  /** The execution that received the id. */
  readonly #indexes = new HashedNumbers()
  readonly #repeated = new Map<number, Repeated>()
  #below = HASHES

  /** `most`: the maximum number of ids that are watched. */
  constructor(most = MOST_IDS) {
    this.#most = most
  }

  /** May be called more than once for one execution. */
  note(kickoffId: string, index: number): void {
    const hash = longHashText(kickoffId)
    if (hash >= this.#below) return
    const known = this.#indexes.getOrSet(hash, index)
    if (known === undefined) {
      while (this.#indexes.size > this.#most) this.#watchFewer()
    } else if (known !== index) {
      const repeated = this.#repeated.get(hash) ?? { kickoffId, indexes: new Set([known]) }
      this.#repeated.set(hash, repeated)
      repeated.indexes.add(index)
    }
  }

  /**
   * The number of violations, one for each execution after the first with the same id; null for
   * none.
   */
  get broken(): RuleObservation | null {
    let count = 0
    let example: RuleObservation['example'] | null = null
    for (const { kickoffId, indexes } of this.#repeated.values()) {
      const [first = 0, second = 0] = [...indexes].sort((a, b) => a - b)
      count += indexes.size - 1
      if (example !== null && example.index <= second) continue
      const seen = `kickoff_id: ${excerptOf(kickoffId)} again, as of execution ${first}`
      example = { atMicros: 0, index: second, kickoffId, seen }
    }
    return example === null ? null : { count, example }
  }

  #watchFewer(): void {
    this.#below /= 2
    this.#indexes.keepBelow(this.#below)
    for (const hash of this.#repeated.keys()) {
      if (hash >= this.#below) this.#repeated.delete(hash)
    }
  }
}
