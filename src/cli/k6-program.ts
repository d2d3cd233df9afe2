/** `crewload k6`: a scenario past one process and one machine. */
import type { Command } from 'commander'
import { parseEngines } from '../run/engines.ts'
import { MOST_INSTANCES } from '../run/k6/engine.ts'
import { metricLines, variableLines } from '../run/k6/bundle/variables.ts'
import { EXIT_HELP } from './exit-codes.ts'
import type { Io } from './io/io.ts'
import {
  k6OutOption,
  loadOptions,
  judgementOptions,
  planOptions,
  targetOptions,
  wholeNumber,
} from './flags/options.ts'

type Done = (code: number) => void

export function addK6(program: Command, io: Io, done: Done): void {
  const k6 = program
    .command('k6')
    .description('a scenario in several k6 processes, or on Kubernetes')
    .addHelpText('after', `\n${METRIC_HELP}`)
  addRun(k6, io, done)
  addBundle(k6, io, done)
  addManifest(k6, io, done)
}

function addRun(k6: Command, io: Io, done: Done): void {
  const command = k6
    .command('run')
    .description(
      'as "run --engine k6", in several k6 processes started as k6-operator starts its pods',
    )
    .argument('<scenario>', 'a file, or a shipped name')
    .option(
      '--instances <n>',
      'k6 processes, which share the VUs evenly',
      wholeNumber(1, MOST_INSTANCES),
      1,
    )
  loadOptions(targetOptions(command)).addHelpText('after', `\n${EXIT_HELP}`)
  carriedByK6(command)
  command.action(async (scenario: string, options) => {
    const { runCommand } = await import('./commands/run.ts')
    done(await runCommand(scenario, options, io))
  })
}

/** Another engine is refused with `--instances`, as in `run`. */
function carriedByK6(command: Command): void {
  const engine = parseEngines('k6')
  command.options.find(({ long }) => long === '--engine')?.default(engine, 'k6')
  command.setOptionValueWithSource('engine', engine, 'default')
}

function addBundle(k6: Command, io: Io, done: Done): void {
  const command = k6
    .command('bundle')
    .description('one script that stock k6 runs as it is')
    .argument('<scenario>', 'a file, or a shipped name')
    .option('--target <url>', 'base URL of the crew (else told by CREWLOAD_TARGET when it runs)')
    .option('--k6-vus <n>', 'VUs, each an instance of the run', wholeNumber(1, 99_999), 1)
    .option('--k6-metrics', 'k6 run --out OUTPUT sends the metrics that "crewload k6 --help" lists')
    .option('--out <file>', 'where it is written (else printed)')
  judgementOptions(planOptions(command)).addHelpText('after', `\n${VARIABLE_HELP}`)
  command.action(async (scenario: string, options) => {
    const { k6BundleCommand } = await import('./commands/k6-bundle.ts')
    done(await k6BundleCommand(scenario, options, io))
  })
}

const VARIABLE_HELP = ['When it runs, the environment tells it:', ...variableLines(), ''].join('\n')

const METRIC_HELP = [
  'Metrics that --k6-out and --k6-metrics send to outputs of k6 when an execution ends, with the tags of the scenario',
  '(arrivals of the warm-up add nothing; times are in milliseconds):',
  ...metricLines(),
  '',
].join('\n')

function addManifest(k6: Command, io: Io, done: Done): void {
  const command = k6
    .command('manifest')
    .description('a TestRun and its ConfigMap for k6-operator')
    .argument('<scenario>', 'a file, or a shipped name')
    .requiredOption('--target <url>', 'base URL of the crew, as the pods reach it')
    .option('--instances <n>', 'pods', wholeNumber(1, 9_999), 1)
    .option('--k6-vus <n>', 'VUs over all pods (default: one a pod)', wholeNumber(1, 99_999))
    .addOption(k6OutOption())
    .option('--out <file>', 'where it is written (else printed)')
    .option('--name <name>', "of TestRun and ConfigMap (default: from the scenario's)")
    .option('--namespace <name>', "where they go (default: kubectl's own)")
    .option(
      '--image <image>',
      'of k6 (default: grafana/k6 of the version that crewload is tested with)',
    )
    .option('--token-secret <name>', 'a Secret with the key CREWLOAD_TOKEN', 'crewload-token')
    .option('--volume-claim <claim/file>', 'the script lies there, not in a ConfigMap')
    .option('--cpu <quantity>', 'of one pod', '1')
    .option('--memory <quantity>', 'of one pod', '512Mi')
    .option('--separate', 'every pod on a node of its own')
    .option('--insecure', 'do not verify the certificate of the target')
  judgementOptions(planOptions(command))
  command.action(async (scenario: string, options) => {
    const { k6ManifestCommand } = await import('./commands/k6-manifest.ts')
    done(await k6ManifestCommand(scenario, options, io))
  })
}
