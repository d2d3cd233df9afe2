/** `crewload report`: shows again what was measured, or merges what several instances measured. */
import { UserError } from '../../base/mistakes.ts'
import { text, texts, yes } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { option } from '../../base/options/table.ts'
import { OUT } from '../../run/options.ts'
import { commandWords } from '../flags/command-line.ts'
import type { ActingCommand, MainCommand } from '../command.ts'
import { exitHelp } from '../exit-codes.ts'
import { JSON_RESULT } from '../flags/output.ts'

/** They send nothing. */
const OF_REPORTS = { bug: 'crewload itself failed', interrupted: null }

const RENDER = {
  run: option('[run]', 'the folder of a run or a study, or executions.ndjson', text),
  recover: option(
    '--recover',
    'render what was measured by a run that was cut, and list what it left in flight',
    yes,
  ),
  json: JSON_RESULT,
} satisfies OptionTable

const render: ActingCommand = {
  name: 'render',
  description: 'rewrite the reports of a run from its journal, or of a study from its document',
  isDefault: true,
  options: RENDER,
  help: exitHelp(OF_REPORTS),
  async act(io, { run, ...flags }: Given<typeof RENDER>) {
    if (run === undefined) throw noRun()
    const { renderAgain } = await import('../actions/report.ts')
    return renderAgain(run, flags, io)
  },
}

function noRun(): UserError {
  const problem =
    'no run given. "report render RUN" (or "report RUN") rewrites the reports of a run folder. ' +
    '"report merge RUNS..." merges several runs into one result'
  return new UserError({ source: 'report', problem })
}

const MERGE = {
  runs: option('<runs...>', 'run folders or journals (executions.ndjson); or logs', texts, {
    required: true,
  }),
  logs: option('--logs', 'the inputs are container logs, with journal lines among others', yes),
  out: { ...OUT, help: 'folder in which the run folder is created' },
  json: JSON_RESULT,
} satisfies OptionTable

const merge: ActingCommand = {
  name: 'merge',
  description: 'merge the journals of several instances into one exact result',
  options: MERGE,
  help: exitHelp(OF_REPORTS),
  async act(io, { runs, ...flags }: Given<typeof MERGE>) {
    const { mergeAll } = await import('../actions/report.ts')
    return mergeAll(runs, { ...flags, command: commandWords(io.args, MERGE) }, io)
  },
}

export const report: MainCommand = {
  name: 'report',
  group: 'Files and CI',
  description: 'rewrite the reports of a run, or merge the results of several instances',
  help: `Without a command it renders: crewload report <run>. For a run that was cut, use
crewload report render --recover <run>.
`,
  commands: [render, merge],
}
