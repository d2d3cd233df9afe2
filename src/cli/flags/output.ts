/** The options that only the command line has: what is printed, and what is asked. */
import { yes } from '../../base/options/kinds.ts'
import type { Given, Option, OptionTable } from '../../base/options/table.ts'
import { flagName, grouped, option } from '../../base/options/table.ts'
import { UserError } from '../../base/mistakes.ts'
import { EXPORTERS } from '../../host/telemetry/exporters.ts'

const QUIET = option('--quiet', 'print only errors', yes)

export const JSON_RESULT = option('--json', 'print the result as JSON on stdout', yes)

const DRY_RUN = {
  flag: '--dry-run',
  help: 'print the plan and send nothing',
  takes: yes,
} satisfies Option

const YES = option('--yes', 'do not ask for confirmation before sending load to a deployment', yes)

/** Of a command that sends. */
export const OUTPUT = grouped('Output', {
  dryRun: DRY_RUN,
  yes: YES,
  json: JSON_RESULT,
  quiet: QUIET,
  live: option('--live', 'serve a page that shows it while it runs, as crewload ui does', yes),
} satisfies OptionTable)

export type OutputFlags = Partial<Given<typeof OUTPUT>>

/** Of a study that only reads. `dryRun`: what that flag does. */
export function readingOutput(dryRun: string) {
  return grouped('Output', {
    dryRun: { ...DRY_RUN, help: dryRun },
    json: { ...JSON_RESULT, help: 'print the document as JSON on stdout' },
    quiet: QUIET,
  } satisfies OptionTable)
}

/** Refuses the metrics of a running run, and says why. */
export function refusedExporters(problem: string): OptionTable {
  return Object.fromEntries(
    Object.entries(EXPORTERS).map(([name, exporter]) => {
      const source = flagName(exporter)
      const read = (): never => {
        throw new UserError({ source, problem })
      }
      const takes = { read, isStored: () => false }
      return [name, { flag: `${source} [value]`, takes, preset: '', hidden: true }]
    }),
  )
}

export const OF_STUDIES = refusedExporters(
  'only allowed with crewload run: a study makes many runs, whose metrics would be added up. ' +
    'Each run has them in its result.json',
)
