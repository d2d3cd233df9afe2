/**
 * Sees that no kickoff id is given twice, over all instances and workers, in memory that does not
 * grow with the run.
 */
import type { RuleObservation } from '../../analysis/observations.ts'
import { ID_UNIQUE } from '../../crew/contract/kickoff.ts'
import { excerptOf } from '../../crew/excerpt.ts'
import { hashText } from '../../base/random.ts'

/**
 * Some 20 MB. Of a run with more ids a share is watched, half of them, a quarter and so on: those
 * whose hash is lowest, so that the same ids are watched in whatever order they come, and both
 * times that one comes.
 */
const MOST_IDS = 262_144
const HASHES = 2 ** 53

interface Repeated {
  kickoffId: string
  indexes: Set<number>
}

/**
 * By a hash of 53 bits: among all that are watched, two ids share one with a chance of 4 in a
 * million.
 */
export class KickoffIds {
  readonly #most: number
  /** The execution that was given it. */
  readonly #indexes = new Map<number, number>()
  readonly #repeated = new Map<number, Repeated>()
  #below = HASHES

  /** `most`: how many ids are watched at least, once there are as many. */
  constructor(most = MOST_IDS) {
    this.#most = most
  }

  /** May be told of an execution more than once. */
  note(kickoffId: string, index: number): void {
    const hash = hashOf(kickoffId)
    if (hash >= this.#below) return
    const known = this.#indexes.get(hash)
    if (known === undefined) {
      this.#indexes.set(hash, index)
      while (this.#indexes.size > this.#most) this.#watchFewer()
    } else if (known !== index) {
      const repeated = this.#repeated.get(hash) ?? { kickoffId, indexes: new Set([known]) }
      this.#repeated.set(hash, repeated)
      repeated.indexes.add(index)
    }
  }

  /**
   * How often the rule was broken, once for each execution behind the first of its id; null for
   * never.
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
    for (const hash of this.#indexes.keys()) {
      if (hash < this.#below) continue
      this.#indexes.delete(hash)
      this.#repeated.delete(hash)
    }
  }
}

/** Journals of a version that looked at each instance by itself tell of it too. */
export function isOfIds(rule: string): boolean {
  return rule === ID_UNIQUE.name
}

function hashOf(id: string): number {
  return hashText(id) * 2 ** 21 + (hashText(id, 0x1b87_3593) >>> 11)
}
