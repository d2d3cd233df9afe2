/** The mistakes of a user, as what they did is told of them. */
import type { Mistake } from '../../src/base/mistakes.ts'
import { UserError, formatMistake } from '../../src/base/mistakes.ts'

/** None if nothing is refused; an error of another kind is thrown. */
export function mistakesOf(act: () => unknown): readonly Mistake[] {
  try {
    act()
    return []
  } catch (error) {
    if (error instanceof UserError) return error.mistakes
    throw error
  }
}

/** The same of what is done meanwhile. */
export async function awaitedMistakes(work: Promise<unknown>): Promise<readonly Mistake[]> {
  return work.then(
    () => [],
    (error: unknown) =>
      mistakesOf(() => {
        throw error
      }),
  )
}

/** A line each. */
export function toldMistakes(act: () => unknown): string[] {
  return mistakesOf(act).map(formatMistake)
}

/** What is told of each of these, as golden files have it. */
export function pinned<Given>(
  given: readonly Given[],
  told: (each: Given) => readonly string[],
): string {
  const texts = given.flatMap((each) => {
    return [`==== ${typeof each === 'string' ? each : JSON.stringify(each)}`, ...told(each), '']
  })
  return texts.join('\n')
}

/** What is read of each of these, as golden files have it. */
export function pinnedValues(
  read: readonly (readonly [written: string, value: unknown])[],
): string {
  const texts = read.map(
    ([written, value]) => `==== ${written}\n${JSON.stringify(value, exact, 1)}\n`,
  )
  return texts.join('\n')
}

/** JSON has null for Infinity. */
function exact(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}
