/** The user's mistakes: collected, located, and reported all at once. */
import { closest, distance } from 'fastest-levenshtein'
import type { Micros } from './units.ts'
import { DURATION_HELP, parseDuration } from './units.ts'

export interface Mistake {
  /** The file, flag or environment variable that contains the mistake. */
  source: string
  /** 1-based position in that file, if known. */
  line?: number
  column?: number
  /** The key within it: `arrivals.rate`. Default: empty, for the whole. */
  path?: string
  /** What was found, shortened and free of secrets. */
  found?: string
  /** What is wrong and what is allowed, as a sentence without a full stop. */
  problem: string
  /** The nearest known name, when a name is unknown. */
  nearest?: string
}

/** Thrown at the edge with every mistake at once; the command line prints it and exits with 2. */
export class UserError extends Error {
  override name = 'UserError'
  readonly mistakes: readonly Mistake[]

  constructor(mistakes: Mistake | readonly Mistake[], options?: ErrorOptions) {
    // Two rules may reject one value with the same message.
    const list = 'source' in mistakes ? [mistakes] : mistakes
    const byText = new Map(
      list.map((mistake) => [formatMistake(mistake), { path: '', ...mistake }]),
    )
    super([...byText.keys()].join('\n'), options)
    this.mistakes = [...byText.values()]
  }
}

/** Throws a UserError with all of them, if there are any. */
export function demandNone(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** Mistakes of a number that must be whole, from `least` to `most`: one or none. */
export function notWhole(source: string, found: number, least: number, most: number): Mistake[] {
  if (Number.isSafeInteger(found) && found >= least && found <= most) return []
  const problem = `expected a whole number from ${least} to ${most}`
  return [{ source, found: String(found), problem }]
}

/**
 * A duration as a user writes it. Where the text is none, or it is not from `least` to `most`, adds
 * a mistake and returns `least`; `range` says in the message what is allowed.
 */
export function durationFrom(
  { source, text, range }: { source: string; text: string; range: string },
  [least, most]: readonly [least: Micros, most: Micros],
  mistakes: Mistake[],
): Micros {
  const micros = parseDuration(text)
  if (micros !== undefined && micros >= least && micros <= most) return micros
  const problem = `expected ${DURATION_HELP}, ${range}`
  mistakes.push({ source, found: JSON.stringify(text), problem })
  return least
}

/** Adds the user's mistakes to those that are shown together; throws any other error. */
export function addedTo(mistakes: Mistake[]): (error: unknown) => null {
  return (error) => {
    if (!(error instanceof UserError)) throw error
    mistakes.push(...error.mistakes)
    return null
  }
}

/** A source that is named twice would count twice. */
export function namedTwice(sources: readonly string[]): Mistake[] {
  const twice = sources.filter((source, i) => sources.indexOf(source) !== i)
  const problem = 'is named more than once'
  return [...new Set(twice)].map((source) => ({ source, problem }))
}

/**
 * Returns the results of both checks, each of which covers a part of the user's input. Throws one
 * UserError with the mistakes of both; any other error is thrown alone, unchanged.
 */
export async function together<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([a, b])
  if (first.status === 'fulfilled' && second.status === 'fulfilled') {
    return [first.value, second.value]
  }
  throw new UserError([...mistakesOf(first), ...mistakesOf(second)])
}

/**
 * Returns the result of `work`. If `work` throws mistakes, those of `check` are thrown with them.
 */
export async function beside<T>(work: Promise<T>, check: () => Promise<unknown>): Promise<T> {
  return work.catch(async (error: unknown) => {
    const [never] = await together<T, unknown>(Promise.reject(error), check())
    return never
  })
}

function mistakesOf(part: PromiseSettledResult<unknown>): readonly Mistake[] {
  if (part.status === 'fulfilled') return []
  if (part.reason instanceof UserError) return part.reason.mistakes
  throw part.reason
}

/**
 * Formats a mistake as one line: `steady.ts:4:3 arrivals.rate: found "fast", expected ...; did you
 * mean ...?`
 */
export function formatMistake(mistake: Mistake): string {
  const position = [mistake.source, mistake.line, mistake.column].filter(
    (part) => part !== undefined,
  )
  const place = [position.join(':'), mistake.path ?? ''].filter((part) => part !== '').join(' ')
  const found = mistake.found === undefined ? '' : ` (found ${mistake.found})`
  const hint =
    mistake.nearest === undefined ? '' : `; did you mean ${JSON.stringify(mistake.nearest)}?`
  return `${place}: ${mistake.problem}${found}${hint}`
}

/** The known name closest to `name`, if it is close enough to be a typing error. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const candidate = closest(name, [...known])
  return distance(name, candidate) <= Math.max(2, Math.floor(name.length / 3))
    ? candidate
    : undefined
}

/** The same, as a part of a mistake: none where no name is close enough. */
export function nearTo(name: string, known: readonly string[]): Pick<Mistake, 'nearest'> {
  const nearest = nearestName(name, known)
  return nearest === undefined ? {} : { nearest }
}
