/** The instructions for a manifest, in the comment that precedes it. */

/** What is applied, of the options of a manifest. */
interface Applied {
  name: string
  namespace?: string
  instances: number
  tokenSecret: string
  script: { text: string } | { claim: string; file: string }
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
export function manifestSteps(options: Applied, facts: StepFacts): string {
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
      'has released them; each apply is a separate run.',
    'Follow the logs from the start: afterwards kubectl shows only the newest file ' +
      'of each, 10 MiB, and a lost line makes the result INVALID.',
    `  for i in $(seq ${instances}); do`,
    `    ${kubectl} logs --follow --pod-running-timeout=10m job/${name}-$i > pod-$i.log &`,
    '  done; wait',
    '  crewload report merge --logs pod-*.log',
    'A pod that is deleted or evicted ends immediately: k6 does not wait for ' +
      'executions in flight, which ' +
      'continue on the target. The merged result counts them, and is INVALID.',
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

function claimSteps(script: Applied['script'], kubectl: string, measures: boolean): string[] {
  if (!('claim' in script)) return []
  const { claim, file } = script
  return [
    `The script goes on the claim ${claim} as ${file}, through any pod that mounts ` +
      'it at PATH; use the same scenario, flags and number of VUs:',
    `  crewload k6 bundle SCENARIO${measures ? ' --k6-metrics' : ''} --out crewload.js && ` +
      `${kubectl} cp crewload.js POD:/PATH/${file}`,
  ]
}
