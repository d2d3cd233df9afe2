/** A run on Kubernetes for k6-operator: a TestRun, and the ConfigMap that holds its script. */
import { stringify } from 'yaml'
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError } from '../../../base/mistakes.ts'
import { evenlyWords } from '../engine.ts'

export interface ManifestOptions {
  /** The name of TestRun and ConfigMap; its pods' names are derived from it. */
  name: string
  /** Null uses the namespace of kubectl's context. */
  namespace: string | null
  /** The number of pods. */
  instances: number
  /**
   * VUs of all pods together, a multiple of `instances`: otherwise k6 leaves segments without a VU.
   */
  vus: number
  image: string
  script: ManifestScript
  /** Arguments after `k6 run`. */
  args: readonly string[]
  /**
   * Variables of the runners. They must not be secret: the operator copies the values into the
   * archive that its initializer makes.
   */
  env: Readonly<Record<string, string>>
  /** A Secret whose keys become environment variables of the runners only. */
  tokenSecret: string
  /** Kubernetes quantities for one pod: `1`, `500m`; `512Mi`. */
  cpu: string
  memory: string
  /** Puts every pod on a different machine. */
  separate: boolean
}

type ManifestScript =
  | { kind: 'configMap'; text: string }
  /** `file` is already on the claim; the pods mount the claim at `/test`. */
  | { kind: 'volumeClaim'; claim: string; file: string }

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

export const SCRIPT_FILE = 'crewload.js'

/** YAML with one or two documents. Throws UserError with every mistake. */
export function manifest(options: ManifestOptions): string {
  const mistakes = mistakesOf(options)
  if (mistakes.length > 0) throw new UserError(mistakes)
  const documents = [...configMaps(options), testRun(options)]
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
  const mistakes: Mistake[] = []
  const demand = (holds: boolean, source: string, found: string, problem: string): void => {
    if (!holds) mistakes.push({ source, path: '', found, problem })
  }
  const plain = 'expected lower-case letters, digits and "-"'
  demand(
    NAME.test(name) && name.length <= NAME_LIMIT,
    '--name',
    name,
    `${plain}, a letter first, at most ${NAME_LIMIT}`,
  )
  demand(namespace === null || NAMESPACE.test(namespace), '--namespace', namespace ?? '', plain)
  demand(OBJECT.test(tokenSecret), '--token-secret', tokenSecret, `${plain} or "."`)
  demand(vus % instances === 0, '--k6-vus', String(vus), evenlyWords(instances))
  demand(PINNED_IMAGE.test(image), '--image', image, 'expected a tag other than "latest"')
  demand(QUANTITY.test(cpu), '--cpu', cpu, 'expected a quantity like "1" or "500m"')
  demand(QUANTITY.test(memory), '--memory', memory, 'expected a quantity like "512Mi" or "1Gi"')
  return [...mistakes, ...scriptMistakes(script)]
}

function scriptMistakes(script: ManifestScript): Mistake[] {
  const source = '--volume-claim'
  if (script.kind === 'volumeClaim') {
    const { claim, file } = script
    if (OBJECT.test(claim) && CLAIM_FILE.test(file)) return []
    const problem =
      'expected the name of a claim and the path of the script on it: CLAIM/crewload.js'
    return [{ source, path: '', found: `${claim}/${file}`, problem }]
  }
  const bytes = Buffer.byteLength(script.text) + SCRIPT_FILE.length
  if (bytes <= CONFIG_MAP_LIMIT_BYTES) return []
  const problem =
    `the script has ${bytes} bytes and a ConfigMap takes ${CONFIG_MAP_LIMIT_BYTES}: write it ` +
    'with "crewload k6 bundle", ' +
    'copy it to a persistent volume, and name it here as CLAIM/FILE'
  return [{ source, path: '', found: 'none', problem }]
}

function configMaps(options: ManifestOptions): unknown[] {
  const { script } = options
  if (script.kind !== 'configMap') return []
  const { text } = script
  const metadata = metadataOf(options)
  return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [SCRIPT_FILE]: text } }]
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
function testRun(options: ManifestOptions): unknown {
  const { instances, args, image, tokenSecret, cpu, memory, separate } = options
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
    metadata: metadataOf(options),
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

function metadataOf({ name, namespace }: ManifestOptions): unknown {
  return { name, ...(namespace === null ? {} : { namespace }) }
}

function scriptField({ script, name }: ManifestOptions): unknown {
  return script.kind === 'configMap'
    ? { configMap: { name, file: SCRIPT_FILE } }
    : { volumeClaim: { name: script.claim, file: script.file, readOnly: true } }
}
