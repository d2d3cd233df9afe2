/** `crewload k6 bundle`: writes a scenario as a k6 script. */
import { text, wholeNumber, yes } from '../../../base/options/kinds.ts'
import type { Given, Table } from '../../../base/options/table.ts'
import { option } from '../../../base/options/table.ts'
import { variableLines } from '../../../host/k6/help.ts'
import { JUDGEMENT, PLAN } from '../../../run/options.ts'
import type { ActingCommand } from '../../command.ts'
import { EXIT } from '../../exit-codes.ts'

const BUNDLE = {
  scenario: option('<scenario>', 'a file, or a shipped name', text, { required: true }),
  target: option('--target <url>', 'base URL of the crew', text, {
    otherwise: 'CREWLOAD_TARGET at run time',
  }),
  vus: option('--k6-vus <n>', 'VUs, each an instance of the run', wholeNumber(1, 99_999), {
    default: 1,
  }),
  metrics: option(
    '--k6-metrics',
    'let k6 run --out OUTPUT send the metrics that "crewload k6 --help" lists',
    yes,
    { default: false },
  ),
  out: { flag: '--out <file>', help: 'output file', takes: text, otherwise: 'stdout' },
  plan: { ...PLAN, ...JUDGEMENT },
} satisfies Table

const HELP = [
  'Environment variables that the script reads when it runs:',
  ...variableLines(),
  '',
].join('\n')

export const bundle: ActingCommand = {
  name: 'bundle',
  description: 'write one script that stock k6 runs unchanged',
  help: HELP,
  options: BUNDLE,
  async act(io, { scenario, target, vus, metrics, out, plan }: Given<typeof BUNDLE>) {
    const { k6Script } = await import('../../../run/k6/script-file.ts')
    const { printOrWrite } = await import('../../io/print-or-write.ts')
    const onNote = (note: string): void => {
      io.stderr.write(`note: ${note}\n`)
    }
    const options = { ...plan, onNote, ...(target === undefined ? {} : { target }) }
    await printOrWrite(await k6Script(scenario, options, { vus, metrics }), out, io)
    return EXIT.passed
  },
}
