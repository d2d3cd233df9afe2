/** `crewload report render`, or `crewload report` alone. */
import { UserError } from '../../../base/mistakes.ts'
import type { ActingCommand } from '../../command.ts'

interface RenderFlags {
  recover?: boolean
  json?: boolean
}

export const render: ActingCommand = {
  name: 'render',
  description: 'write the reports of a run again from its journal, or of a study from its document',
  isDefault: true,
  declare(command) {
    command
      .argument('[run]', 'the folder of a run or a study, or executions.ndjson')
      .option(
        '--recover',
        'render what there is of a run that was cut, and list what it left behind',
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
    'no run is named; "report render RUN" (or "report RUN") writes the reports of a run folder again, ' +
    '"report merge RUNS..." makes one result of several'
  return new UserError({ source: 'report', path: '', problem })
}
