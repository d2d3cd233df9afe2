/**
 * A run on Kubernetes, written down for k6-operator: a TestRun, and the ConfigMap that holds its
 * script.
 */
import { stringify } from 'yaml'
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError } from '../../../base/mistakes.ts'
import { evenlyWords } from '../engine.ts'

export interface ManifestOptions {
  /** Of TestRun and ConfigMap; its pods' names are made from it. */
  name: string
  /** Null leaves it to kubectl's context. */
  namespace: string | null
  /** Pods. */
  instances: number
  /** VUs over all pods, a multiple of `instances`: k6 gives a segment that has fewer none. */
  vus: number
  image: string
  script: ManifestScript
  /** Words of the command line after `k6 run`. */
  args: readonly string[]
  /**
   * Of the runners. No secret: the operator copies these values into the archive that its
   * initializer makes.
   */
  env: Readonly<Record<string, string>>
  /** A Secret whose keys become environment variables of the runners alone. */
  tokenSecret: string
  /** Kubernetes quantities of one pod: `1`, `500m`; `512Mi`. */
  cpu: string
  memory: string
  /** Every pod on a machine of its own. */
  separate: boolean
}

type ManifestScript =
  | { kind: 'configMap'; text: string }
  /** `file` lies on the claim already; in the pods the claim is `/test`. */
  | { kind: 'volumeClaim'; claim: string; file: string }

/** The API server takes no more in the data of one ConfigMap, keys and values together. */
const CONFIG_MAP_LIMIT_BYTES = 1_048_576
/**
 * The longest name that a Job can have (63), less the longest ending that the operator gives:
 * `-initializer`, or `-service-12345`.
 */
const NAME_LIMIT = 49
/**
 * What Kubernetes takes as the name of a Service (RFC 1035), of a namespace (RFC 1123) and of other
 * objects.
 */
const NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const OBJECT = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/
/** A tag other than `latest`, or a digest. */
const PINNED_IMAGE = /^[\w./:-]+(:(?!latest$)[\w][\w.-]*|@sha256:[0-9a-f]{64})$/
/** In the claim, from its root. */
const CLAIM_FILE = /^[\w.-]+(\/[\w.-]+)*$/
const QUANTITY = /^\d+(\.\d+)?(m|[kMGT]i?|Ki)?$/

export const SCRIPT_FILE = 'crewload.js'

/** YAML of one or two documents. Throws UserError with every mistake. */
export function manifest(options: ManifestOptions): string {
  const mistakes = mistakesOf(options)
  if (mistakes.length > 0) throw new UserError(mistakes)
  const documents = [...configMaps(options), testRun(options)]
  return documents
    .map((document) => stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n')
}

/** A name that Kubernetes takes, as near to `scenario` as it can be. */
export function manifestName(scenario: string): string {
  const plain = scenario.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const begun = /^[a-z]/.test(plain) ? plain : `crew-${plain}`
  return begun.slice(0, NAME_LIMIT).replaceAll(/-+$/g, '')
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
    `the script has ${bytes} bytes and a ConfigMap takes ${CONFIG_MAP_LIMIT_BYTES}: write it with "crewload k6 bundle", ` +
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
 * A pod that is moved to another node takes its part of the run with it: cluster-autoscaler and
 * Karpenter leave it alone.
 */
const STAYS = {
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'karpenter.sh/do-not-disrupt': 'true',
}

/**
 * The operator's own give a busy k6 three times one second before it is killed; these give it five
 * minutes.
 */
const PROBE = {
  httpGet: { path: '/v1/status', port: 6565, scheme: 'HTTP' },
  periodSeconds: 10,
  timeoutSeconds: 10,
  failureThreshold: 30,
}

/** Of a shell with curl: where there is a quota, a pod without any is not let in. */
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
    // No limit of CPU: a throttled generator is a late one.
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
      // Archives the script: it needs no token, and what it is not given it cannot keep.
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
