/** `crewload k6 manifest`: writes a manifest for k6-operator. */
import type { ManifestFlags } from '../../../run/k6/manifest.ts'
import type { ActingCommand } from '../../command.ts'
import { EXIT } from '../../exit-codes.ts'
import type { PlanFlags } from '../../flags/definitions.ts'
import { judgementOptions, k6OutOption, planOptions } from '../../flags/definitions.ts'
import { wholeNumber } from '../../flags/values.ts'
import type { Io } from '../../io/io.ts'

interface Flags extends PlanFlags, ManifestFlags {
  target: string
  out?: string
}

const LOOPBACK =
  'the target is a loopback address, which inside a pod is the pod itself: give ' +
  'the address of the crew within the cluster'

export const manifest: ActingCommand = {
  name: 'manifest',
  description: 'write a TestRun and its ConfigMap for k6-operator',
  declare(command) {
    command
      .argument('<scenario>', 'a file, or a shipped name')
      .requiredOption('--target <url>', 'base URL of the crew, as the pods reach it')
      .option('--instances <n>', 'number of pods', wholeNumber(1, 9_999), 1)
      .option('--k6-vus <n>', 'VUs over all pods (default: one per pod)', wholeNumber(1, 99_999))
      .addOption(k6OutOption())
      .option('--out <file>', 'output file (default: stdout)')
      .option('--name <name>', "name of TestRun and ConfigMap (default: the scenario's)")
      .option('--namespace <name>', "namespace (default: kubectl's own)")
      .option(
        '--image <image>',
        'k6 image (default: grafana/k6 in the version that crewload is tested with)',
      )
      .option('--token-secret <name>', 'Secret with the key CREWLOAD_TOKEN', 'crewload-token')
      .option('--volume-claim <claim/file>', 'claim that holds the script, instead of a ConfigMap')
      .option('--cpu <quantity>', 'CPU of one pod', '1')
      .option('--memory <quantity>', 'memory of one pod', '512Mi')
      .option('--separate', 'run every pod on a separate node')
      .option('--insecure', 'do not verify the certificate of the target')
    judgementOptions(planOptions(command))
  },
  act: async (io, scenario: string, flags: Flags) => writeManifest(scenario, flags, io),
}

/** The plan is printed on stderr: it says what applying the manifest will put on the target. */
async function writeManifest(scenario: string, flags: Flags, io: Io): Promise<number> {
  const { k6Manifest } = await import('../../../run/k6/manifest.ts')
  const { renderPlan } = await import('../../../report/run/terminal/plan.ts')
  const { isLoopback } = await import('../../../base/loopback.ts')
  const { parseTarget } = await import('../../../run/target/target.ts')
  const { shellWord } = await import('../../flags/command-words.ts')
  const { planOptionsOf } = await import('../../flags/to-run-options.ts')
  const { printOrWrite } = await import('../../io/print-or-write.ts')
  const { target, out } = flags
  const onNote = (note: string): void => {
    io.stderr.write(`note: ${note}\n`)
  }
  const options = { ...planOptionsOf(flags), onNote, target }
  const { text, facts } = await k6Manifest(scenario, options, flags, shellWord(out ?? 'FILE'))
  io.stderr.write(renderPlan(facts))
  if (isLoopback(parseTarget(target).hostname)) io.stderr.write(`note: ${LOOPBACK}\n`)
  await printOrWrite(text, out, io)
  return EXIT.passed
}
