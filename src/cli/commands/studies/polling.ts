/** `crewload polling`: compares polling strategies. */
import type { Mistake } from '../../../base/mistakes.ts'
import { together, UserError } from '../../../base/mistakes.ts'
import type { Given, OptionTable } from '../../../base/options/table.ts'
import type { PollingDesign } from '../../../study/polling/plan/plan.ts'
import { POLLING } from '../../../study/polling/options.ts'
import type { MainCommand } from '../../command.ts'
import { exitHelp } from '../../exit-codes.ts'
import { commandWords } from '../../flags/command-words.ts'
import { OF_STUDIES, OUTPUT } from '../../flags/output.ts'

const OPTIONS = { study: POLLING, output: OUTPUT, ...OF_STUDIES } satisfies OptionTable

const HELP = `It learns how long executions take: from run folders, whose polls (or the ledger of
a fake crew) show when each ended; with --profile from a run in virtual time; with --target from a
run within --max-kickoffs. Each execution is then replayed under every strategy, with the
intervals that the engine uses and the measured request times.

Say what you know: a quota of the target (--max-polls 3000/m, or
--limits FOLDER with what crewload limits found), a promise to users
(--delay 'p95 < 5s'), or prices (--poll-price 1 --delay-price 2, for a poll and for a second of
detection delay). Without any of these, one poll is worth one second.
`

const CODES = {
  passed: 'answered',
  failed: 'no strategy satisfies the request',
  inconclusive: 'too few executions; says how many more are needed',
  unreachable: 'target never reached, or lost during the study',
}

export const polling: MainCommand = {
  name: 'polling',
  group: 'Answer a question',
  description:
    'find out how often clients should poll, by replaying strategies over recorded executions',
  help: `${HELP}\n${exitHelp(CODES)}`,
  options: OPTIONS,
  async act(io, { study: asked, output }: Given<typeof OPTIONS>) {
    const { studyPolling } = await import('../../../study/polling/conduct/conduct.ts')
    const { designPolling } = await import('../../../study/polling/plan/plan.ts')
    const { polling: study } = await import('../../../study/polling/study.ts')
    const { reached, unreached } = await import('../../flags/reach.ts')
    const { demandSound } = await import('../../../study/frame/conduct/sound.ts')
    const { runStudy } = await import('../../shown/study.ts')
    const { runs = [], scenario } = asked
    const { target, profile } = asked.run
    const isMade = runs.length === 0 && (target !== undefined || profile !== undefined)
    const reaching = { ...output, ...(scenario === undefined ? {} : { scenario }) }
    const run = isMade ? await reached(asked.run, io, reaching) : unreached(asked.run)
    const options = { ...asked, run, command: commandWords(io.args) }
    const design = async (): Promise<PollingDesign> => designPolling(options)
    const unused = runs.length === 0 ? [] : await ofAConnection(asked.run)
    if (unused.length > 0) await together(design(), Promise.reject(new UserError(unused)))
    return runStudy(
      {
        study,
        plan: async () => (await design()).facts,
        readRuns: async (plan) => demandSound(plan.runs),
        start: async (hooks) => studyPolling({ ...options, ...hooks }),
      },
      { ...output, target },
      io,
    )
  },
}

/** Mistakes where runs are read: no crew is reached then. */
async function ofAConnection({
  tokens,
  headers,
  tls,
}: Given<typeof OPTIONS>['study']['run']): Promise<Mistake[]> {
  const { ca, insecure } = tls
  const { mistakeOfARun } = await import('../../../study/polling/plan/of-a-run.ts')
  return [
    ...(tokens === undefined ? [] : [mistakeOfARun('--token-file', tokens)]),
    ...Object.keys(headers).map((name) => mistakeOfARun('--header', undefined, name)),
    ...(ca === undefined ? [] : [mistakeOfARun('--ca', ca)]),
    ...(insecure === true ? [mistakeOfARun('--insecure')] : []),
  ]
}
