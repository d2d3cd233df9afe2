/**
 * Readings of status answers that repeat. Two polls in three say what an earlier one said, to the
 * byte: such an answer is neither parsed nor read again.
 */
import type { Answer, WholeAnswer } from './answer.ts'
import { isJsonType } from './json.ts'
import type { StatusObservation } from './observation.ts'
import { readStatus } from './read.ts'

/** Readings kept at once. When there are as many, all are dropped. */
const MOST = 1_024

/** A longer body is read each time, so that the readings kept stay under a few megabytes. */
const MAX_BODY_LENGTH = 1_000

/** Reads status answers for all executions of one engine. */
export class StatusReader {
  /** Readings by the text of the body, or by the value that the host has instead. */
  readonly #known = new Map<unknown, StatusObservation>()
  #repeated = 0
  /** False for a target whose bodies hardly repeat, for instance because they contain the time. */
  #useful = true

  /**
   * Returns what `readStatus` says of the answer. Equal answers of executions in progress give the
   * same object, marked `interned`: nothing may modify it.
   */
  read(answer: Answer): StatusObservation {
    const key = this.#useful ? keyOf(answer) : undefined
    if (key === undefined) return readStatus(answer)
    const known = this.#known.get(key)
    if (known !== undefined) {
      this.#repeated++
      return known
    }
    const seen = readStatus(answer)
    if (seen.phase === 'running' || seen.phase === 'paused') this.#keep(key, seen)
    return seen
  }

  #keep(key: unknown, seen: StatusObservation): void {
    if (this.#known.size === MOST) {
      this.#useful = this.#repeated >= MOST
      this.#repeated = 0
      this.#known.clear()
    }
    seen.interned = true
    this.#known.set(key, seen)
  }
}

/** Undefined for an answer that is read by itself. */
function keyOf(answer: Answer): unknown {
  if (answer.kind === 'failure' || answer.status !== 200) return undefined
  if (!isJsonType(answer.headers['content-type'])) return undefined
  return bodyKey(answer)
}

function bodyKey(answer: WholeAnswer): unknown {
  const { json } = answer
  if (json === undefined) {
    const { body } = answer
    return body.length > MAX_BODY_LENGTH ? undefined : body
  }
  return typeof json === 'object' && json !== null ? json : undefined
}
