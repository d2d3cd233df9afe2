/** `crewload run` with several engines: one seed under each, and whether they measured the same. */
import { visibleLine } from '../../base/visible.ts'
import type { AgreementOutcome } from '../../study/agreement/conduct/conduct.ts'
import { agree } from '../../study/agreement/conduct/conduct.ts'
import { demandProfile, planAgreement } from '../../study/agreement/plan.ts'
import { agreement } from '../../study/agreement/study.ts'
import { enginesOf } from '../flags/engines.ts'
import type { Io } from '../io/io.ts'
import type { LoadOptions } from '../flags/options.ts'
import { createProgress } from '../io/progress.ts'
import { runOptionsOf } from '../flags/to-run-options.ts'
import { runStudy } from '../shown/study.ts'

export async function runAgreement(scenario: string, flags: LoadOptions, io: Io): Promise<number> {
  const engines = enginesOf(flags)
  const options = await runOptionsOf(flags, io)
  demandProfile(options)
  const progress = createProgress(io, flags.quiet === true)
  const { agreeWithin, out } = flags
  return runStudy(
    {
      study: agreement,
      // A fake crew of its own costs nobody money: nothing is asked.
      question: '',
      whenInterrupted: 'no more kickoffs; waiting for those in flight (again: stop now)',
      plan: async () => planAgreement(scenario, engines, options),
      json: ({ runs, document }: AgreementOutcome) => ({
        runs: runs.map((run) => run.document),
        agreement: document,
      }),
      start: async ({ tell, onStart }) => {
        const say = (line: string): void => {
          progress.clear()
          tell(line)
        }
        const outcome = await agree(scenario, engines, {
          ...options,
          out,
          ...(agreeWithin === undefined ? {} : { agreeWithin }),
          onNote: (note) => say(`note: ${visibleLine(note)}`),
          onRun: ({ name, number, runs }) => say(`engine ${number} of ${runs}: ${name}`),
          onStart,
          onProgress: (live) => progress.show(live),
        })
        progress.clear()
        return outcome
      },
    },
    flags,
    io,
  )
}
