/** `crewload report merge`: merges the journals of several instances. */
import type { ActingCommand } from '../../command.ts'

interface MergeFlags {
  out: string
  logs?: boolean
  json?: boolean
}

export const merge: ActingCommand = {
  name: 'merge',
  description: 'merge the journals of several instances into one exact result',
  declare(command) {
    command
      .argument('<runs...>', 'run folders or journals (executions.ndjson); or logs')
      .option('--logs', 'the inputs are container logs, with journal lines among others')
      .option('--out <folder>', 'folder in which the run folder is created', 'reports')
      .option('--json', 'print the result as JSON on stdout')
  },
  async act(io, runs: string[], flags: MergeFlags) {
    const { mergeAll } = await import('../../actions/report.ts')
    return mergeAll(runs, flags, io)
  },
}
