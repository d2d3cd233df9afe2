/** `crewload twin`: learns a fake crew from recorded runs. */
import type { LimitsDocument } from '../../../study/limits/document.ts'
import type { LimitsReader, TwinOptions } from '../../../study/twin/plan.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import type { ReadingFlags } from '../../flags/definitions.ts'
import { readingOptions } from '../../flags/definitions.ts'
import { wholeNumber } from '../../flags/values.ts'

interface TwinFlags extends ReadingFlags, Pick<TwinOptions, 'replays' | 'seed'> {
  out?: string
  reports: string
}

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
  declare(command) {
    command
      .argument('<runs...>', 'run folders to learn from')
      .option('--out <file>', 'profile to write, like "twin.yaml" (default: none)')
      .option('--reports <folder>', 'folder in which the study is written', 'reports')
      .option(
        '--replays <n>',
        'replays of the runs on the twin (default: 5 to 20)',
        wholeNumber(0, 100),
      )
      .option('--seed <n>', 'seed of the replays (default: 42)', wholeNumber(0, 2 ** 31))
    readingOptions(command, 'print what would be read')
  },
  async act(io, runs: string[], flags: TwinFlags) {
    const { learnTwin } = await import('../../../study/twin/conduct/conduct.ts')
    const { designTwin } = await import('../../../study/twin/plan.ts')
    const { twin: study } = await import('../../../study/twin/study.ts')
    const { readingOptionsOf } = await import('../../flags/study-options.ts')
    const { demandSound } = await import('../../../study/frame/conduct/sound.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { out: file, reports: out, replays, seed } = flags
    const own = { runs, file, out, replays, seed, readLimits }
    const options = readingOptionsOf<TwinOptions>(own, io)
    return runStudy(
      {
        study,
        plan: async () => designTwin(options),
        readRuns: async (plan) => demandSound(plan.runs),
        start: async (hooks) => learnTwin({ ...options, ...hooks }),
      },
      flags,
      io,
    )
  },
}

/** Reads the limits as `crewload limits --from` does. */
const readLimits: LimitsReader = async (runs) => {
  const { inferLimits } = await import('../../../study/limits/conduct/conduct.ts')
  const { document } = await inferLimits({ from: runs, out: false })
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
