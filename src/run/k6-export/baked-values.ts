/**
 * Values of environment variables that a script would contain: they were read when the scenario was
 * loaded, and a ConfigMap keeps nothing secret.
 */
import { UserError } from '../../base/mistakes.ts'
import type { Plan } from '../../scenario/plan.ts'
import { portablePlan } from '../../scenario/plan-data.ts'
import { bundleScenario } from '../scenario/load.ts'
import type { RunOptions } from '../options.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/** Shorter values are only compared with whole texts. */
const LEAST_WITHIN = 6

/**
 * Throws UserError for each variable that the scenario's files name and whose value occurs in the
 * texts of the plan. Values given by `--set` are intended to be there.
 */
export async function demandNoBakedValues(
  plan: Plan,
  scenario: string,
  { set = {} }: Pick<RunOptions, 'set'>,
  variables: Variables,
): Promise<void> {
  const given = Object.values(set)
  const texts = textsOf(plan)
  const baked = Object.entries(variables).filter(
    ([, value = '']) => value !== '' && !isWithin(value, given) && isWithin(value, texts),
  )
  if (baked.length === 0) return
  const { code } = await bundleScenario(scenario)
  const named = baked.map(([name]) => name).filter((name) => reads(code, name))
  if (named.length > 0) throw new UserError(named.map((name) => mistake(scenario, name)))
}

/** Everything that travels as data, except header values, which are empty in a script. */
function textsOf(plan: Plan): string[] {
  const { http: _, ...portable } = portablePlan(plan)
  const texts: string[] = []
  JSON.stringify(portable, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts
}

function isWithin(value: string, texts: readonly string[]): boolean {
  return texts.some(
    (text) => text === value || (value.length >= LEAST_WITHIN && text.includes(value)),
  )
}

function reads(code: string, name: string): boolean {
  const word = new RegExp(
    String.raw`(?<![\w$])${name.replaceAll(/[^\w]/g, String.raw`\$&`)}(?![\w$])`,
  )
  return /\benv\b/.test(code) && word.test(code)
}

function mistake(source: string, name: string): { source: string; path: string; problem: string } {
  const problem =
    'was read when the scenario was loaded, so its value would be readable in the script; ' +
    `read it in a function when it is called, as (globalThis.__ENV ?? process.env).${name}, ` +
    'and put it into the Secret, or give a value that is not secret with --set'
  return { source, path: `process.env.${name}`, problem }
}
