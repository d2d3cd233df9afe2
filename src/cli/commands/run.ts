/** `crewload run`: runs a scenario. */
import { shellWord } from '../../base/text.ts'
import { visibleJson, visibleLine } from '../../base/visible.ts'
import { setFlagsFromString } from 'node:v8'
import { durationText, jsonObject, rateText, text, wholeNumber } from '../../base/options/kinds.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { always, grouped, option } from '../../base/options/table.ts'
import type { AnyScenario } from '../../scenario/define.ts'
import type { Forecast } from '../../run/forecast.ts'
import type { Engine, RunOptions } from '../../run/options.ts'
import type { LoadedScenario } from '../../run/scenario/load.ts'
import { MIX, RUN } from '../../run/options.ts'
import type { MainCommand } from '../command.ts'
import { EXIT, exitHelp } from '../exit-codes.ts'
import { OUTPUT } from '../flags/output.ts'
import type { Io } from '../io/io.ts'

/** The scenarios of the folder `scenarios`; `demo` has its own command. */
const SHIPPED = 'smoke, steady, ramp, spike, soak, closed, rate-limit, chaos, recovery, retry-storm'

const OPTIONS = {
  scenario: option('[scenario]', `a file, or a shipped name: ${SHIPPED}`, text),
  run: RUN,
  load: grouped('Load', {
    rate: option('--rate <rate>', 'without a file: arrivals, like "5/m", with --for', rateText),
    clients: option(
      '--clients <n>',
      'without a file: clients that each start one execution after another, with --for',
      wholeNumber(1),
    ),
    for: option('--for <time>', 'without a file: how long they arrive, like "10m"', durationText),
    inputs: option(
      '--inputs <json>',
      'without a file: inputs of each kickoff',
      jsonObject('{"topic":"AI"}'),
      { secret: always },
    ),
  } satisfies OptionTable),
  output: OUTPUT,
} satisfies OptionTable

type RunFlags = Given<typeof OPTIONS>

export const run: MainCommand = {
  name: 'run',
  group: 'Measure a crew',
  description: 'run a scenario against a crew and judge the result',
  examples: [
    'crewload run steady --profile default --speed 60',
    `crewload run --rate 5/m --for 10m --inputs '{"topic":"AI"}' \\
    --target URL --max-kickoffs 60`,
    'crewload run crewload.scenario.ts --target URL --max-kickoffs 200',
  ],
  help: exitHelp(),
  options: OPTIONS,
  act: async (io, flags: RunFlags) => runScenario(flags, io),
}

async function runScenario(flags: RunFlags, io: Io): Promise<number> {
  const { askedEngine } = await import('../../run/options.ts')
  const { reached } = await import('../flags/reach.ts')
  const { commandWords } = await import('../flags/command-line.ts')
  const { output } = flags
  const scenario = scenarioOfFlags(flags)
  const { dryRun = false, quiet = false, json = false } = output
  const engine = askedEngine(flags.run.engine, 'node')
  const inVirtual = engine.kind === 'virtual'
  const { loaded } = await import('../../run/scenario/load.ts')
  const { mixIn } = await import('../../run/mix/parts.ts')
  const loading = loaded(scenario)
  // What cannot be loaded is reported below, beside the mistakes of the flags.
  const mix = await loading.then(mixIn, () => null)
  if (mix !== null) return runMixOf(mix, engine, flags, io)
  const given = await reached({ ...flags.run, engine }, io, {
    dryRun,
    inVirtual,
    scenario: async () => loading,
  })
  const options = { ...given, command: commandWords(io.args, OPTIONS) }
  if (typeof scenario !== 'string' && !quiet && !json) tellScenario(scenario, io)
  if (dryRun) return printPlan(loading, json, options, io)
  const { questionOf, renderForecast } = await import('../../run/plan/text.ts')
  const { askBefore } = await import('../shared/ask-before.ts')
  const { watched } = await import('../shared/run.ts')
  const { runFrom } = await import('../../run/run.ts')
  await openIfLive(flags, io)
  if (engine.kind === 'node') collectSooner()
  const confirm = async (forecast: Forecast): Promise<boolean> =>
    askBefore(questionOf([forecast]), { ...flags.run, ...output }, io, {
      shown: renderForecast(forecast),
    })
  const code = await watched({ quiet, json }, io, async (watching) =>
    runFrom(async () => loading, scenario, { ...options, ...watching, confirm }),
  )
  if (!quiet && !json) await tellOfTrigger(scenario, flags, io)
  return code
}

async function openIfLive(
  { run: { out }, output }: Pick<RunFlags, 'run' | 'output'>,
  io: Io,
): Promise<void> {
  if (output.live !== true) return
  const { openLivePage } = await import('../shared/live-page.ts')
  await openLivePage(out, io)
}

/** Parts may have crews and tokens of their own, and then nothing else is needed. */
async function runMixOf(
  mix: LoadedScenario,
  engine: Engine,
  { run: typed, output }: RunFlags,
  io: Io,
): Promise<number> {
  const { reached } = await import('../flags/reach.ts')
  const { commandWords } = await import('../flags/command-line.ts')
  const { mixPlaces } = await import('../../run/mix/parts.ts')
  const { renderMixForecast } = await import('../../run/mix/forecast.ts')
  const { questionOf } = await import('../../run/plan/text.ts')
  const { askBefore } = await import('../shared/ask-before.ts')
  const { isLoopback } = await import('../../base/loopback.ts')
  const { runLoadedMix } = await import('../../run/mix/index.ts')
  const { watched } = await import('../shared/run.ts')
  const { dryRun = false, quiet = false, json = false } = output
  const { targets, isWhole, haveTokens } = mixPlaces(mix, typed)
  // Only over https is a certificate asked for.
  const target = targets.find((each) => each.startsWith('https:')) ?? targets[0]
  const isPlaced = target !== undefined && (isWhole || typed.target !== undefined)
  const place = isPlaced ? { target } : {}
  const { target: _, ...given } = await reached({ ...typed, engine, ...place }, io, {
    dryRun: dryRun || haveTokens,
    inVirtual: engine.kind === 'virtual',
  })
  const asked = typed.target === undefined ? {} : { target: typed.target }
  const command = commandWords(io.args, { ...OPTIONS, run: MIX })
  const options = { ...given, ...asked, command }
  if (dryRun) return printMixPlan(mix, json, options, io)
  await openIfLive({ run: typed, output }, io)
  return watched({ quiet, json }, io, async (watching) =>
    runLoadedMix(mix, {
      ...options,
      ...watching,
      confirm: async (forecast) => {
        const shown = renderMixForecast(forecast)
        const away = targets.find((each) => !isLoopback(new URL(each).hostname)) ?? target
        const question = questionOf(forecast.parts.map((part) => part.facts))
        return askBefore(question, { target: away, ...output }, io, { shown })
      },
    }),
  )
}

async function printMixPlan(
  mix: LoadedScenario,
  json: boolean,
  options: RunOptions,
  io: Io,
): Promise<number> {
  const { prepareMix } = await import('../../run/mix/parts.ts')
  const { mixForecastOf, renderMixForecast } = await import('../../run/mix/forecast.ts')
  const { describePlan } = await import('../../scenario/plan-data.ts')
  const onNote = (note: string): void => {
    io.stderr.write(`note: ${visibleLine(note)}\n`)
  }
  const prepared = await prepareMix(mix, { ...options, onNote })
  const forecast = mixForecastOf(prepared, options)
  const plans = Object.fromEntries(
    prepared.parts.map(({ name, plan }) => [name, describePlan(plan)]),
  )
  if (json) io.stdout.write(`${visibleJson({ facts: forecast, plans }, 2)}\n`)
  else io.stdout.write(renderMixForecast(forecast))
  return EXIT.passed
}

/** A file or a shipped name, or what flags say in place of one. */
type RunScenario = string | AnyScenario

/** Throws UserError with every mistake. */
function scenarioOfFlags({ scenario, load }: RunFlags): RunScenario {
  const { rate, clients, for: time, inputs = {} } = load
  const mistakes: Mistake[] = []
  const wrong = (source: string, problem: string): void => {
    mistakes.push({ source, problem })
  }
  if (scenario !== undefined) {
    for (const [name, value] of Object.entries(load)) {
      if (value === undefined) continue
      wrong(
        `--${name}`,
        'only allowed without a scenario; --set changes one, like arrivals.rate=5/m',
      )
    }
    if (mistakes.length > 0) throw new UserError(mistakes)
    return scenario
  }
  if (rate !== undefined && clients !== undefined) wrong('--clients', 'not allowed beside --rate')
  if (rate === undefined && clients === undefined) {
    wrong('scenario', 'missing: give a file, a shipped name, or --rate RATE --for TIME')
  } else if (time === undefined) {
    wrong('--for', 'missing: how long shall executions arrive?')
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
  const length = { for: time! }
  const arrivals = rate === undefined ? { clients: clients!, ...length } : { rate, ...length }
  return { name: 'command-line', arrivals, inputs: { ...inputs } }
}

/** As a file, which `run` takes. */
function tellScenario(scenario: object, io: Io): void {
  io.stderr.write(`The scenario, to be saved as a .json file and changed:
${visibleJson(scenario, 2)}
`)
}

/**
 * Collects when the heap has doubled; by default V8 lets it quadruple. With 100,000 executions in
 * flight the process peaks at 455 MB instead of 824 MB, for 5 % more CPU time.
 */
function collectSooner(): void {
  setFlagsFromString('--heap-growing-percent=100')
}

/** Shipped scenarios for `crewload recovery`: without a disturbance they show little. */
const FOR_RECOVERY: ReadonlySet<string> = new Set(['recovery', 'retry-storm'])

async function tellOfTrigger(
  scenario: RunScenario,
  { run: { profile } }: RunFlags,
  io: Io,
): Promise<void> {
  if (typeof scenario !== 'string' || !FOR_RECOVERY.has(scenario)) return
  const place = profile === undefined ? '--target URL' : `--profile ${shellWord(profile)}`
  io.stdout.write(`
  Nothing disturbed the crew in this run. To test whether it recovers from a disturbance:
  next    crewload recovery ${scenario} ${place}
`)
}

async function printPlan(
  loading: Promise<LoadedScenario>,
  json: boolean,
  options: RunOptions,
  io: Io,
): Promise<number> {
  const { prepare } = await import('../../run/plan/prepare.ts')
  const { forecastOf } = await import('../../run/plan/forecast.ts')
  const { describePlan } = await import('../../scenario/plan-data.ts')
  const { planNotes, renderForecast } = await import('../../run/plan/text.ts')
  const plan = await prepare(loading, options, 'measured')
  const forecast = forecastOf(plan, options)
  const shown = { facts: forecast, plan: describePlan(plan), notes: planNotes(forecast) }
  if (json) io.stdout.write(`${visibleJson(shown, 2)}\n`)
  else io.stdout.write(renderForecast(forecast))
  return EXIT.passed
}
