/** `crewload report render`, or `crewload report` alone: renders a run or a study again. */
import { UserError } from '../../../base/mistakes.ts'
import { text, yes } from '../../../base/options/kinds.ts'
import type { Given, Table } from '../../../base/options/table.ts'
import { option } from '../../../base/options/table.ts'
import type { ActingCommand } from '../../command.ts'
import { JSON_RESULT } from '../../flags/output.ts'

const RENDER = {
  run: option('[run]', 'the folder of a run or a study, or executions.ndjson', text),
  recover: option(
    '--recover',
    'render what was measured by a run that was cut, and list what it left in flight',
    yes,
  ),
  json: JSON_RESULT,
} satisfies Table

export const render: ActingCommand = {
  name: 'render',
  description: 'rewrite the reports of a run from its journal, or of a study from its document',
  isDefault: true,
  options: RENDER,
  async act(io, { run, ...flags }: Given<typeof RENDER>) {
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
