/** `crewload report merge`: merges the journals of several instances. */
import { texts, yes } from '../../../base/options/kinds.ts'
import type { Given, Table } from '../../../base/options/table.ts'
import { option } from '../../../base/options/table.ts'
import { OUT } from '../../../run/options.ts'
import type { ActingCommand } from '../../command.ts'
import { JSON_RESULT } from '../../flags/output.ts'

const MERGE = {
  runs: option('<runs...>', 'run folders or journals (executions.ndjson); or logs', texts, {
    required: true,
  }),
  logs: option('--logs', 'the inputs are container logs, with journal lines among others', yes),
  out: { ...OUT, help: 'folder in which the run folder is created' },
  json: JSON_RESULT,
} satisfies Table

export const merge: ActingCommand = {
  name: 'merge',
  description: 'merge the journals of several instances into one exact result',
  options: MERGE,
  async act(io, { runs, ...flags }: Given<typeof MERGE>) {
    const { mergeAll } = await import('../../actions/report.ts')
    return mergeAll(runs, flags, io)
  },
}
