/** Defines the flags of `crewload run`, which other commands share in part. */
import type { Command } from 'commander'
import { Option } from 'commander'
import { parseEngine } from '../../run/engines.ts'
import type { Engine, EngineName } from '../../run/options.ts'
import { MOST_INSTANCES, MOST_VUS } from '../../run/options.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Micros } from '../../base/units.ts'
import { collectHeader, collectSet, duration, positive, share, wholeNumber } from './values.ts'

export interface PlanFlags {
  seed?: number
  speed?: number
  set: Record<string, string>
  maxKickoffs?: number
  maxRequests?: number
  maxDuration?: Micros
  maxCost?: number
  costPerKickoff?: number
  judge?: 'interval' | 'value'
  inconclusive?: 'pass' | 'fail'
}

export interface LoadOptions extends PlanFlags {
  target?: string
  profile?: string
  dialect?: 'interface' | 'platform'
  engine: Engine
  k6Vus?: number
  k6Out?: string[]
  network?: string
  instances?: number
  prometheus?: string | true
  otlp?: string | true
  otlpTraces?: number
  out: string
  header: Record<string, string>
  tokenFile?: string
  ca?: string
  insecure?: boolean
  yes?: boolean
  dryRun?: boolean
  json?: boolean
  quiet?: boolean
}

/** The flags of a study that one engine carries. */
export type SingleEngineFlags = Partial<Pick<LoadOptions, 'engine' | 'network' | 'k6Vus'>>

/** The flags of every study that reaches a crew. */
export type StudyFlags = Pick<
  LoadOptions,
  | 'target'
  | 'profile'
  | 'dialect'
  | 'tokenFile'
  | 'header'
  | 'ca'
  | 'insecure'
  | 'out'
  | 'dryRun'
  | 'yes'
  | 'json'
  | 'quiet'
>

/** The flags of a study that reaches no crew. */
export type ReadingFlags = Pick<LoadOptions, 'dryRun' | 'json' | 'quiet'>

/** The options that name the target, shared by `run` and `check`. */
export function targetOptions(command: Command): Command {
  command
    .option('--target <url>', 'base URL of the crew under test')
    .option('--profile <name|file>', 'start a fake crew with this profile for the run')
    .addOption(dialectOption())
  return connectionOptions(command)
    .option('--yes', 'do not ask for confirmation before sending load to a deployment')
    .option('--json', 'print the result as JSON on stdout')
}

/** The options that apply to every request. */
export function connectionOptions(command: Command): Command {
  return command
    .option(
      '--token-file <file>',
      'tokens, one per line, used in rotation (default: CREWLOAD_TOKEN)',
    )
    .addOption(
      collected('--header <name:value>', 'extra request header, repeatable', collectHeader),
    )
    .option('--ca <file>', 'PEM file of a certificate authority to trust')
    .option('--insecure', 'do not verify the certificate of the target')
}

/** The options that determine the plan, besides the scenario. */
export function planOptions(command: Command): Command {
  return command
    .option('--seed <n>', 'seed of every random draw', wholeNumber(0))
    .option('--speed <factor>', 'time-lapse: divides every time except HTTP latency', positive)
    .addOption(
      collected('--set <path=value>', 'change one value of the scenario, repeatable', collectSet),
    )
    .option(
      '--max-kickoffs <n>',
      'hard budget of kickoffs; every target but a fake crew needs one',
      wholeNumber(1),
    )
    .option('--max-requests <n>', 'hard budget of requests', wholeNumber(1))
    .option(
      '--max-duration <time>',
      'hard budget of time, like "10m", after which the run ends',
      duration,
    )
    .option('--max-cost <amount>', 'hard budget in money, with --cost-per-kickoff', positive)
    .option('--cost-per-kickoff <amount>', 'price of one kickoff', positive)
}

/** The options that say how thresholds are judged. */
export function judgementOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--judge <by>', 'judge thresholds by their 95 % interval or by value').choices([
        'interval',
        'value',
      ]),
    )
    .addOption(
      new Option('--inconclusive <as>', 'treat undecided thresholds as passed or failed').choices([
        'pass',
        'fail',
      ]),
    )
}

/** The options for the load, and for the destination of the result. */
export function loadOptions(command: Command): Command {
  judgementOptions(planOptions(command))
    .addOption(
      new Option('--engine <name>', 'engine that generates the load: node, virtual or k6')
        .argParser(parseEngine)
        .default({ kind: 'node' }, 'node'),
    )
    .option(
      '--network <name|folder>',
      'network that --engine virtual simulates, or a run folder to learn it from',
    )
    .addOption(k6VusOption())
    .addOption(k6OutOption())
    .option(
      '--instances <n>',
      'k6 processes that share the VUs evenly, with --engine k6 (default: 1)',
      wholeNumber(1, MOST_INSTANCES),
    )
    .option(
      '--prometheus [address]',
      'serve metrics to Prometheus while it runs, at PORT or HOST:PORT (default: any free port ' +
        'of 127.0.0.1)',
    )
    .option(
      '--otlp [url]',
      'push metrics to an OpenTelemetry collector while it runs (default: by OTEL_* variables, ' +
        'else http://localhost:4318)',
    )
    .option(
      '--otlp-traces <share>',
      'share of executions that --otlp sends as traces, like "5%" (default: none)',
      share,
    )
  return outputOptions(command)
}

/** Where runs are written, and what is printed of them. */
function outputOptions(command: Command): Command {
  return command
    .option('--out <folder>', 'folder in which run folders are created', 'reports')
    .option('--dry-run', 'print the plan and send nothing')
    .option('--quiet', 'print only errors')
}

/** The options of every study that reaches a crew: `StudyFlags`. */
export function studyOptions(command: Command): Command {
  return withoutExporters(targetOptions(outputOptions(command)), OF_STUDIES)
}

const OF_STUDIES =
  'only allowed with crewload run: a study makes many runs, and their metrics would be added up ' +
  'as if they were one; each run has them in its result.json'

/** Refuses the metrics of a running run, and says why. */
export function withoutExporters(command: Command, problem: string): Command {
  for (const flags of ['--prometheus [address]', '--otlp [url]', '--otlp-traces [share]']) {
    const [source = ''] = flags.split(' ')
    const option = new Option(flags).hideHelp().preset('')
    command.addOption(
      option.argParser(() => {
        throw new UserError({ source, path: '', problem })
      }),
    )
  }
  return command
}

/** The options of a study that runs a scenario: `StudyFlags` and `PlanFlags`. */
export function scenarioStudyOptions(command: Command): Command {
  return planOptions(studyOptions(command))
}

/** The options of a study that reaches no crew: `ReadingFlags`. `dryRun`: what that flag does. */
export function readingOptions(command: Command, dryRun: string): Command {
  return command
    .option('--dry-run', dryRun)
    .option('--json', 'print the document as JSON on stdout')
    .option('--quiet', 'print only errors')
}

/** Virtual time or sockets, for a study that takes place in either; `others`: further ones. */
export function studyEngineOption(...others: EngineName[]): Option {
  const words = 'engine (default: virtual with --profile, otherwise node)'
  return new Option('--engine <name>', words).choices(['virtual', 'node', ...others])
}

/** The same, with what virtual time simulates between client and crew. */
export function studyEngineOptions(command: Command, ...others: EngineName[]): Command {
  return command
    .addOption(studyEngineOption(...others))
    .option('--network <name|folder>', 'network that --engine virtual simulates')
}

/** Any one engine, for a study whose trials are whole runs: `SingleEngineFlags`. */
export function singleEngineOptions(command: Command): Command {
  const words = 'engine: node, virtual or k6 (default: virtual with --profile, else node)'
  return command
    .addOption(new Option('--engine <name>', words).argParser(parseEngine))
    .option('--network <name|folder>', 'network that --engine virtual simulates')
    .addOption(k6VusOption())
}

function k6VusOption(): Option {
  const words = 'VUs that share the load, with --engine k6 (default: one per process)'
  return new Option('--k6-vus <n>', words).argParser(wholeNumber(1, MOST_VUS))
}

/** k6 measures only when it has an output. */
export function k6OutOption(): Option {
  const words = `k6 output, as in k6's --out, like "json=k6.json"; repeatable`
  return new Option('--k6-out <output>', `${words}; with --engine k6`).argParser(
    (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
  )
}

export function dialectOption(): Option {
  const option = new Option('--dialect <name>', 'dialect of the fake crew')
  return option.choices(['interface', 'platform'])
}

/** An option that may be repeated; without it, its value is an empty record. */
function collected(
  flags: string,
  words: string,
  collect: (text: string, before: Record<string, string>) => Record<string, string>,
): Option {
  return new Option(flags, words).argParser(collect).default({}, 'none')
}
