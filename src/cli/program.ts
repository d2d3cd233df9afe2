/** The whole command line as one function: a world in, an exit code out. */
import { Command, CommanderError } from 'commander'
import { visible } from '../base/visible.ts'
import { formatMistake, nearestName, UserError } from '../base/mistakes.ts'
import { EXIT, EXIT_HELP } from './exit-codes.ts'
import type { Io } from './io/io.ts'
import { addK6 } from './k6-program.ts'
import {
  dialectOption,
  loadOptions,
  positive,
  targetOptions,
  wholeNumber,
} from './flags/options.ts'
import { addRecovery } from './recovery-program.ts'
import { addResume } from './resume-program.ts'
import { addSaturate } from './saturate-program.ts'

/**
 * Runs one command line. Never throws for a user's mistake: it is told on stderr, with exit code 2.
 */
export async function crewload(io: Io): Promise<number> {
  let code: number = EXIT.passed
  const program = createProgram(io, (result) => {
    code = result
  })
  try {
    await program.parseAsync([...io.args], { from: 'user' })
    return code
  } catch (error) {
    return explain(error, io)
  }
}

function explain(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.passed : EXIT.usage
  if (error instanceof UserError) {
    for (const mistake of error.mistakes)
      io.stderr.write(`crewload: ${visible(formatMistake(mistake))}\n`)
    return 'exitCode' in error && typeof error.exitCode === 'number' ? error.exitCode : EXIT.usage
  }
  throw error
}

type Done = (code: number) => void

function createProgram(io: Io, done: Done): Command {
  const program = new Command('crewload')
    .description('Load and reliability testing for deployed AI crews.')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'crewload: ')),
    })
    .configureHelp({ showGlobalOptions: false })
    .exitOverride()
    .showHelpAfterError('(crewload --help lists commands and flags)')
    .option('--version', 'print the version')
    .addHelpText('after', `\n${EXIT_HELP}`)
    .helpCommand('help [command]', 'display help for command')
    .action(async (options: { version?: boolean }) => {
      const [unknown] = program.args
      if (unknown !== undefined) throw unknownCommand(unknown, program)
      const { version } = await import('../run/environment/version.ts')
      if (options.version) io.stdout.write(`${version()}\n`)
      else program.help()
    })
  program.commandsGroup('Try it:')
  addDemo(program, io, done)
  addInit(program, io, done)
  program.commandsGroup('Measure a crew:')
  addCheck(program, io, done)
  addRun(program, io, done)
  addResume(program, io, done)
  addK6(program, io, done)
  program.commandsGroup('Answer a question:')
  addSaturate(program, io, done)
  addRecovery(program, io, done)
  program.commandsGroup('Stand in for a crew:')
  addFake(program, io, done)
  program.commandsGroup('Files and CI:')
  addReport(program, io, done)
  addSchema(program, io, done)
  program.commandsGroup('This machine:')
  addDoctor(program, io, done)
  program.commandsGroup('Commands:')
  // For its own word alone, which may be no command; commands take over what was set before them.
  return program.allowExcessArguments()
}

function unknownCommand(name: string, program: Command): UserError {
  const known = program.commands.map((command) => command.name())
  const nearest = nearestName(name, known)
  return new UserError({
    source: name,
    path: '',
    problem: `no such command; there are ${known.join(', ')}`,
    ...(nearest === undefined ? {} : { nearest }),
  })
}

/** Of the folder `scenarios`; `demo` has a command of its own. */
const SHIPPED = 'smoke, steady, ramp, spike, soak, closed, rate-limit, chaos, recovery, retry-storm'

function addDemo(program: Command, io: Io, done: Done): void {
  const command = program
    .command('demo')
    .description('see it work: a fake crew in a time-lapse, a scenario, a verdict, a report')
    .option('--out <folder>', 'where run folders are written', 'reports')
    .option('--seed <n>', 'seed of every random draw', wholeNumber(0))
    .option('--json', 'print the result as JSON on stdout')
  command.action(async (options) => {
    const { demoCommand } = await import('./commands/demo.ts')
    done(await demoCommand(options, io))
  })
}

function addRun(program: Command, io: Io, done: Done): void {
  const command = program
    .command('run')
    .description('put a scenario on a crew, and judge it')
    .argument('<scenario>', `a file, or a shipped name: ${SHIPPED}`)
  loadOptions(targetOptions(command)).addHelpText('after', `\n${EXIT_HELP}`)
  command.action(async (scenario: string, options) => {
    const { runCommand } = await import('./commands/run.ts')
    done(await runCommand(scenario, options, io))
  })
}

const HELP_OF_FAKE = `
Tokens: CREWLOAD_FAKE_TOKEN, CREWLOAD_FAKE_USER_TOKEN; drawn when unset.

With --proxy, requests go on to the target and its answers come back, for any client that shall be tried against faults and limits:
crewload fake --proxy https://crew.example --profile flaky. Of the profile its limits and faults count, and nothing else; faults
that need executions of the fake crew's own (stuck, backwards, flip, noResult, swap, a restart that loses some) are refused. A fault
that changes answers or cuts them leaves alone what is compressed, no UTF-8, or over 8 MiB. The client's token goes through and
is written nowhere. /__fake__/ never reaches the target.`

function addFake(program: Command, io: Io, done: Done): void {
  program
    .command('fake')
    .description('a fake crew: free, seeded, with a ledger of the truth')
    .option('--profile <name|file>', 'how it behaves', 'default')
    .option('--port <n>', '0 takes a free one', wholeNumber(0, 65_535), 0)
    .option('--host <address>', 'other than loopback needs CREWLOAD_FAKE_ADMIN_TOKEN', '127.0.0.1')
    .addOption(dialectOption())
    .option('--speed <factor>', 'time-lapse: divides the times of the profile', positive)
    .option('--seed <n>', 'seed of every random draw', wholeNumber(0))
    .option('--proxy <url>', "stand in front of this target, with the profile's limits and faults")
    .option('--json', 'print one line {"url","token","userToken"}, or {"url","proxy"}, when ready')
    .addHelpText('after', HELP_OF_FAKE)
    .action(async (options) => {
      const { fakeCommand } = await import('./commands/fake.ts')
      done(await fakeCommand(options, io))
    })
}

function addCheck(program: Command, io: Io, done: Done): void {
  const command = program
    .command('check')
    .description('probe a target once: dialect, inputs, auth, keep-alive, clock, contract')
    .option('--no-kickoff', 'send no kickoff: look at inputs, auth and connection alone')
    .option('--wait <duration>', 'how long to follow the one kickoff', '5m')
    .option(
      '--inputs <json>',
      "inputs of the one kickoff (else sample values for the crew's names)",
    )
  targetOptions(command).action(async (options) => {
    const { checkCommand } = await import('./commands/check.ts')
    done(await checkCommand(options, io))
  })
}

const REPORT_HELP = `Without a command it renders: crewload report <run>, and of a run that was cut crewload report --recover <run>.
`

function addReport(program: Command, io: Io, done: Done): void {
  const report = program
    .command('report')
    .description('render again, or merge, what was measured')
    .addHelpText('after', `\n${REPORT_HELP}`)
  report
    .command('render', { isDefault: true })
    .description(
      'write the reports of a run again from its journal, or of a study from its document',
    )
    .argument('[run]', 'the folder of a run or a study, or executions.ndjson')
    .option('--recover', 'render what there is of a run that was cut, and list what it left behind')
    .option('--json', 'print the result as JSON on stdout')
    .action(async (folder: string | undefined, options) => {
      if (folder === undefined) throw noRun()
      const { renderCommand } = await import('./commands/report.ts')
      done(await renderCommand(folder, options, io))
    })
  report
    .command('merge')
    .description('one exact result from the journals of several instances')
    .argument('<runs...>', 'run folders or journals (executions.ndjson); or logs')
    .option('--logs', 'they are logs of containers, with journal lines among others')
    .option('--out <folder>', 'where run folders are written', 'reports')
    .option('--json', 'print the result as JSON on stdout')
    .action(async (runs: string[], options) => {
      const { mergeCommand } = await import('./commands/report.ts')
      done(await mergeCommand(runs, options, io))
    })
}

function noRun(): UserError {
  const problem =
    'no run is named; "report render RUN" (or "report RUN") writes the reports of a run folder again, ' +
    '"report merge RUNS..." makes one result of several'
  return new UserError({ source: 'report', path: '', problem })
}

function addSchema(program: Command, io: Io, done: Done): void {
  program
    .command('schema')
    .description('print a JSON Schema, the metrics or the contract')
    .argument('[name]', 'its name; without one, the names that there are')
    .action(async (name: string | undefined) => {
      const { schemaCommand } = await import('./commands/schema.ts')
      done(await schemaCommand(name, io))
    })
}

function addDoctor(program: Command, io: Io, done: Done): void {
  program
    .command('doctor')
    .description('is this machine fit to measure: each finding with its meaning and remedy')
    .option('--json', 'print the findings as JSON')
    .action(async (options) => {
      const { doctorCommand } = await import('./commands/doctor.ts')
      done(await doctorCommand(options, io))
    })
}

function addInit(program: Command, io: Io, done: Done): void {
  program
    .command('init')
    .description('write a starter scenario and profile that run as they are')
    .argument('[folder]', 'where', '.')
    .option('--force', 'overwrite files that are there')
    .action(async (folder: string, options) => {
      const { initCommand } = await import('./commands/init.ts')
      done(await initCommand(folder, options, io))
    })
}
