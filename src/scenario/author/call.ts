/**
 * Calls of the author's own functions: what one throws, or gives that cannot be used, becomes an
 * error that names the function and the place.
 */
import { excerpt } from '../../crew/excerpt.ts'

/**
 * The scenario's own mistake, whatever the crew does. The message ends with the place, where the
 * stack tells one.
 */
export class ScenarioError extends Error {
  override name = 'ScenarioError'
  /** The function: `inputs`, `tags` or `checks.NAME`. */
  readonly part: string
  /** It threw; or it gave a promise, or another value that cannot be used. */
  readonly kind: 'threw' | 'promise' | 'value'

  constructor(part: string, kind: ScenarioError['kind'], message: string) {
    super(message)
    this.part = part
    this.kind = kind
  }
}

/** Leaves room for the place within what a record keeps. */
const WORDS_LENGTH = 110
const PLACE_LENGTH = 70

/**
 * What `call` gives. Throws ScenarioError where it throws, or gives a promise: nobody could wait
 * for it.
 */
export function callAuthor(part: string, call: () => unknown): unknown {
  let given: unknown
  try {
    given = call()
  } catch (error) {
    throw new ScenarioError(part, 'threw', placedWords(error))
  }
  if (!isPromise(given)) return given
  letReject(given)
  const problem = `${part} must return its result, not a promise: nothing here waits for async functions`
  throw new ScenarioError(part, 'promise', problem)
}

/**
 * What a record keeps of an error: one that comes from no call of the author's functions has no
 * place in them.
 */
export function thrownWords(error: unknown): string {
  return error instanceof ScenarioError ? error.message : excerpt(messageOf(error), WORDS_LENGTH)
}

/** `TypeError: x is not a function (mine.ts:4:3)`. */
function placedWords(thrown: unknown): string {
  const words = excerpt(messageOf(thrown), WORDS_LENGTH)
  const place = placeOf(thrown)
  return place === null ? words : `${words} (${place})`
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  )
}

/** A rejection that nobody hears ends a process of Node, and a VU of k6. */
export function letReject(promise: PromiseLike<unknown>): void {
  promise.then(ignore, ignore)
}

function ignore(): void {}

/** What a value thrown by the user's code says of itself, whatever it is. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`
  return typeof thrown === 'string' ? thrown : `threw ${typeof thrown}`
}

/**
 * ` at inputs (file:///a/mine.ts:4:3)` of V8, `at inputs (file:///a/crewload.js:4:3(12))` of k6;
 * native frames have no position.
 */
const FRAME = /^\s+at (?:[^\n]*\()?(?!node:)([^\n()]*:\d+:\d+)(?:\(\d+\))?\)?$/m

/** Of the innermost frame that has one. */
function placeOf(thrown: unknown): string | null {
  const stack = thrown instanceof Error ? thrown.stack : undefined
  const place = FRAME.exec(stack ?? '')?.[1]?.replace(/^file:\/\//, '')
  if (place === undefined) return null
  return place.length <= PLACE_LENGTH ? place : place.slice(place.lastIndexOf('/') + 1)
}
