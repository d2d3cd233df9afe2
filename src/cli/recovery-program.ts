/** `crewload recovery`: its arguments and flags. */
import type { Command } from 'commander'
import { Option } from 'commander'
import { DEFAULT_TRIGGER } from '../study/recovery/plan/options.ts'
import { EXIT_HELP } from './exit-codes.ts'
import type { Io } from './io/io.ts'
import { planOptions, targetOptions, wholeNumber } from './flags/options.ts'

type Done = (code: number) => void

export function addRecovery(program: Command, io: Io, done: Done): void {
  const command = program
    .command('recovery')
    .description('does a crew come back after trouble: a steady load, a trigger, several seeds')
    .argument(
      '<scenario>',
      'a file, or a shipped name: recovery, retry-storm; its open, constant rate is held',
    )
    .option(
      '--trigger <fault>',
      `a fault of the fake crew as a profile writes it, or "spike: 3" (default: "${DEFAULT_TRIGGER}")`,
    )
    .option('--for <duration>', 'how long the trigger lasts: its size', '30s')
    .option('--trigger-command <command>', 'with --engine node: run when the trigger begins')
    .option('--undo-command <command>', 'run when it ends (else the command is ended then)')
    .option('--before <duration>', 'steady load before the trigger, after the warm-up', '2m')
    .option('--observe <duration>', 'steady load after it', '5m')
    .option('--within <duration>', 'recovery later than this is slow (default: "2m"), and fails')
    .option(
      '--seeds <n>',
      'trials, from --seed on (default: 20, over sockets 1)',
      wholeNumber(1, 1_000),
    )
    .option('--control', 'each seed once more without the trigger (default: in virtual time)')
    .option('--no-control', 'no such run')
    .option('--bisect', 'look for the tipping point by size (default: in virtual time)')
    .option('--no-bisect', 'try the one size alone')
    .addOption(
      new Option('--engine <name>', 'default: virtual with --profile, else node').choices([
        'virtual',
        'node',
      ]),
    )
    .option('--network <name|folder>', 'what --engine virtual simulates')
    .option('--out <folder>', 'where run folders are written', 'reports')
    .option('--dry-run', 'print the plan and send nothing')
    .option('--quiet', 'print nothing but errors')
  planOptions(targetOptions(command)).addHelpText('after', `\n${RECOVERY_HELP}\n${EXIT_HELP}`)
  command.action(async (scenario: string, options) => {
    const { recoveryCommand } = await import('./commands/recovery.ts')
    done(await recoveryCommand(scenario, options, io))
  })
}

const RECOVERY_HELP = `Service is the share of executions that complete within their deadline, by when they were wanted. It is
restored when it is back at 95 % of what it was before the trigger, for good. A crew that stays below, under a load
that it carried before, is in a metastable failure. Exit code 0: it recovers (slowly too, unless --within was said);
1: it does not; 4: seeds disagree, or the load was not carried in the first place.
`
