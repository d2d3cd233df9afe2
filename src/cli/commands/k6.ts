/** `crewload k6`: makes what k6 runs without crewload, on other machines. */
import { isLoopback } from '../../base/loopback.ts'
import { text, wholeNumber, yes } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { option } from '../../base/options/table.ts'
import { metricLines, variableLines } from '../../host/k6/metrics.ts'
import { MANIFEST } from '../../run/k6-export/options.ts'
import { JUDGEMENT, PLAN } from '../../run/options.ts'
import type { ActingCommand, MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { shellWord } from '../../base/text.ts'
import type { Io } from '../io/io.ts'
import { printOrWrite } from '../io/print-or-write.ts'

const SCENARIO = option('<scenario>', 'a file, or a shipped name', text, { required: true })
const OUT_FILE = option('--out <file>', 'output file', text, { otherwise: 'stdout' })

const BUNDLE = {
  scenario: SCENARIO,
  target: option('--target <url>', 'base URL of the crew', text, {
    otherwise: 'CREWLOAD_TARGET at run time',
  }),
  vus: option('--k6-vus <n>', 'VUs, each an instance of the run', wholeNumber(1, 99_999), {
    default: 1,
  }),
  metrics: option(
    '--k6-metrics',
    'let k6 run --out OUTPUT send the metrics that "crewload k6 --help" lists',
    yes,
    { default: false },
  ),
  out: OUT_FILE,
  plan: { ...PLAN, ...JUDGEMENT },
} satisfies OptionTable

const VARIABLES = [
  'Environment variables that the script reads when it runs:',
  ...variableLines(),
  '',
].join('\n')

const bundle: ActingCommand = {
  name: 'bundle',
  description: 'write one script that stock k6 runs unchanged',
  help: VARIABLES,
  options: BUNDLE,
  async act(io, { scenario, target, vus, metrics, out, plan }: Given<typeof BUNDLE>) {
    const { exportedScript } = await import('../../run/k6-export/script-file.ts')
    const onNote = (note: string): void => {
      io.stderr.write(`note: ${note}\n`)
    }
    const options = { ...plan, onNote, ...(target === undefined ? {} : { target }) }
    await printOrWrite(await exportedScript(scenario, options, { vus, metrics }), out, io)
    return EXIT.passed
  },
}

const MANIFEST_OF = {
  scenario: SCENARIO,
  target: option('--target <url>', 'base URL of the crew, as the pods reach it', text, {
    required: true,
  }),
  out: OUT_FILE,
  manifest: MANIFEST,
  plan: { ...PLAN, ...JUDGEMENT },
} satisfies OptionTable

const LOOPBACK =
  'the target is a loopback address, which inside a pod is the pod itself. Give ' +
  'the address of the crew within the cluster'

const manifest: ActingCommand = {
  name: 'manifest',
  description: 'write a TestRun and its ConfigMap for k6-operator',
  options: MANIFEST_OF,
  act: async (io, given: Given<typeof MANIFEST_OF>) => writeManifest(given, io),
}

/** The plan is printed on stderr: it says what applying the manifest will put on the target. */
async function writeManifest(
  { scenario, target, out, manifest: flags, plan }: Given<typeof MANIFEST_OF>,
  io: Io,
): Promise<number> {
  const { k6Manifest } = await import('../../run/k6-export/manifest.ts')
  const { renderForecast } = await import('../../run/plan/text.ts')
  const { parseTarget } = await import('../../run/target/chosen-place.ts')
  const onNote = (note: string): void => {
    io.stderr.write(`note: ${note}\n`)
  }
  const options = { ...plan, onNote, target }
  const { text: yaml, forecast } = await k6Manifest(
    scenario,
    options,
    flags,
    shellWord(out ?? 'FILE'),
  )
  io.stderr.write(renderForecast(forecast))
  if (isLoopback(parseTarget(target).hostname)) io.stderr.write(`note: ${LOOPBACK}\n`)
  await printOrWrite(yaml, out, io)
  return EXIT.passed
}

const METRICS = [
  'Metrics that --k6-out and --k6-metrics send to k6 outputs when an execution ends, with the',
  'tags of the scenario (warm-up arrivals contribute nothing; times are in milliseconds):',
  ...metricLines(),
  '',
].join('\n')

export const k6: MainCommand = {
  name: 'k6',
  group: 'Measure a crew',
  description: 'make a script for any k6, or a manifest for Kubernetes',
  help: METRICS,
  commands: [bundle, manifest],
}
