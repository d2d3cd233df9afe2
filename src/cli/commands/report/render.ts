/** `crewload report render`, or `crewload report` alone: renders a run or a study again. */
import { UserError } from '../../../base/mistakes.ts'
import type { ActingCommand } from '../../command.ts'

interface RenderFlags {
  recover?: boolean
  json?: boolean
}

export const render: ActingCommand = {
  name: 'render',
  description: 'rewrite the reports of a run from its journal, or of a study from its document',
  isDefault: true,
  declare(command) {
    command
      .argument('[run]', 'the folder of a run or a study, or executions.ndjson')
      .option(
        '--recover',
        'render what was measured by a run that was cut, and list what it left in flight',
      )
      .option('--json', 'print the result as JSON on stdout')
  },
  async act(io, run: string | undefined, flags: RenderFlags) {
    if (run === undefined) throw noRun()
    const { renderAgain } = await import('../../actions/report.ts')
    return renderAgain(run, flags, io)
  },
}

function noRun(): UserError {
  const problem =
    'no run given; "report render RUN" (or "report RUN") rewrites the reports of a run folder, ' +
    '"report merge RUNS..." merges several runs into one result'
  return new UserError({ source: 'report', path: '', problem })
}
