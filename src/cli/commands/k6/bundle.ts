/** `crewload k6 bundle`: writes a scenario as a k6 script. */
import { variableLines } from '../../../host/k6/help.ts'
import type { ActingCommand } from '../../command.ts'
import { EXIT } from '../../exit-codes.ts'
import type { PlanFlags } from '../../flags/definitions.ts'
import { judgementOptions, planOptions } from '../../flags/definitions.ts'
import { wholeNumber } from '../../flags/values.ts'

interface BundleFlags extends PlanFlags {
  k6Vus: number
  k6Metrics?: boolean
  target?: string
  out?: string
}

const HELP = [
  'Environment variables that the script reads when it runs:',
  ...variableLines(),
  '',
].join('\n')

export const bundle: ActingCommand = {
  name: 'bundle',
  description: 'write one script that stock k6 runs unchanged',
  help: HELP,
  declare(command) {
    command
      .argument('<scenario>', 'a file, or a shipped name')
      .option('--target <url>', 'base URL of the crew (default: CREWLOAD_TARGET at run time)')
      .option('--k6-vus <n>', 'VUs, each an instance of the run', wholeNumber(1, 99_999), 1)
      .option(
        '--k6-metrics',
        'let k6 run --out OUTPUT send the metrics that "crewload k6 --help" lists',
      )
      .option('--out <file>', 'output file (default: stdout)')
    judgementOptions(planOptions(command))
  },
  async act(io, scenario: string, flags: BundleFlags) {
    const { k6Script } = await import('../../../run/k6/script-file.ts')
    const { planOptionsOf } = await import('../../flags/to-run-options.ts')
    const { printOrWrite } = await import('../../io/print-or-write.ts')
    const { target } = flags
    const onNote = (note: string): void => {
      io.stderr.write(`note: ${note}\n`)
    }
    const options = { ...planOptionsOf(flags), onNote, ...(target === undefined ? {} : { target }) }
    const script = await k6Script(scenario, options, {
      vus: flags.k6Vus,
      metrics: flags.k6Metrics === true,
    })
    await printOrWrite(script, flags.out, io)
    return EXIT.passed
  },
}
