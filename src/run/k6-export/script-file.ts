/** A k6 script as a file: the bundle, preceded by a comment that says how to run it. */
import { env as processEnv } from 'node:process'
import { plural } from '../../result/metrics/format.ts'
import { metricLines, variableLines } from '../../host/k6/help.ts'
import { VARIABLES } from '../../host/k6/settings.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { RunOptions } from '../options.ts'
import { noEarlyAbortNotes } from '../early-abort.ts'
import { preparePlan } from '../plan/prepare.ts'
import { parseTarget } from '../target/target.ts'
import { version } from '../environment/version.ts'
import { HTTP1_ONLY, SCRIPT_FLAGS } from '../k6/arguments.ts'
import { demandNoBakedValues } from './baked-values.ts'
import type { K6BundleOptions } from '../k6/bundle.ts'
import { bundleForK6 } from '../k6/bundle.ts'
import { demandParts } from '../k6/engine.ts'

/**
 * `scenario` is a shipped name or a file; `options.target` is the default of the variable. Throws
 * UserError for the scenario's mistakes, for more VUs than its limits can be divided among, and for
 * values of environment variables in it; otherwise as `bundleForK6`.
 */
export async function k6Script(
  scenario: string,
  options: RunOptions,
  { vus, metrics }: Pick<K6BundleOptions, 'vus' | 'metrics'>,
): Promise<string> {
  const plan = await preparePlan(scenario, options)
  for (const note of noEarlyAbortNotes(plan)) options.onNote?.(note)
  demandParts(plan, vus, '--k6-vus')
  await demandNoBakedValues(plan, scenario, options, options.env ?? processEnv)
  const target = options.target === undefined ? null : parseTarget(options.target).href
  return k6ScriptFile(plan, { scenario, vus, metrics: metrics === true, target })
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
  const told = target === null ? `${VARIABLES.target}=https://crew.example.com ` : ''
  const lines = [
    `The scenario "${name}" (seed ${seed}, ${plural(vus, 'VU')}) for k6 1.8 or newer. ` +
      'It needs no other file.',
    `Made by crewload ${version()}${target === null ? '' : ` for ${target}`}.`,
    '',
    `  ${told}GODEBUG=${HTTP1_ONLY} k6 run --quiet ${SCRIPT_FLAGS.join(' ')} \\`,
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
