/** The whole command line as one function: an environment in, an exit code out. */
import { cwd } from 'node:process'
import { Command, CommanderError, Help } from 'commander'
import { visible } from '../base/visible.ts'
import { formatMistake, nearTo, UserError } from '../base/mistakes.ts'
import { addCommand, addName, GROUPS, inOrderOfHeadings } from './command.ts'
import { EXIT, exitHelp } from './exit-codes.ts'
import type { Io } from './io/io.ts'
import type { MainCommand } from './command.ts'
import { check } from './commands/check.ts'
import { demo } from './commands/demo.ts'
import { doctor } from './commands/doctor.ts'
import { fake } from './commands/fake.ts'
import { init } from './commands/init.ts'
import { k6 } from './commands/k6.ts'
import { lab } from './commands/lab.ts'
import { mcp } from './commands/mcp.ts'
import { report } from './commands/report.ts'
import { resume } from './commands/resume.ts'
import { run } from './commands/run.ts'
import { schema } from './commands/schema.ts'
import { ui } from './commands/ui.ts'
import {
  capacity,
  compare,
  gate,
  history,
  limits,
  polling,
  recovery,
  saturate,
  twin,
} from './commands/studies.ts'

/**
 * Runs one command line. Never throws for a user's mistake, which is reported on stderr with exit
 * code 2.
 */
export async function crewload(io: Io): Promise<number> {
  let code: number = EXIT.passed
  try {
    const program = createProgram(io, (result) => {
      code = result
    })
    demandWorkingFolder()
    await program.parseAsync([...io.args], { from: 'user' })
    return code
  } catch (error) {
    return explain(error, io)
  }
}

/** Relative paths would mean nothing, and packages stop with an error of their own. */
function demandWorkingFolder(): void {
  try {
    cwd()
  } catch (error) {
    const problem =
      `the folder that this was started in was removed (${(error as Error).message}): ` +
      'change to one that exists'
    throw new UserError({ source: 'working folder', problem })
  }
}

function explain(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.passed : EXIT.usage
  if (error instanceof UserError) {
    io.tellParent({ kind: 'mistakes', mistakes: error.mistakes })
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
      outputError: (text, write) => write(text.replaceAll(/^error: /gm, 'crewload: ')),
    })
    .configureHelp({
      showGlobalOptions: false,
      groupItems: (all, shown, groupOf) =>
        inOrderOfHeadings(new Help().groupItems(all, shown, groupOf)),
    })
    .exitOverride()
    .showHelpAfterError('(crewload --help lists commands and flags)')
    .option('--version', 'print the version')
    .addHelpText('after', `\n${exitHelp()}`)
    .helpCommand('help [command]', 'display help for command')
    .action(async (options: { version?: boolean }) => {
      const [unknown] = program.args
      if (unknown !== undefined) throw unknownCommand(unknown, program)
      const { version } = await import('../run/environment/package.ts')
      if (options.version) io.stdout.write(`${version()}\n`)
      else program.help()
    })
  const named = namedCommand(io.args)
  if (named !== null) program.showHelpAfterError(`(crewload ${named} --help says more)`)
  for (const group of GROUPS) {
    program.commandsGroup(`${group}:`)
    for (const command of COMMANDS) {
      if (command.group !== group) continue
      if (named === null || named === command.name) addCommand(program, command, io, done)
      else addName(program, command)
    }
  }
  program.commandsGroup('Commands:')
  // Applies only to the program's own argument, which may be an unknown command; commands inherit
  // the settings made before they were added.
  demandKnown(io.args, program)
  return program.allowExcessArguments()
}

/**
 * The command that the line begins with, or whose help it asks for: the flags of the others, some
 * three hundred, are then not needed. Null when all are.
 */
function namedCommand([first, second]: readonly string[]): string | null {
  const word = first === 'help' ? second : first
  return COMMANDS.find(({ name }) => name === word)?.name ?? null
}

/** Before its flags: of an unknown command, no flag can be right. */
function demandKnown([first = '-']: readonly string[], program: Command): void {
  const isKnown = first === 'help' || program.commands.some((command) => command.name() === first)
  if (!first.startsWith('-') && !isKnown) throw unknownCommand(first, program)
}

function unknownCommand(name: string, program: Command): UserError {
  const known = program.commands.map((command) => command.name())
  return new UserError({
    source: name,
    problem: `no such command; valid commands: ${known.join(', ')}`,
    ...nearTo(name, known),
  })
}

export const COMMANDS: readonly MainCommand[] = [
  demo,
  init,
  check,
  run,
  resume,
  k6,
  capacity,
  limits,
  saturate,
  recovery,
  polling,
  compare,
  gate,
  history,
  twin,
  fake,
  lab,
  report,
  ui,
  mcp,
  schema,
  doctor,
]
