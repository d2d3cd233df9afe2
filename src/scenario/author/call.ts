/**
 * Calls the author's own functions: an exception or an unusable result becomes an error that names
 * the function and the place.
 */
import { excerpt } from '../../crew/excerpt.ts'

/**
 * A mistake in the scenario itself, independent of the crew. The message ends with the place, when
 * the stack contains one.
 */
export class ScenarioError extends Error {
  override name = 'ScenarioError'
  /** The function: `inputs`, `tags` or `checks.NAME`. */
  readonly part: string
  /** Whether the function threw, returned a promise, or returned another unusable value. */
  readonly kind: 'threw' | 'promise' | 'value'
  /** What the function threw, if it did. */
  readonly thrown: unknown

  constructor(part: string, kind: ScenarioError['kind'], message: string, thrown?: unknown) {
    super(message)
    this.part = part
    this.kind = kind
    this.thrown = thrown
  }
}

/** Leaves room for the place within the length that a record keeps. */
const WORDS_LENGTH = 110
const PLACE_LENGTH = 70

/**
 * Returns the result of `call`. Throws ScenarioError when it throws, and when it returns a promise,
 * for which nothing could wait.
 */
export function callAuthor(part: string, call: () => unknown): unknown {
  let given: unknown
  try {
    given = call()
  } catch (error) {
    throw new ScenarioError(part, 'threw', placedWords(error), error)
  }
  if (!isPromise(given)) return given
  letReject(given)
  const problem = `${part} must return its result, not a promise: async functions are not awaited`
  throw new ScenarioError(part, 'promise', problem)
}

/** What a record keeps of an error; only a ScenarioError has a place in the author's functions. */
export function thrownWords(error: unknown): string {
  return error instanceof ScenarioError ? error.message : excerpt(thrownText(error), WORDS_LENGTH)
}

/** For example `TypeError: x is not a function (mine.ts:4:3)`. */
function placedWords(thrown: unknown): string {
  const words = excerpt(thrownText(thrown), WORDS_LENGTH)
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

/** Without a handler, a rejection would end a Node process, or a VU of k6. */
export function letReject(promise: PromiseLike<unknown>): void {
  promise.then(ignore, ignore)
}

function ignore(): void {}

/** The message of any value thrown by the user's code. */
export function thrownText(thrown: unknown): string {
  if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`
  return typeof thrown === 'string' ? thrown : `threw ${typeof thrown}`
}

/**
 * Matches ` at inputs (file:///a/mine.ts:4:3)` of V8 and `at inputs
 * (file:///a/crewload.js:4:3(12))` of k6; native frames have no position.
 */
const FRAME = /^[ \t]{1,8}at (?:[^\n]*\()?(?!node:)([^\n()]*:\d+:\d+)(?:\(\d+\))?\)?$/m

/** The place of the innermost frame that has one. */
function placeOf(thrown: unknown): string | null {
  const stack = thrown instanceof Error ? thrown.stack : undefined
  const place = FRAME.exec(stack ?? '')?.[1]?.replace(/^file:\/\//, '')
  if (place === undefined) return null
  return place.length <= PLACE_LENGTH ? place : place.slice(place.lastIndexOf('/') + 1)
}
