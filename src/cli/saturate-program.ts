/** `crewload saturate`: its arguments and flags. */
import type { Command } from 'commander'
import { Argument } from 'commander'
import type { SaturatedEndpoint } from '../study/saturation/document.ts'
import { EXIT_HELP } from './exit-codes.ts'
import type { Io } from './io/io.ts'
import { targetOptions, wholeNumber } from './flags/options.ts'

type Done = (code: number) => void

export function addSaturate(program: Command, io: Io, done: Done): void {
  const command = program
    .command('saturate')
    .description('the most that one endpoint carries: a ladder of connections, by autocannon')
    .addArgument(
      new Argument('<endpoint>', 'GET /inputs, GET /status/{id} or POST /kickoff').choices([
        'inputs',
        'status',
        'kickoff',
      ]),
    )
    .option('--connections <ladder>', 'a number to double up to, or a list: 1,2,4,8', '64')
    .option('--duration <duration>', 'of each rung', '5s')
    .option('--warm-up <duration>', 'before each rung (default: "1s", for kickoffs "0")')
    .option('--timeout <duration>', 'of one request', '10s')
    .option(
      '--polling <duration>',
      'tell the executions in flight that status feeds at this interval',
    )
    .option('--kickoff-id <id>', 'the execution that status asks about (else one is kicked off)')
    .option('--inputs <json>', "inputs of the kickoffs (else sample values for the crew's names)")
    .option(
      '--max-kickoffs <n>',
      'hard budget of kickoffs, always needed to send any',
      wholeNumber(1),
    )
    .option('--max-requests <n>', 'hard budget of requests', wholeNumber(1))
    .option('--out <folder>', 'where run folders are written', 'reports')
    .option('--dry-run', 'print the plan and send nothing')
    .option('--quiet', 'print nothing but errors')
  targetOptions(command).addHelpText('after', `\n${SATURATE_HELP}\n${EXIT_HELP}`)
  command.action(async (endpoint: SaturatedEndpoint, options) => {
    const { saturateCommand } = await import('./commands/saturate.ts')
    done(await saturateCommand(endpoint, options, io))
  })
}

const SATURATE_HELP = `Each connection asks again as soon as it is answered. The knee is the fewest connections that reach 95 % of
the highest throughput, where more connections bring no more. A fake crew's execution is followed to its end before
status is climbed. Exit code 4: the true ceiling lies higher, is known too roughly, or is that of a mixture.
`
