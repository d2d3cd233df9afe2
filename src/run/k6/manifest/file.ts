/** Makes the text of a manifest from a scenario. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env as processEnv } from 'node:process'
import { plural } from '../../../analysis/metrics/format.ts'
import { assert } from '../../../base/assert.ts'
import { VARIABLES } from '../../../host/k6/script/settings.ts'
import type { PlanFacts } from '../../../report/run/terminal/plan.ts'
import { UserError } from '../../../base/mistakes.ts'
import type { Plan } from '../../../scenario/plan.ts'
import { noEarlyAbortNotes } from '../../early-abort.ts'
import { planFacts } from '../../plan/facts.ts'
import type { RunOptions } from '../../options.ts'
import { packageRoot } from '../../environment/package-root.ts'
import { placeWords } from '../../target/chosen-place.ts'
import { preparePlan } from '../../plan/prepare.ts'
import { manifestSteps } from './steps.ts'
import type { ManifestOptions } from './manifest.ts'
import { manifest, manifestName } from './manifest.ts'
import { HTTP1_ONLY, outputArguments, SCRIPT_FLAGS } from '../arguments.ts'
import { demandNoBakedValues } from '../bundle/baked-values.ts'
import { demandOutputs, demandParts } from '../engine.ts'
import { k6ScriptFile } from '../bundle/script-file.ts'

export interface ManifestWishes extends Pick<
  ManifestOptions,
  'namespace' | 'instances' | 'tokenSecret' | 'cpu' | 'memory' | 'separate'
> {
  /** Default: one VU per instance. */
  vus: number | null
  /** Outputs for k6's metrics, the same for every pod. */
  outputs: readonly string[]
  /** Default: derived from the scenario's name. */
  name: string | null
  /** Default: stock k6 in the version that this package builds and tests. */
  image: string | null
  /** A claim, and the path of the script on it; null puts the script into a ConfigMap. */
  volumeClaim: { claim: string; file: string } | null
  insecure: boolean
  /** The path of the file, quoted for a shell: the commands in its header contain it. */
  file: string
}

/** Throws UserError for the scenario's mistakes and for those of the options. */
export async function k6Manifest(
  scenario: string,
  options: RunOptions & { target: string },
  wishes: ManifestWishes,
): Promise<{ text: string; facts: PlanFacts }> {
  const plan = await preparePlan(scenario, options)
  for (const note of noEarlyAbortNotes(plan)) options.onNote?.(note)
  const { instances, volumeClaim, outputs } = wishes
  const vus = wishes.vus ?? instances
  demandParts(plan, vus, wishes.vus === null ? '--instances' : '--k6-vus')
  demandKickoffsForAll(plan, vus)
  demandOutputs(outputs, instances)
  await demandNoBakedValues(plan, scenario, options, options.env ?? processEnv)
  const metrics = outputs.length > 0
  const whole: ManifestOptions = {
    ...wishes,
    vus,
    name: wishes.name ?? manifestName(plan.name),
    image: wishes.image ?? (await stockImage()),
    args: [...SCRIPT_FLAGS, ...outputArguments(outputs)],
    env: environment(options.target, wishes.insecure),
    script:
      volumeClaim === null
        ? { kind: 'configMap', text: await k6ScriptFile(plan, { scenario, vus, metrics }) }
        : { kind: 'volumeClaim', ...volumeClaim },
  }
  const facts = planFacts(plan, {
    ...placeWords(options),
    engine: `k6, ${plural(vus, 'VU')} in ${plural(instances, 'pod')}`,
    costPerKickoff: options.costPerKickoff ?? null,
    maxCost: options.maxCost ?? null,
  })
  const headers = Object.keys(plan.http.headers)
  return {
    text: manifestSteps(whole, { file: wishes.file, headers, measures: metrics }) + manifest(whole),
    facts,
  }
}

/** Throws UserError when VUs would start, and pods be paid for, that may send nothing. */
function demandKickoffsForAll({ budget: { kickoffs } }: Plan, vus: number): void {
  if (kickoffs === null || kickoffs >= vus) return
  const problem =
    `more than the ${plural(kickoffs, 'kickoff')} of the budget: some would have ` +
    'nothing to send'
  throw new UserError({ source: '--instances', path: '', found: plural(vus, 'VU'), problem })
}

/** The operator starts its pods one after another, over several seconds when they are many. */
const START_EVERY_SECONDS = '30'

function environment(target: string, insecure: boolean): Record<string, string> {
  return {
    [VARIABLES.target]: target,
    // The same for all pods, and combined with the time when they begin: each use of the manifest
    // is a run of its own.
    [VARIABLES.runId]: randomBytes(4).toString('hex'),
    [VARIABLES.startEvery]: START_EVERY_SECONDS,
    ...(insecure ? { [VARIABLES.insecure]: '1' } : {}),
    K6_NO_USAGE_REPORT: 'true',
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
    GODEBUG: HTTP1_ONLY,
  }
}

/** The version of k6 in `tools/k6/go.mod`, with which all tests of this package ran. */
async function stockImage(): Promise<string> {
  const module = await readFile(join(packageRoot(), 'tools', 'k6', 'go.mod'), 'utf8')
  const [, version] = /go\.k6\.io\/k6\/v2 v(\d+\.\d+\.\d+)/.exec(module) ?? []
  assert(version !== undefined, 'tools/k6/go.mod pins no k6')
  return `grafana/k6:${version}`
}
