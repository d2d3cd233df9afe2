/** Names of inputs in messages: a target may list many, and long ones. */
import { excerpt } from '../excerpt.ts'

/** The most names that a message shows. */
export const MOST_SHOWN = 20
const MOST_CHARACTERS = 60

/**
 * `topic, audience`, or `a, b, ... and 99,980 more`; each name is formatted by `show` (default:
 * unchanged).
 */
export function namesWords(
  names: readonly string[],
  show: (name: string) => string = (name) => name,
): string {
  const shown = names.slice(0, MOST_SHOWN).map((name) => show(excerpt(name, MOST_CHARACTERS)))
  const more = names.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Inputs that the crew lists and the scenario does not give. */
export function notGivenWords(names: readonly string[]): string {
  const shown = namesWords(names, (name) => JSON.stringify(name))
  return `the crew also lists ${shown}, which the scenario does not give: a kickoff without shows whether it needs them`
}
