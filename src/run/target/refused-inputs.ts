/** The crew refused the inputs of the first kickoff: the user's mistake, with an example. */
import type { Mistake } from '../../base/mistakes.ts'
import type { MissingInputs } from '../../crew/inputs/sentences.ts'
import {
  missingInputsOf,
  namesWords,
  notGivenWords,
  MOST_SHOWN,
} from '../../crew/inputs/sentences.ts'
import type { ListedInput } from '../../crew/observation.ts'
import type { Answer } from '../../crew/answer.ts'
import { missingInputsIn } from '../../crew/inputs/refused.ts'
import { UserError } from '../../base/mistakes.ts'
import { createRandom } from '../../base/random.ts'
import { ScenarioError } from '../../scenario/author/call.ts'
import { createInputSource } from '../../scenario/author/inputs.ts'
import type { Plan } from '../../scenario/plan.ts'

/** For each name, a value that contains the name: `{ "topic": "sample topic" }`. */
export function sampleInputs(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `sample ${name}`]))
}

/**
 * The names of the inputs that are made up when nobody gives any: not those that the crew calls
 * optional, and no `id` unless the crew requires it. A flow takes an `id` for that of an earlier
 * execution, whose record it overwrites.
 */
export function sampledNames(listed: readonly ListedInput[]): string[] {
  return listed
    .filter(({ name, required }) => required ?? name !== RECORD_ID)
    .map(({ name }) => name)
}

const RECORD_ID = 'id'

/** Names that may be suggested to a user. */
function sampled(names: readonly string[]): string[] {
  return sampledNames(names.map((name) => ({ name, required: null })))
}

/** The names that the crew lists beyond `given`, without those that it calls optional. */
export function missingInputs(
  given: readonly string[],
  listed: readonly ListedInput[],
): MissingInputs {
  const known = new Set(given)
  const missing = listed.filter(({ name, required }) => required !== false && !known.has(name))
  return missingInputsOf(missing.map(({ name }) => name))
}

/** The inputs of a kickoff without a scenario; notes which ones the crew lists beyond `given`. */
export function inputsOr(
  given: Readonly<Record<string, unknown>> | undefined,
  listed: readonly ListedInput[],
  onNote?: (note: string) => void,
): Readonly<Record<string, unknown>> {
  const inputs = given ?? sampleInputs(sampledNames(listed))
  const missing = missingInputs(Object.keys(inputs), listed)
  if (missing.names.length > 0) onNote?.(notGivenWords(missing))
  return inputs
}

/** One kickoff was sent, and the crew refused it. */
export class InputsRefused extends UserError {
  override name = 'InputsRefused'
}

/** `refused`: the names in the crew's answer, which may be none; null when it refused nothing. */
export function demandAccepted(
  plan: Plan,
  refused: readonly string[] | null,
  missing: MissingInputs,
): void {
  if (refused === null) return
  const given = Object.keys(plan.inputs(0).inputs)
  const isNamed = refused.length > 0
  const wanted = isNamed ? refused : sampled(missing.names)
  const example = trySampleInputs(plan, [...new Set([...given, ...wanted])])
  const needed = isNamed ? refused : missing.names
  throw refusedInputs({
    source: plan.name,
    path: 'inputs',
    given,
    needed,
    remedy: `add them to the scenario${example}`,
  })
}

interface RefusedInputs extends Pick<Mistake, 'source' | 'path'> {
  given: readonly string[]
  needed: readonly string[]
  /** What to do about it. */
  remedy: string
}

function refusedInputs({ given, needed, remedy, ...place }: RefusedInputs): InputsRefused {
  const names = namesWords(needed, (name) => JSON.stringify(name))
  const expects = needed.length === 0 ? 'refused the inputs' : `also expects ${names}`
  return new InputsRefused({
    ...place,
    found: given.length === 0 ? 'none' : namesWords(given),
    problem: `the crew ${expects}, and answered the first kickoff with 422; ${remedy}`,
  })
}

/**
 * A command is suggested only when its words are harmless, because it will be pasted into a shell,
 * and when it would help.
 */
function trySampleInputs(plan: Plan, names: readonly string[]): string {
  if (!arePlain(names)) return ''
  const inputs = sampleInputs(names)
  if (!canTag(plan, inputs)) return ', whose tags are made from its current inputs'
  return `, or try --set 'inputs=${JSON.stringify(inputs)}'`
}

function canTag({ inputs: { material }, seed }: Plan, inputs: Record<string, string>): boolean {
  if (material === undefined) return true
  try {
    createInputSource({ ...material, inputs }, createRandom(seed))(0)
    return true
  } catch (error) {
    if (error instanceof ScenarioError) return false
    throw error
  }
}

/** The same for `--inputs`, or for inputs that were made up. */
export function flaggedInputsRefused(
  inputs: Readonly<Record<string, unknown>>,
  answer: Answer,
): InputsRefused {
  const names = missingInputsIn(answer)
  const given = Object.keys(inputs)
  const example = sampleInputs([...given, ...names])
  const remedy = arePlain(names)
    ? `try --inputs '${JSON.stringify(example)}'`
    : 'give them with --inputs'
  return refusedInputs({ source: '--inputs', given, needed: names, remedy })
}

/** Whether the names are few and plain enough for a command line that somebody copies. */
function arePlain(names: readonly string[]): boolean {
  return names.length <= MOST_SHOWN && names.every((name) => /^[\w-]{1,60}$/.test(name))
}
