/** A run on Kubernetes for k6-operator: a TestRun, and the ConfigMap that holds its script. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { plural } from '../../base/numbers.ts'
import { assert } from '../../base/assert.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { demandNone } from '../../base/mistakes.ts'
import { VARIABLES } from '../../host/k6/variables.ts'
import type { Forecast } from '../forecast.ts'
import type { Plan } from '../../scenario/plan.ts'
import { packageRoot } from '../environment/package.ts'
import type { RunOptions } from '../options.ts'
import type { ManifestFlags } from './options.ts'
import { forecastAt } from '../plan/forecast.ts'
import { plannedPlace } from '../target/chosen-place.ts'
import { HTTP1_ONLY, outputArguments, SCRIPT_FLAGS } from '../k6/arguments.ts'
import { k6ScriptFile, planForK6 } from './script-file.ts'
import { evenlyWords, outputMistakes } from '../k6/demands.ts'

/**
 * `file` is the path of the manifest, quoted for a shell: the commands in its header contain it.
 * Throws UserError for the scenario's mistakes and for those of the flags.
 */
export async function k6Manifest(
  scenario: string,
  options: RunOptions & { target: string },
  flags: ManifestFlags,
  file: string,
): Promise<{ text: string; forecast: Forecast }> {
  const { instances, k6Vus, k6Out: outputs = [], volumeClaim } = flags
  const vus = k6Vus ?? instances
  const asked = { vus, source: k6Vus === undefined ? '--instances' : '--k6-vus' }
  const plan = await planForK6(scenario, options, asked)
  demandNone([...kickoffMistakes(plan, vus), ...outputMistakes(outputs, instances)])
  const measures = outputs.length > 0
  const whole: ManifestOptions = {
    ...flags,
    vus,
    name: flags.name ?? manifestName(plan.name),
    image: flags.image ?? (await stockImage()),
    args: [...SCRIPT_FLAGS, ...outputArguments(outputs)],
    env: environment(options.target, flags.insecure === true),
    script:
      volumeClaim === undefined
        ? { text: await k6ScriptFile(plan, { scenario, vus, metrics: measures }) }
        : claimOf(volumeClaim),
  }
  const engine = `k6, ${plural(vus, 'VU')} in ${plural(instances, 'pod')}`
  const forecast = forecastAt(plan, { place: plannedPlace(options), engine }, options)
  const headers = Object.keys(plan.http.headers)
  return { text: manifestSteps(whole, { file, headers, measures }) + manifest(whole), forecast }
}

export interface ManifestOptions extends Pick<
  ManifestFlags,
  'instances' | 'namespace' | 'tokenSecret' | 'cpu' | 'memory' | 'separate'
> {
  /** The name of TestRun and ConfigMap; its pods' names are derived from it. */
  name: string
  /**
   * VUs of all pods together, a multiple of `instances`: otherwise k6 leaves segments without a VU.
   */
  vus: number
  image: string
  /** For a ConfigMap; or already on a claim, which the pods mount at `/test`. */
  script: { text: string } | { claim: string; file: string }
  /** Arguments after `k6 run`. */
  args: readonly string[]
  /**
   * Variables of the runners. They must not be secret: the operator copies the values into the
   * archive that its initializer makes.
   */
  env: Readonly<Record<string, string>>
}

/** The maximum size of the data of one ConfigMap, keys and values together, in the API server. */
const CONFIG_MAP_LIMIT_BYTES = 1_048_576
/**
 * The longest name of a Job (63), minus the longest suffix that the operator adds: `-initializer`,
 * or `-service-12345`.
 */
const NAME_LIMIT = 49
/**
 * The names that Kubernetes accepts for a Service (RFC 1035), a namespace (RFC 1123) and other
 * objects.
 */
const NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const OBJECT = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/
/** A tag other than `latest`, or a digest. */
const PINNED_IMAGE = /^[\w./:-]+(:(?!latest$)[\w][\w.-]*|@sha256:[0-9a-f]{64})$/
/** The path on the claim, from its root. */
const CLAIM_FILE = /^[\w.-]+(\/[\w.-]+)*$/
const QUANTITY = /^\d+(\.\d+)?(m|[kMGT]i?|Ki)?$/

const SCRIPT_FILE = 'crewload.js'

/** YAML with one or two documents. Throws UserError with every mistake. */
export function manifest(options: ManifestOptions): string {
  demandNone(mistakesOf(options))
  const { name, namespace, script } = options
  const metadata = { name, namespace }
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
  const documents = [
    ...('claim' in script ? [] : [{ ...configMap, data: { [SCRIPT_FILE]: script.text } }]),
    testRun(options, metadata),
  ]
  return documents
    .map((document) => stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n')
}

/** A name that Kubernetes accepts, as close to `scenario` as possible. */
export function manifestName(scenario: string): string {
  const plain = scenario.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const begun = /^[a-z]/.test(plain) ? plain : `crew-${plain}`
  return begun.slice(0, NAME_LIMIT).replaceAll(/(?<!-)-+$/g, '')
}

function mistakesOf(options: ManifestOptions): Mistake[] {
  const { name, namespace, instances, vus, image, tokenSecret, cpu, memory, script } = options
  const plain = 'expected lower-case letters, digits and "-"'
  const isNamed = NAME.test(name) && name.length <= NAME_LIMIT
  const inSpace = namespace === undefined || NAMESPACE.test(namespace)
  const quantity = 'expected a quantity like'
  const demands: [holds: boolean, source: string, found: string, problem: string][] = [
    [isNamed, '--name', name, `${plain}, a letter first, at most ${NAME_LIMIT}`],
    [inSpace, '--namespace', namespace ?? '', plain],
    [OBJECT.test(tokenSecret), '--token-secret', tokenSecret, `${plain} or "."`],
    [vus % instances === 0, '--k6-vus', String(vus), evenlyWords(instances)],
    [PINNED_IMAGE.test(image), '--image', image, 'expected a tag other than "latest"'],
    [QUANTITY.test(cpu), '--cpu', cpu, `${quantity} "1" or "500m"`],
    [QUANTITY.test(memory), '--memory', memory, `${quantity} "512Mi" or "1Gi"`],
  ]
  const mistakes = demands
    .filter(([holds]) => !holds)
    .map(([, source, found, problem]) => ({ source, found, problem }))
  return [...mistakes, ...scriptMistakes(script)]
}

/** `CLAIM/FILE`: the name of a claim has no slash. */
function claimOf(text: string): { claim: string; file: string } {
  const [claim = '', ...path] = text.split('/')
  return { claim, file: path.join('/') }
}

function scriptMistakes(script: ManifestOptions['script']): Mistake[] {
  const source = '--volume-claim'
  if ('claim' in script) {
    const { claim, file } = script
    if (OBJECT.test(claim) && CLAIM_FILE.test(file)) return []
    const problem =
      'expected the name of a claim and the path of the script on it: CLAIM/crewload.js'
    return [{ source, found: file === '' ? claim : `${claim}/${file}`, problem }]
  }
  const bytes = Buffer.byteLength(script.text) + SCRIPT_FILE.length
  if (bytes <= CONFIG_MAP_LIMIT_BYTES) return []
  const problem =
    `the script has ${bytes} bytes, and a ConfigMap takes ${CONFIG_MAP_LIMIT_BYTES}. Write it ` +
    'with "crewload k6 bundle", copy it to a persistent volume, and name it as CLAIM/FILE'
  return [{ source, found: 'none', problem }]
}

/**
 * Moving a pod to another node would lose its part of the run, so cluster-autoscaler and Karpenter
 * must leave it in place.
 */
const STAYS = {
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'karpenter.sh/do-not-disrupt': 'true',
}

/**
 * The operator's own probes kill a busy k6 after three failures of one second each; these allow
 * five minutes.
 */
const PROBE = {
  httpGet: { path: '/v1/status', port: 6565, scheme: 'HTTP' },
  periodSeconds: 10,
  timeoutSeconds: 10,
  failureThreshold: 30,
}

/** Enough for a shell with curl; a namespace with a quota rejects pods without resources. */
const STARTER_RESOURCES = {
  requests: { cpu: '50m', memory: '32Mi' },
  limits: { memory: '128Mi' },
}

/** Fields as in `api/v1alpha1/testrun_types.go` of k6-operator 1.6.0. */
function testRun(options: ManifestOptions, metadata: unknown): unknown {
  const { instances, args, image, tokenSecret, cpu, memory, separate = false } = options
  const env = Object.entries(options.env).map(([name, value]) => ({ name, value }))
  const pod = {
    image,
    automountServiceAccountToken: 'false',
    env,
    // There is no CPU limit: throttling would make the generator late.
    resources: { requests: { cpu, memory }, limits: { memory } },
  }
  return {
    apiVersion: 'k6.io/v1alpha1',
    kind: 'TestRun',
    metadata,
    spec: {
      parallelism: instances,
      separate,
      script: scriptField(options),
      args: [...args],
      // The initializer archives the script; it needs no token, so it receives none.
      initializer: pod,
      runner: {
        ...pod,
        envFrom: [{ secretRef: { name: tokenSecret } }],
        metadata: { annotations: STAYS },
        livenessProbe: PROBE,
        readinessProbe: PROBE,
      },
      starter: { automountServiceAccountToken: 'false', resources: STARTER_RESOURCES },
    },
  }
}

function scriptField({ script, name }: ManifestOptions): unknown {
  return 'claim' in script
    ? { volumeClaim: { name: script.claim, file: script.file, readOnly: true } }
    : { configMap: { name, file: SCRIPT_FILE } }
}

/** VUs would start, and pods be paid for, that may send nothing. */
function kickoffMistakes({ budget: { kickoffs } }: Plan, vus: number): Mistake[] {
  if (kickoffs === null || kickoffs >= vus) return []
  const problem = `more than the ${plural(kickoffs, 'kickoff')} of the budget: some would have nothing to send`
  return [{ source: '--instances', found: plural(vus, 'VU'), problem }]
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

export interface StepFacts {
  /** The path of the manifest, quoted for a shell. */
  file: string
  /** Names of the extra headers, whose values are not part of a script. */
  headers: readonly string[]
  /** Whether k6 has outputs, for which a script on a claim must be made. */
  measures: boolean
}

/** The steps from the Secret to the merged result, as commented shell lines. */
export function manifestSteps(options: ManifestOptions, facts: StepFacts): string {
  const { file, headers, measures } = facts
  const { name, instances, script } = options
  const kubectl = options.namespace === undefined ? 'kubectl' : `kubectl -n ${options.namespace}`
  const lines = [
    ...secretSteps(options.tokenSecret, headers, kubectl),
    ...claimSteps(script, kubectl, measures),
    'Use server-side apply: client-side apply keeps a copy in an annotation, which ' +
      'is limited to 256 KiB:',
    `  ${kubectl} apply --server-side -f ${file}`,
    `  ${kubectl} wait --for=create job/${name}-${instances} --timeout=10m`,
    'The pods begin together, at the next half or whole minute after the operator ' +
      'has released them. Each apply is a separate run.',
    'Follow the logs from the start. Afterwards kubectl shows only the newest file ' +
      'of each, 10 MiB. A lost line makes the result INVALID.',
    `  for i in $(seq ${instances}); do`,
    `    ${kubectl} logs --follow --pod-running-timeout=10m job/${name}-$i > pod-$i.log &`,
    '  done; wait',
    '  crewload report merge --logs pod-*.log',
    'A pod that is deleted or evicted ends immediately. k6 does not wait for executions in ' +
      'flight, which continue on the target. The merged result counts them, and is INVALID.',
    'Cleanup is up to you: it removes the pods, and their logs with them.',
    `  ${kubectl} delete -f ${file}`,
  ]
  return lines.map((line) => `# ${line}\n`).join('')
}

function secretSteps(secret: string, headers: readonly string[], kubectl: string): string[] {
  const from = '--from-file=CREWLOAD_TOKEN=tokens.txt'
  const create = `  ${kubectl} create secret generic ${secret} ${from}`
  const needs =
    'Needs k6-operator 1.6 or newer in the cluster. The token is read from a file, ' +
    'one token per line'
  if (headers.length === 0) return [`${needs}:`, create]
  const values = headers.map((name) => `"${name}: ..."`).join(', ')
  return [
    `${needs}, and so are the values of headers: ${values}`,
    `${create} --from-file=CREWLOAD_HEADERS=headers.txt`,
  ]
}

function claimSteps(
  script: ManifestOptions['script'],
  kubectl: string,
  measures: boolean,
): string[] {
  if (!('claim' in script)) return []
  const { claim, file } = script
  return [
    `The script goes on the claim ${claim} as ${file}, through any pod that mounts ` +
      'it at PATH. Use the same scenario, flags and number of VUs:',
    `  crewload k6 bundle SCENARIO${measures ? ' --k6-metrics' : ''} --out crewload.js && ` +
      `${kubectl} cp crewload.js POD:/PATH/${file}`,
  ]
}
