/** The options of `run()` as a table, from which the command line has its flags. */
import { ENGINES } from '../base/options/engines.ts'
import {
  changes,
  contentsOf,
  duration,
  headers,
  inCode,
  jsonObject,
  networkName,
  oneOf,
  positive,
  profileName,
  text,
  texts,
  wholeNumber,
  yes,
} from '../base/options/kinds.ts'
import type { Again, Option, OptionsOf, OptionTable } from '../base/options/table.ts'
import { formatCount, formatDuration, lapseWords, plural } from '../base/numbers.ts'
import type { Scenario } from '../scenario/define.ts'
import { isSecretPath, isSecretPathOfPart } from '../base/options/secret-paths.ts'
import {
  always,
  flagAliases,
  flagName,
  grouped,
  kept,
  option,
  shownValue,
  unknownOptions,
} from '../base/options/table.ts'
import type { SendingBudget } from '../engine/sending-budget.ts'
import type { TokenSource } from '../host/node/token-source.ts'
import { DIALECT_NAMES } from '../crew/wire.ts'
import { EXPORTERS } from '../host/telemetry/exporters.ts'
import type { RunLine } from '../execution/record/journal-lines.ts'
import type { LiveProgress } from '../report/run/terminal/progress.ts'
import type { Forecast } from './forecast.ts'
import type { Mistake } from '../base/mistakes.ts'
import { demandNone, nearTo } from '../base/mistakes.ts'

/** Variables of the environment by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** This process, simulated time, or k6. */
export type EngineName = RunLine['engine']

/** No machine benefits from more processes than it has cores. */
export const MOST_INSTANCES = 64
/** The maximum of one run on this machine: each VU has its own engine, a few MB. */
export const MOST_VUS = 10_000

/** The options that one engine alone understands. */
const OF_ENGINES = {
  node: {},
  virtual: {
    /**
     * The network between client and crew: `none`, `loopback`, `lan`, `wan`, or the folder of a run
     * to learn it from. Default `loopback`.
     */
    network: kept(
      '--network <name|folder>',
      'network that --engine virtual simulates, or a run folder to learn it from',
      networkName,
    ),
  },
  k6: {
    /**
     * VUs of all processes together: each is an instance with its own event loop. Default: one per
     * process.
     */
    vus: kept(
      '--k6-vus <n>',
      'VUs that share the load, with --engine k6',
      wholeNumber(1, MOST_VUS),
      { otherwise: 'one per process' },
    ),
    /**
     * Outputs of k6, as its `--out` takes them: `json=k6.json`, `experimental-prometheus-rw`. They
     * receive k6's own metrics of requests, and the named metrics `crewload_*` of executions.
     * Default: none, and k6 measures nothing.
     */
    out: option(
      '--k6-out <output>',
      `k6 output, as in k6's --out, like "json=k6.json"; repeatable; with --engine k6`,
      { ...texts, sign: '=' },
      { secret: always },
    ),
    /**
     * k6 processes that share the VUs evenly, 1 to 64, started and released as k6-operator does
     * with pods. Default 1.
     */
    instances: kept(
      '--instances <n>',
      'k6 processes that share the VUs evenly, with --engine k6',
      wholeNumber(1, MOST_INSTANCES),
      { otherwise: '1' },
    ),
    /**
     * The k6 program. Default: the one that `K6_BIN` names, the one in `tools/k6`, or that on the
     * `PATH`.
     */
    binary: { takes: inCode<string>() },
  },
} satisfies Record<EngineName, OptionTable>

type EngineOf<Kind extends EngineName> = { kind: Kind } & OptionsOf<(typeof OF_ENGINES)[Kind]>

export type NodeEngine = EngineOf<'node'>
export type VirtualEngine = EngineOf<'virtual'>
export type K6Engine = EngineOf<'k6'>

/** The engine that carries the load, with the options that only it understands. */
export type Engine = { [Kind in EngineName]: EngineOf<Kind> }[EngineName]

/** An engine, and the options of each. */
export const ENGINE = grouped('Advanced', {
  kind: kept(
    '--engine <name>',
    'engine that generates the load: node, virtual or k6',
    oneOf<EngineName>(ENGINES),
    { otherwise: 'node', line: (engine: string) => engine },
  ),
  ...OF_ENGINES.virtual,
  ...OF_ENGINES.k6,
} satisfies OptionTable)

export const DIALECT = kept('--dialect <name>', 'dialect of the fake crew', oneOf(DIALECT_NAMES))

/** The options of every request. */
export const CONNECTION = {
  /** Assigned to executions in turn. They are never written anywhere. */
  tokens: option(
    '--token-file <file>',
    'tokens, one per line, used in rotation',
    contentsOf<readonly string[]>(),
    { otherwise: 'CREWLOAD_TOKEN', again: true },
  ),
  /** In place of tokens: asks for one, again and again. */
  tokenSource: option(
    '--token-command <command>',
    'program that prints the token, run again when it ends',
    contentsOf<TokenSource>(),
    { otherwise: 'CREWLOAD_OAUTH_URL', secret: always, again: true },
  ),
  /** With lower-case names. */
  headers: kept('--header <name:value>', 'extra request header, repeatable', headers, {
    default: {},
    otherwise: 'none',
    secret: always,
    again: true,
  }),
  tls: {
    /** A client certificate in PEM, and its private key. */
    ...grouped('Target', {
      cert: option('--cert <file>', 'PEM file of a client certificate', contentsOf<string>(), {
        again: true,
      }),
      key: option('--key <file>', 'PEM file of its private key', contentsOf<string>(), {
        again: true,
      }),
    } satisfies OptionTable),
    ...grouped('Advanced', {
      /** Certificates in PEM, trusted in addition to the usual roots. */
      ca: option(
        '--ca <file>',
        'PEM file of a certificate authority to trust',
        contentsOf<string>(),
        { again: true },
      ),
      insecure: option('--insecure', 'do not verify the certificate of the target', yes, {
        again: true,
      }),
    } satisfies OptionTable),
  },
} satisfies OptionTable

/** The options that name a crew, and say how it is reached. One of the first two is needed. */
export const REACH = grouped('Target', {
  target: kept('--target <url>', 'base URL of the crew under test', text),
  profile: kept(
    '--profile <name|file>',
    'start a fake crew with this profile for the run',
    profileName,
  ),
  dialect: DIALECT,
  ...CONNECTION,
} satisfies OptionTable)

/** The options that determine the plan, besides the scenario. */
export const PLAN = {
  ...grouped('Advanced', {
    /** Default: the scenario's, or else 42. */
    seed: kept('--seed <n>', 'seed of every random draw', wholeNumber(0), {
      line: (seed: number) => `seed ${seed}`,
    }),
    /** Divides the times of scenario and profile. Default 1. */
    speed: kept(
      '--speed <factor>',
      'time-lapse: divides every time except HTTP latency',
      positive,
      {
        line: (speed: number) => {
          const words = lapseWords(speed)
          return words === null ? '' : `time-lapse: ${words}`
        },
      },
    ),
  } satisfies OptionTable),
  ...grouped('Load', {
    /** Changes to the scenario before it is checked: `{ 'arrivals.rate': '3/s' }`. */
    set: kept('--set <path=value>', 'change one value of the scenario, repeatable', changes, {
      default: {},
      otherwise: 'none',
      secret: isSecretPath,
      again: true,
    }),
  } satisfies OptionTable),
  ...grouped('Budget', {
    /** Hard limits; the smaller of these and the scenario's applies. */
    budget: {
      kickoffs: kept(
        '--max-kickoffs <n>',
        'hard budget of kickoffs; every target but a fake crew needs one',
        wholeNumber(1),
        { line: (kickoffs: number) => plural(kickoffs, 'kickoff') },
      ),
      requests: kept('--max-requests <n>', 'hard budget of requests', wholeNumber(1), {
        line: (requests: number) => plural(requests, 'request'),
      }),
      wallMicros: kept(
        '--max-duration <time>',
        'hard budget of time, like "10m", after which the run ends',
        duration,
        { line: formatDuration },
      ),
    },
    /**
     * A hard limit in money; needs `costPerKickoff`. Where the scenario has prices, it bounds the
     * measured cost, and `costPerKickoff` is the estimate of executions that report no tokens.
     */
    maxCost: kept(
      '--max-cost <amount>',
      'hard budget in money, with --cost-per-kickoff; bounds measured cost if the scenario has prices',
      positive,
      {
        line: (amount: number) => `cost ${formatCount(amount)}`,
      },
    ),
    costPerKickoff: kept(
      '--cost-per-kickoff <amount>',
      'price of one kickoff; of those that report no tokens, if the scenario has prices',
      positive,
    ),
  } satisfies OptionTable),
} satisfies OptionTable

export const JUDGEMENT = grouped('Judge', {
  /** How thresholds are judged that do not say so themselves. Default `interval`. */
  judge: kept(
    '--judge <by>',
    'judge thresholds by their 95 % interval or by value',
    oneOf(['interval', 'value']),
  ),
  /** The outcome of a run with a threshold that its interval leaves undecided. */
  inconclusive: kept('--inconclusive <as>', 'treat undecided thresholds as passed or failed', {
    ...oneOf(['inconclusive', 'pass', 'fail']),
    choices: ['pass', 'fail'],
  }),
} satisfies OptionTable)

export const OUT = option(
  '--out <folder>',
  'folder in which run folders are created',
  inCode<string | false, string>(),
  { default: 'reports', group: 'Output' },
)

/** How long the check of a target waits. */
export const CHECK_WAITS = {
  wait: option('--wait <duration>', 'how long to poll the one kickoff', text, { default: '5m' }),
  firstCall: option(
    '--first-call <duration>',
    'longest wait for the first answer (a cold start)',
    text,
    { default: '3m' },
  ),
} satisfies OptionTable

/** What a kickoff carries and where it is sent, of a command without a scenario. */
export function ways(kickoffs: string) {
  return {
    /** Default: sample values for the crew's names. */
    inputs: kept('--inputs <json>', `inputs of ${kickoffs}`, jsonObject('{"topic":"AI"}'), {
      otherwise: "sample values for the crew's names",
      secret: always,
      again: true,
    }),
    /** As `paths` of a scenario. Default: as documented. */
    paths: kept(
      '--paths <json>',
      'where the interface is: {"status":"/{id}/status"}',
      jsonObject('{"status":"/{id}/status"}'),
    ),
    /** As `kickoff` of a scenario, the same for every kickoff. */
    members: kept(
      '--members <json>',
      'what a kickoff carries beside inputs: {"meta":{}}',
      jsonObject('{"meta":{}}'),
      { secret: always, again: true },
    ),
  } satisfies OptionTable
}

/** The options that a plan depends on: the folder of the run keeps them. */
export const PLANNED = { headers: REACH.headers, ...PLAN, ...JUDGEMENT }

export const RUN = {
  ...REACH,
  ...PLANNED,
  engine: ENGINE,
  ...EXPORTERS,
  /** False writes nothing. */
  out: OUT,
  /**
   * Faults of the fake crew in addition to those of its profile, in YAML as in a profile: one, or a
   * list. Their times count from the zero of the run. Engines `node` and `virtual`.
   */
  faults: { takes: inCode<string>() },
  /**
   * Environment of the fake crew, and source of `HTTP_PROXY` and similar variables. Default: that
   * of this process.
   */
  env: { takes: inCode<Environment>(), again: true },
  /** Where the tokens come from, for the advice about a refused one. Default: not known. */
  tokensFrom: { takes: inCode<string>(), again: true },
  /**
   * The first abort stops kickoffs; executions in flight continue. Use `onStart` for finer control.
   */
  signal: { takes: inCode<AbortSignal>(), again: true },
  /** A budget that several runs share: each request is taken from it and from that of the run. */
  sharedBudget: { takes: inCode<SendingBudget>() },
  /** Called when the plan is known and before anything is sent; false sends nothing. */
  confirm: { takes: inCode<(forecast: Forecast) => boolean | Promise<boolean>>() },
  /** Receives what is worth knowing before the run without being a mistake, one sentence each. */
  onNote: { takes: inCode<(note: string) => void>(), again: true },
  /**
   * Receives problems that spoil the run, immediately and once each: a journal that cannot be
   * written, or what the run's own fake crew prints.
   */
  onTrouble: { takes: inCode<(trouble: string) => void>(), again: true },
  /** Called when the clock starts, with a way to stop the run. */
  onStart: { takes: inCode<(control: RunControl) => void>(), again: true },
  /** Called when a page of `crewload ui` stops the run. */
  onAsked: { takes: inCode<(how: 'drain' | 'now') => void>(), again: true },
  /** Called at most four times a second. */
  onProgress: { takes: inCode<(live: LiveProgress) => void>(), again: true },
  /** The command that repeats this run, for the report. */
  command: { takes: inCode<string>() },
} satisfies OptionTable

/** What the options of a run are in a mix. */
export const MIX = {
  ...RUN,
  set: { ...PLAN.set, secret: isSecretPathOfPart },
} satisfies OptionTable

export interface RunOptions extends Omit<OptionsOf<typeof RUN>, 'engine'> {
  /**
   * The engine that carries the load; a name alone is the engine with its defaults. Default `node`.
   */
  engine?: Engine | EngineName
}

/** The engine with its options, also when only its name is given. */
export function engineOf({ engine = 'node' }: Pick<RunOptions, 'engine'>): Engine {
  return typeof engine === 'string' ? { kind: engine } : engine
}

export interface RunControl {
  /**
   * `drain` stops kickoffs; `now` ends everything. `reason` is shown with what was not sent or not
   * followed to its end; default `interrupted`.
   */
  stop(how: 'drain' | 'now', reason?: string): void
  /**
   * For handlers of uncaught exceptions (`process.on('uncaughtException', ...)`): the run drains,
   * writes its reports and is INVALID. What does not end by the drain is cut off. Never throws.
   */
  fail(error: unknown): void
}

/** What was asked of the engine of a run, of which each understands its own options alone. */
export type AskedEngine = OptionsOf<typeof ENGINE>

type OwnOption = Exclude<keyof AskedEngine, 'kind'>

function ownOptions(kind: EngineName): OwnOption[] {
  return Object.keys(OF_ENGINES[kind]) as OwnOption[]
}

/** With the options that it understands. */
export function engineWith(kind: EngineName, asked: AskedEngine): Engine {
  const own = ownOptions(kind).flatMap((name) =>
    asked[name] === undefined ? [] : [[name, asked[name]]],
  )
  return { kind, ...Object.fromEntries(own) } as Engine
}

/** A mistake for each flag of another engine; null is none at all. */
export function flagsOfOthers(kind: EngineName | null, asked: AskedEngine): Mistake[] {
  return ENGINES.flatMap((engine) =>
    engine === kind
      ? []
      : ownOptions(engine).flatMap((name) => ofAnother(name, asked[name], engine, kind)),
  )
}

function ofAnother(
  name: keyof AskedEngine,
  found: AskedEngine[keyof AskedEngine],
  engine: string,
  kind: EngineName | null,
): Mistake[] {
  const row: Option = ENGINE[name]
  if (found === undefined || row.flag === undefined) return []
  const not = kind === null ? '' : `, not with ${kind}`
  const problem = `only allowed with --engine ${engine}${not}`
  return [{ source: flagName(row), found: String(shownValue(row, found)), problem }]
}

/** The engine that was named, or `fallback`. Throws UserError with every flag of another one. */
export function askedEngine(asked: AskedEngine, fallback: EngineName): Engine {
  const { kind = fallback } = asked
  const mistakes = flagsOfOthers(kind, asked)
  demandNone(mistakes)
  return engineWith(kind, asked)
}

const OF_RUN = { source: 'run()', aliases: flagAliases(RUN) }

/**
 * Throws UserError with every name that is not an option of `run()`: from JavaScript, it would be
 * ignored silently. An option with the value undefined counts as not given.
 */
export function demandKnownOptions(options: RunOptions): void {
  const { budget = {}, tls = {}, engine = 'node' } = options
  const group = (name: 'budget' | 'tls') => ({
    ...OF_RUN,
    names: Object.keys(RUN[name]),
    prefix: `${name}.`,
  })
  const mistakes = [
    ...unknownOptions(options, { ...OF_RUN, names: Object.keys(RUN) }),
    ...unknownOptions(budget, group('budget')),
    ...unknownOptions(tls, group('tls')),
    ...engineMistakes(engine),
  ]
  demandNone(mistakes)
}

/** The mistakes of an engine that does not exist, and of options that belong to another engine. */
function engineMistakes(engine: NonNullable<RunOptions['engine']>): Mistake[] {
  const own: Readonly<Record<string, unknown>> =
    typeof engine === 'string' ? { kind: engine } : { ...engine }
  const asked = String(own['kind'])
  const kind = ENGINES.find((name) => name === asked)
  if (kind !== undefined) {
    const names = ['kind', ...ownOptions(kind)]
    return unknownOptions(own, { ...OF_RUN, names, prefix: 'engine.' })
  }
  const problem = `expected one of ${ENGINES.join(', ')}`
  const near = nearTo(asked, ENGINES)
  return [{ source: OF_RUN.source, path: 'engine', found: asked, problem, ...near }]
}

/** Nothing stores what may be secret, so it must be given again. */
export interface ResumeOptions extends OptionsOf<Again<typeof RUN>> {
  /** Base URL of the crew. Default: that of the run. */
  target?: string
  /**
   * The scenario, when it was moved or given as an object; it must make the same plan. Default: the
   * one that was run.
   */
  scenario?: string | Scenario
}
