/** A k6 script as a file: the bundle, preceded by a comment that says how to run it. */
import { env as processEnv } from 'node:process'
import { plural } from '../../base/numbers.ts'
import { metricLines, variableLines } from '../../host/k6/metrics.ts'
import { VARIABLES } from '../../host/k6/variables.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { RunOptions } from '../options.ts'
import { noEarlyAbortNotes } from '../early-abort.ts'
import { preparePortable } from '../plan/prepare.ts'
import { parseTarget } from '../target/chosen-place.ts'
import { version } from '../environment/package.ts'
import { HTTP1_ONLY, SCRIPT_FLAGS } from '../k6/arguments.ts'
import type { K6BundleOptions } from '../k6/bundle.ts'
import { bundleForK6 } from '../k6/bundle.ts'
import { partMistakes, webhookMistakes } from '../k6/demands.ts'
import { demandNone } from '../../base/mistakes.ts'
import { portablePlan } from '../../scenario/plan-data.ts'
import type { LoadedScenario } from '../scenario/load.ts'
import { loadScenario } from '../scenario/load.ts'

/**
 * `scenario` is a shipped name or a file. Throws UserError for its mistakes, for more VUs than its
 * limits can be divided among (`source` is the flag that asked for them), and for values of
 * environment variables in it.
 */
export async function planForK6(
  scenario: string,
  options: RunOptions,
  { vus, source }: { vus: number; source: string },
): Promise<Plan> {
  const from = await loadScenario(scenario)
  const plan = await preparePortable(from, options)
  for (const note of noEarlyAbortNotes(plan)) options.onNote?.(note)
  demandNone([...partMistakes(plan, vus, source), ...webhookMistakes(plan)])
  demandNoBakedValues(plan, from, options)
  return plan
}

/**
 * `options.target` is the default of the variable. Throws UserError as `planForK6` and
 * `bundleForK6`.
 */
export async function exportedScript(
  scenario: string,
  options: RunOptions,
  { vus, metrics = false }: Pick<K6BundleOptions, 'vus' | 'metrics'>,
): Promise<string> {
  const plan = await planForK6(scenario, options, { vus, source: '--k6-vus' })
  const target = options.target === undefined ? null : parseTarget(options.target).href
  return k6ScriptFile(plan, { scenario, vus, metrics, target })
}

/** Throws as `bundleForK6`. */
export async function k6ScriptFile(plan: Plan, options: K6BundleOptions): Promise<string> {
  const { code } = await bundleForK6(plan, options)
  return head(plan, options) + code
}

function head(
  { name, seed }: Plan,
  { vus, target = null, metrics = false }: K6BundleOptions,
): string {
  const assignment = target === null ? `${VARIABLES.target}=https://crew.example.com ` : ''
  const lines = [
    `The scenario "${name}" (seed ${seed}, ${plural(vus, 'VU')}) for k6 1.8 or newer. ` +
      'It needs no other file.',
    `Made by crewload ${version()}${target === null ? '' : ` for ${target}`}.`,
    '',
    `  ${assignment}GODEBUG=${HTTP1_ONLY} k6 run --quiet ${SCRIPT_FLAGS.join(' ')} \\`,
    '    --console-output=journal.ndjson THIS-FILE',
    '  crewload report merge --logs journal.ndjson',
    ...(metrics ? ['', 'With --out OUTPUT, k6 receives these metrics:', ...metricLines()] : []),
    '',
    'Environment:',
    ...variableLines(),
    '',
    'Several processes share one schedule if each gets an --execution-segment of the same',
    `length, all get the same --execution-segment-sequence and ${VARIABLES.runId}, and the`,
    'number of VUs is a multiple of the number of processes.',
  ]
  return `${lines.map((line) => `// ${line}`.trimEnd()).join('\n')}\n`
}

/** Shorter values are only compared with whole texts. */
const LEAST_WITHIN = 6

/**
 * Throws UserError for each variable that the scenario's files name and whose value occurs in the
 * texts of the plan: it was read when the scenario was loaded, and a ConfigMap keeps nothing
 * secret. Values given by `--set` are intended to be there.
 */
function demandNoBakedValues(
  plan: Plan,
  { code, source }: LoadedScenario,
  { set = {}, env = processEnv }: RunOptions,
): void {
  const given = Object.values(set)
  const texts = textsOf(plan)
  const baked = Object.entries(env).filter(
    ([, value = '']) => value !== '' && !isWithin(value, given) && isWithin(value, texts),
  )
  const named = baked.map(([name]) => name).filter((name) => reads(code ?? '', name))
  demandNone(named.map((name) => mistake(source, name)))
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
    'was read when the scenario was loaded, so the script would show its value. ' +
    `Read it in a function when it is called, as (globalThis.__ENV ?? process.env).${name}, ` +
    'and put it into the Secret. Give a value that is not secret with --set'
  return { source, path: `process.env.${name}`, problem }
}
