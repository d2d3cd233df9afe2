/** The commands of the studies: what each says of itself, and what it makes of its options. */
import { together, UserError } from '../../base/mistakes.ts'
import { texts } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { flagsGiven, option } from '../../base/options/table.ts'
import { CAPACITY } from '../../study/capacity/options.ts'
import type { ComparisonOptions } from '../../study/comparing/comparison/options.ts'
import { COMPARISON } from '../../study/comparing/comparison/options.ts'
import { GATE } from '../../study/comparing/gate/options.ts'
import { HISTORY } from '../../study/comparing/history/options.ts'
import type { Conducting, StudyOptions } from '../../study/frame/conduct/conducting.ts'
import type { StudyDocument } from '../../study/frame/envelope.ts'
import type { LimitsDocument } from '../../study/limits/document.ts'
import { LIMITS } from '../../study/limits/options.ts'
import { POLLING } from '../../study/polling/options.ts'
import { RECOVERY } from '../../study/recovery/options.ts'
import { SATURATION } from '../../study/saturation/options.ts'
import type { LimitsReader } from '../../study/twin/options.ts'
import { TWIN } from '../../study/twin/options.ts'
import type { MainCommand } from '../command.ts'
import { exitHelp } from '../exit-codes.ts'
import { commandWords } from '../flags/command-line.ts'
import type { OutputFlags } from '../flags/output.ts'
import { OF_STUDIES, OUTPUT, readingOutput } from '../flags/output.ts'
import type { Reached, ReachFlags } from '../flags/reach.ts'
import type { Io } from '../io/io.ts'
import type { Environment } from '../../run/options.ts'
import { CONNECTION } from '../../run/options.ts'

/** Reads the token and the certificates of a crew; a scenario's mistakes join theirs. */
type ReachCrew = <Flags extends ReachFlags>(
  flags: Flags,
  scenario?: string,
) => Promise<Reached<Flags>>

interface StudyRow<Table extends OptionTable, Options extends StudyOptions<Plan>, Design, Plan> {
  name: string
  description: string
  examples?: readonly string[]
  help: string
  /** The meanings of its exit codes, where they are its own. */
  codes: Parameters<typeof exitHelp>[0]
  table: Table
  /** Cannot renew a token. */
  fixed?: true
  /** Asked before anything is sent to a real deployment. Default: whether to spend kickoffs. */
  question?: string
  /** As for `askBefore`. Default: false. */
  unasked?: boolean
  /** Of a study that only reads: what `--dry-run` does. */
  reads?: string
  options: (asked: Given<Table>, reach: ReachCrew, io: Io) => Promise<Options>
  load: () => Promise<Conducting<Options, Design, Plan, StudyDocument>>
  /** For `--dry-run`: throws UserError for runs that the study could not learn from. */
  readRuns?: (plan: Plan) => Promise<void>
}

/** The exit codes of a study that only reads. */
const OF_READING = { failed: null, invalid: 'the reports could not be written', unreachable: null }

export const capacity = studyCommand({
  name: 'capacity',
  description: 'find how many kickoffs per hour a crew can take before a promise to users breaks',
  examples: [
    "crewload capacity steady --profile default --slo 'execution.p95 < 5m'",
    `crewload capacity steady --target URL --slo 'execution.p95 < 5m' \\
    --max-kickoffs 600`,
    "crewload capacity steady --slo 'execution.p95 < 5m' --from reports/steady-*",
  ],
  help: `It increases the number of clients until executions wait for a worker. Each client starts an
execution when its last one ends. While the crew is full, service times are sampled. A simulation
of these workers and service times finds the rate at which a promise breaks. That rate is then
confirmed on the crew. The scenario supplies inputs, polling, retries and deadline; its
own load is not used.

With --from, recorded runs of the same crew count as evidence. A run that filled the crew makes
most of the load unnecessary; the rate is still confirmed on the crew. --from alone, without a
target or a profile, sends nothing. It answers if the arrivals of the runs confirm the model, and
otherwise says how many kickoffs would confirm it.

  crewload capacity steady --slo 'execution.p95 < 5m' --from reports/steady-*

Promises are thresholds of these metrics: execution.p<number>, execution.completed.p<number>,
execution.failed, outcome.unserved, outcome.completed, outcome.failed, outcome.rejected and
outcome.stuck. With a profile it takes place in virtual time, unless --engine node or k6 is given.
`,
  codes: {
    passed: 'answered; with --expect, the capacity is at least that',
    failed: 'the capacity is below --expect, or no rate keeps the promises',
    inconclusive: 'undecided; says what would settle it',
    unreachable: 'target never reached, or lost during the study',
  },
  table: CAPACITY,
  options: async (asked, reach) => {
    const { from, scenario, run } = asked
    const isSent = from === undefined || run.target !== undefined || run.profile !== undefined
    return { ...asked, run: isSent ? await reach(run, scenario) : unreached(run) }
  },
  load: async () => (await import('../../study/capacity/conduct/conduct.ts')).conducting,
  readRuns: async ({ from }) => {
    const { readRecorded } = await import('../../study/capacity/conduct/observer.ts')
    for (const run of from) await readRecorded(run)
  },
})

export const limits = studyCommand({
  name: 'limits',
  description: 'find the rate limits of a target, and how fast a client may poll',
  examples: [
    'crewload limits --profile rate-limited',
    'crewload limits --target URL --max-requests 600',
    'crewload limits --from reports/steady-*',
  ],
  help: `It sends experiments, each chosen for what it will reveal: a ramp to the first
refusals, bursts, pauses. Other clients with the same token may be refused meanwhile. It reports
the limit of each operation, how certain it is, and a safe rate. It prints polling settings for a
scenario, TypeScript and Python.

  crewload limits --profile rate-limited
  crewload limits --target https://crew.example --max-kickoffs 1
  crewload limits --from reports/steady-20261122T120000Z
`,
  codes: {
    passed: 'answered',
    failed: null,
    inconclusive: 'the evidence is not sufficient, or the study was cut',
    unreachable: 'target never reached, or lost during the study',
  },
  table: LIMITS,
  question: 'Start? Refusals will be provoked.',
  unasked: true,
  options: async (asked, reach) => {
    const { from, run } = asked
    return { ...asked, run: from === undefined ? await reach(run) : unreached(run) }
  },
  load: async () => (await import('../../study/limits/conduct/conduct.ts')).conducting,
  readRuns: async ({ from }) => demandSound(from),
})

export const saturate = studyCommand({
  name: 'saturate',
  description: 'find the maximum throughput of one endpoint, by a ladder of connections',
  help: `Each connection sends its next request as soon as the last one is answered. The knee
is the smallest number of connections that reaches 95 % of the highest throughput; more add
nothing. Each rung is visited several times, in shuffled order after the first pass. So the
intervals also cover what changes between visits, and the knee is a range. With a fake crew, the execution is polled to its end before the
ladder of status begins.
`,
  codes: {
    passed: 'measured',
    failed: null,
    inconclusive:
      'the true ceiling is higher, is not known precisely enough, or was measured on two kinds of answers',
  },
  table: SATURATION,
  fixed: true,
  question: 'Start? Requests are sent as fast as they are answered.',
  options: async (asked, reach) => ({ ...asked, run: await reach(asked.run) }),
  load: async () => (await import('../../study/saturation/conduct/conduct.ts')).conducting,
})

export const recovery = studyCommand({
  name: 'recovery',
  description:
    'test whether a crew recovers from a disturbance: steady load, a trigger, several seeds',
  help: `Goodput is the share of arrivals that complete within their deadline, counted by
intended time. It is restored once it stays at 95 % or more of its level before the trigger. A
crew that remains below that, under a load that it handled before, is in a metastable failure.
`,
  codes: {
    passed: 'it recovers; even slowly, unless --within is given',
    failed: 'it does not recover, or later than --within',
    inconclusive: 'seeds disagree, or goodput was already reduced before the trigger',
  },
  table: RECOVERY,
  question: 'Start? Each kickoff may cost money, and the trigger disturbs the target.',
  options: async (asked, reach) => ({ ...asked, run: await reach(asked.run, asked.scenario) }),
  load: async () => (await import('../../study/recovery/conduct/conduct.ts')).conducting,
})

export const polling = studyCommand({
  name: 'polling',
  description:
    'find out how often clients should poll, by replaying strategies over recorded executions',
  help: `It learns how long executions take from run folders. Their polls, or the ledger of a
fake crew, show when each ended. With --profile it learns from a run in virtual time, with
--target from a run within --max-kickoffs. Each execution is then replayed under every strategy, with the
intervals that the engine uses and the measured request times.

Say what you know: a quota of the target, a promise to users, or prices.
--max-polls 3000/m states a quota; --limits FOLDER takes what crewload limits found.
--delay 'p95 < 5s' is a promise. --poll-price 1 --delay-price 2 are the prices of a poll and of a
second of detection delay. Without any of these, one poll is worth one second.
`,
  codes: {
    passed: 'answered',
    failed: 'no strategy satisfies the request',
    inconclusive: 'too few executions; says how many more are needed',
    unreachable: 'target never reached, or lost during the study',
  },
  table: POLLING,
  options: async (asked, reach) => {
    const { runs = [], scenario, run } = asked
    const isMade = runs.length === 0 && (run.target !== undefined || run.profile !== undefined)
    if (isMade) return { ...asked, run: await reach(run, scenario) }
    const options = { ...asked, run: unreached(run) }
    if (runs.length > 0) {
      const { designPolling, NO_RUN } = await import('../../study/polling/plan/plan.ts')
      const unused = flagsGiven(CONNECTION, run, NO_RUN)
      if (unused.length > 0)
        await together(designPolling(options), Promise.reject(new UserError(unused)))
    }
    return options
  },
  load: async () => (await import('../../study/polling/conduct/conduct.ts')).conducting,
  readRuns: async ({ runs }) => demandSound(runs),
})

export const compare = studyCommand({
  name: 'compare',
  description: 'find out whether a crew became slower or less reliable between two sets of runs',
  help: `Runs of one side differ by chance, and this spread decides which change is proven. So
compare at least 3 runs per side. If runs differ by 3 %, 5 runs per side find a change of 10 %
in three of five comparisons. 8 runs nearly always find it. A regression is worse by at
least --min-change, proven over all judged metrics together (Holm, level 1 %).

  crewload compare reports/base-* -- reports/new-*
  crewload compare base/result.json new/result.json
`,
  codes: {
    passed: 'no regression is proven',
    failed: 'a regression',
    inconclusive:
      'undecided: one run on a side, runs too different or too short to compare, or --equivalent ' +
      'without proof',
  },
  table: {
    runs: option('<runs...>', 'earlier run folders, "--", current run folders', texts, {
      required: true,
    }),
    ...COMPARISON,
  },
  reads: 'print what would be compared',
  options: async ({ runs, ...asked }, _, io) => ({ ...asked, ...sidesOf(runs, io.args) }),
  load: async () => (await import('../../study/comparing/comparison/conduct.ts')).conducting,
})

export const gate = studyCommand({
  name: 'gate',
  description: 'decide in CI whether a candidate is slower or less reliable than its baseline',
  examples: [
    'crewload gate steady --profile ./new.yaml --baseline-profile default',
    'crewload gate steady --target URL --baseline ci/baseline --max-kickoffs 2000',
    'crewload gate steady --target URL --baseline-target URL --max-kickoffs 4000',
  ],
  help: `It runs the candidate (--target or --profile) several times, and compares it with the
runs of the baseline. Those are in a folder, which the first gate writes, or made alternately.

  crewload gate steady --target $NEW --baseline ci/baseline --max-kickoffs 2000
  crewload gate steady --target $NEW --baseline-target $OLD --max-kickoffs 4000
  crewload gate steady --target http://127.0.0.1:8000 \\
    --start 'exec ./new/serve' --baseline-start 'exec ./old/serve'

FAIL: a judged metric is worse by --min-change or more, and chance does not explain it.
PASS: a regression of --margin or more is excluded for every judged metric. It stops as soon as one of the two
is certain; each is wrong in at most 1 % of gates.
`,
  codes: {
    passed: 'PASS, or a baseline was written',
    failed: 'FAIL',
    inconclusive: 'more runs are needed, or the gate was cut',
    unreachable: 'target never reached, or lost during the study',
  },
  table: GATE,
  question: 'Start? Each kickoff may cost money, and a gate runs the scenario several times.',
  options: async (asked, reach, { env }) => {
    const { baselineTokens: file, ...others } = asked
    const { readTokens } = await import('../flags/reach.ts')
    const tokens = file === undefined ? {} : { baselineTokens: await readTokens(file, env) }
    const run = await reach(asked.run, asked.scenario)
    return { ...commitOf(env), ...others, ...tokens, run }
  },
  load: async () => (await import('../../study/comparing/gate/conduct/conduct.ts')).conducting,
})

export const history = studyCommand({
  name: 'history',
  description: 'find when the judged metrics changed over many gates',
  help: `Each gate with a baseline adds a line to history.ndjson. From these lines, the command names
changes and the commits between which they happened. It also finds drifts that are too slow for any
single gate.

  crewload history ci/baseline
`,
  codes: {
    passed: 'answered, whatever changed',
    inconclusive: 'fewer than 6 gates',
  },
  table: HISTORY,
  reads: 'print what would be read',
  options: async (asked) => asked,
  load: async () => (await import('../../study/comparing/history/conduct.ts')).conducting,
})

export const twin = studyCommand({
  name: 'twin',
  description: 'learn a fake crew that behaves like a real one, from recorded runs',
  help: `It reads recorded runs of any crew and writes the profile of a fake crew that
behaves alike. It has task times, workers, queue, cold start, failures, latency and limits.
Nothing is sent. Each number in the file has a comment that says
where it comes from. What the runs cannot show is named, with a run that would show it.

  crewload twin reports/steady-* --write-profile twin.yaml
  crewload capacity steady --profile ./twin.yaml --slo 'execution.p95 < 5m'
`,
  codes: {
    passed: 'the same arrivals, replayed on the twin, agree with the runs',
    inconclusive: 'they do not agree, or there are too few executions',
  },
  table: TWIN,
  reads: 'print what would be read',
  options: async (asked) => ({ ...asked, readLimits }),
  load: async () => (await import('../../study/twin/conduct/conduct.ts')).conducting,
  readRuns: async ({ runs }) => demandSound(runs),
})

function studyCommand<Table extends OptionTable, Options extends StudyOptions<Plan>, Design, Plan>(
  row: StudyRow<Table, Options, Design, Plan>,
): MainCommand {
  const { name, description, examples = [], help, codes, table: study, reads } = row
  const options: OptionTable =
    reads === undefined
      ? { study, output: OUTPUT, ...OF_STUDIES }
      : { study, output: readingOutput(reads) }
  return {
    name,
    group: 'Answer a question',
    description,
    examples,
    help: `${help}\n${exitHelp(reads === undefined ? codes : { ...OF_READING, ...codes })}`,
    options,
    async act(io, { study: asked, output }: { study: Given<Table>; output: OutputFlags }) {
      const { reached } = await import('../flags/reach.ts')
      const { runStudy } = await import('../shared/study.ts')
      const { loaded } = await import('../../run/scenario/load.ts')
      const reach: ReachCrew = async (flags, scenario) =>
        reached(flags, io, {
          ...output,
          ...(scenario === undefined ? {} : { scenario: async () => loaded(scenario) }),
          ...(row.fixed === undefined ? {} : { fixed: name }),
        })
      const command = commandWords(io.args, options)
      const given = { ...(await row.options(asked, reach, io)), command }
      return runStudy({ ...row, conducting: await row.load(), options: given }, output, io)
    },
  }
}

async function demandSound(runs: readonly string[]): Promise<void> {
  return (await import('../../study/frame/conduct/results.ts')).demandSound(runs)
}

/** Of a study that reaches no crew: none of these files is read. */
function unreached<Flags extends ReachFlags>({
  tokens: _t,
  tokenSource: _s,
  tls: _l,
  ...others
}: Flags): Omit<Flags, 'tokens' | 'tokenSource' | 'tls'> {
  return others
}

/** Two runs need no `--` between them. */
function sidesOf(
  runs: readonly string[],
  args: readonly string[],
): Pick<ComparisonOptions, 'base' | 'new'> {
  const at = args.indexOf('--')
  if (at === -1 && runs.length === 2) return { base: runs.slice(0, 1), new: runs.slice(1) }
  const behind = at === -1 ? 0 : args.length - at - 1
  demandRunsOnly(args.slice(args.length - behind))
  return { base: runs.slice(0, runs.length - behind), new: runs.slice(runs.length - behind) }
}

function demandRunsOnly(names: readonly string[]): void {
  const flags = names.filter((name) => name.startsWith('-'))
  if (flags.length === 0) return
  const problem = 'only runs follow "--": put options before the runs'
  throw new UserError(flags.map((source) => ({ source, problem })))
}

/** The commit, from the variable in which GitHub Actions or GitLab names it. */
function commitOf(env: Environment): { commit?: string } {
  const commit = env['GITHUB_SHA'] ?? env['CI_COMMIT_SHA']
  return commit === undefined ? {} : { commit }
}

/** Reads the limits as `crewload limits --from` does. */
const readLimits: LimitsReader = async (runs) => {
  const { conductStudy } = await import('../../study/frame/conduct/conduct.ts')
  const { conducting } = await import('../../study/limits/conduct/conduct.ts')
  const { document } = await conductStudy(conducting, { from: runs, out: false, run: {} })
  return hooksOf(document.operations)
}

function hooksOf({
  kickoff,
  status,
}: LimitsDocument['operations']): Awaited<ReturnType<LimitsReader>> {
  return [
    ...(kickoff === null ? [] : [{ ...kickoff, operation: 'kickoff' as const }]),
    ...(status === null ? [] : [{ ...status, operation: 'status' as const }]),
  ]
}
