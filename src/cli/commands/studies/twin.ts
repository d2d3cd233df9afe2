/** `crewload twin`: learns a fake crew from recorded runs. */
import type { Given, OptionTable } from '../../../base/options/table.ts'
import type { LimitsDocument } from '../../../study/limits/document.ts'
import type { LimitsReader } from '../../../study/twin/options.ts'
import { TWIN } from '../../../study/twin/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import { commandWords } from '../../flags/command-words.ts'
import { readingOutput } from '../../flags/output.ts'

const OPTIONS = {
  study: TWIN,
  output: readingOutput('print what would be read'),
} satisfies OptionTable

const HELP = `It reads recorded runs of any crew and writes the profile of a fake crew that
behaves as that crew did: how long tasks take, how many executions run at once, the queue, cold
start, failures, latency, limits. Nothing is sent. Each number in the file has a comment that says
where it comes from. What the runs cannot show is named, with a run that would show it.

  crewload twin reports/steady-* --out twin.yaml
  crewload capacity steady --profile ./twin.yaml --slo 'execution.p95 < 5m'
`

const CODES = {
  passed: 'the same arrivals, replayed on the twin, agree with the runs',
  failed: null,
  invalid: 'the reports could not be written',
  inconclusive: 'they do not agree, or there are too few executions',
  unreachable: null,
}

export const twin: MainCommand = {
  name: 'twin',
  group: 'Answer a question',
  description: 'learn a fake crew that behaves like a real one, from recorded runs',
  help: `${HELP}\n${exitHelp(CODES)}`,
  options: OPTIONS,
  async act(io, { study: asked, output }: Given<typeof OPTIONS>) {
    const { learnTwin } = await import('../../../study/twin/conduct/conduct.ts')
    const { designTwin } = await import('../../../study/twin/plan.ts')
    const { twin: study } = await import('../../../study/twin/study.ts')
    const { demandSound } = await import('../../../study/frame/conduct/sound.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const options = { ...asked, readLimits, command: commandWords(io.args) }
    return runStudy(
      {
        study,
        plan: async () => designTwin(options),
        readRuns: async (plan) => demandSound(plan.runs),
        start: async (hooks) => learnTwin({ ...options, ...hooks }),
      },
      output,
      io,
    )
  },
}

/** Reads the limits as `crewload limits --from` does. */
const readLimits: LimitsReader = async (runs) => {
  const { inferLimits } = await import('../../../study/limits/conduct/conduct.ts')
  const { document } = await inferLimits({ from: runs, out: false, run: {} })
  return toldBy(document.operations)
}

function toldBy({
  kickoff,
  status,
}: LimitsDocument['operations']): Awaited<ReturnType<LimitsReader>> {
  return [
    ...(kickoff === null ? [] : [{ ...kickoff, operation: 'kickoff' as const }]),
    ...(status === null ? [] : [{ ...status, operation: 'status' as const }]),
  ]
}
