/** The options of a manifest for k6-operator, besides the plan. */
import { text, wholeNumber, yes } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { option } from '../../base/options/table.ts'
import { ENGINE } from '../options.ts'

export const MANIFEST = {
  instances: option('--instances <n>', 'number of pods', wholeNumber(1, 9_999), { default: 1 }),
  k6Vus: option('--k6-vus <n>', 'VUs over all pods', wholeNumber(1, 99_999), {
    otherwise: 'one per pod',
  }),
  /** The same for every pod. */
  k6Out: { ...ENGINE.out, group: 'Options' },
  name: option('--name <name>', 'name of TestRun and ConfigMap', text, {
    otherwise: "the scenario's",
  }),
  namespace: option('--namespace <name>', 'namespace', text, { otherwise: "kubectl's own" }),
  image: option('--image <image>', 'k6 image', text, {
    otherwise: 'grafana/k6 in the version that crewload is tested with',
  }),
  /** Its keys become environment variables of the runners only. */
  tokenSecret: option('--token-secret <name>', 'Secret with the key CREWLOAD_TOKEN', text, {
    default: 'crewload-token',
  }),
  volumeClaim: option(
    '--volume-claim <claim/file>',
    'claim that holds the script, instead of a ConfigMap',
    text,
  ),
  /** Kubernetes quantities for one pod: `1`, `500m`; `512Mi`. */
  cpu: option('--cpu <quantity>', 'CPU of one pod', text, { default: '1' }),
  memory: option('--memory <quantity>', 'memory of one pod', text, { default: '512Mi' }),
  separate: option('--separate', 'run every pod on a separate node', yes),
  insecure: option('--insecure', 'do not verify the certificate of the target', yes),
} satisfies OptionTable

export type ManifestFlags = Given<typeof MANIFEST>
