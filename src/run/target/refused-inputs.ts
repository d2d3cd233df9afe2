/** The crew refused the inputs of the first kickoff: the user's mistake, with an example. */
import type { MissingInputs } from '../../crew/inputs/words.ts'
import type { Answer } from '../../crew/answer.ts'
import { missingInputsIn } from '../../crew/inputs/refused.ts'
import { namesWords, MOST_SHOWN } from '../../crew/inputs/words.ts'
import { UserError } from '../../base/mistakes.ts'
import { createRandom } from '../../base/random.ts'
import { ScenarioError } from '../../scenario/author/call.ts'
import { createInputSource } from '../../scenario/author/inputs.ts'
import type { Plan } from '../../scenario/plan.ts'
import { sampleInputs, sampled } from './sample-inputs.ts'

/** One request was sent, which started nothing. */
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

/** `remedy`: what to do about it. */
function refusedInputs(told: {
  source: string
  path: string
  given: readonly string[]
  needed: readonly string[]
  remedy: string
}): InputsRefused {
  const { source, path, given, needed, remedy } = told
  const names = namesWords(needed, (name) => JSON.stringify(name))
  const expects = needed.length === 0 ? 'refused the inputs' : `also expects ${names}`
  return new InputsRefused({
    source,
    path,
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
  return refusedInputs({ source: '--inputs', path: '', given, needed: names, remedy })
}

/** Whether the names are few and plain enough for a command line that somebody copies. */
function arePlain(names: readonly string[]): boolean {
  return names.length <= MOST_SHOWN && names.every((name) => /^[\w-]{1,60}$/.test(name))
}
