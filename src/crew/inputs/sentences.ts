/** Names of inputs in messages: a target may list many, and long ones. */
import { excerpt } from '../excerpt.ts'

/** The most names that a message shows. */
export const MOST_SHOWN = 20
const MOST_CHARACTERS = 60
const MOST_KEPT_CHARACTERS = 200

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

/** Inputs that a crew lists and a scenario does not give. */
export interface MissingInputs {
  /** The first of them, shortened: a target may list a hundred thousand. */
  names: readonly string[]
  /** How many more there are. */
  more: number
}

export const NONE_MISSING: MissingInputs = { names: [], more: 0 }

export function missingInputsOf(names: readonly string[]): MissingInputs {
  const kept = names.slice(0, MOST_SHOWN).map((name) => excerpt(name, MOST_KEPT_CHARACTERS))
  return { names: kept, more: names.length - kept.length }
}

/** `hasAccepted`: whether the crew accepted kickoffs without them; null before the first one. */
export function notGivenWords(
  { names, more }: MissingInputs,
  hasAccepted: boolean | null = null,
): string {
  const shown = namesWords(names, (name) => JSON.stringify(name))
  const others = more === 0 ? '' : ` and ${more} more`
  const listed = `the crew also lists ${shown}${others}, which the scenario does not give`
  if (hasAccepted === null) return `${listed}. The first kickoff shows whether it needs them`
  return hasAccepted ? `${listed}. It accepted kickoffs without` : listed
}
