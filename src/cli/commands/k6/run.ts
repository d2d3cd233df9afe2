/** `crewload k6 run`: runs a scenario in k6. */
import type { Command } from 'commander'
import type { Engine } from '../../../run/options.ts'
import { MOST_INSTANCES } from '../../../run/options.ts'
import type { ActingCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import type { LoadOptions } from '../../flags/definitions.ts'
import { loadOptions, targetOptions } from '../../flags/definitions.ts'
import { wholeNumber } from '../../flags/values.ts'
import { runScenario } from '../run.ts'

export const run: ActingCommand = {
  name: 'run',
  description:
    'like "run --engine k6", but in several k6 processes, started like the pods of k6-operator',
  help: exitHelp(),
  declare(command) {
    command
      .argument('<scenario>', 'a file, or a shipped name')
      .option(
        '--instances <n>',
        'k6 processes, which share the VUs evenly',
        wholeNumber(1, MOST_INSTANCES),
        1,
      )
    loadOptions(targetOptions(command))
    carriedByK6(command)
  },
  act: async (io, scenario: string, flags: LoadOptions) => runScenario(scenario, flags, io),
}

/** Another engine is refused with `--instances`, as in `run`. */
function carriedByK6(command: Command): void {
  const engine: Engine = { kind: 'k6' }
  command.options.find(({ long }) => long === '--engine')?.default(engine, 'k6')
  command.setOptionValueWithSource('engine', engine, 'default')
}
