/**
 * `crewload run` with several engines: runs one seed under each, and shows whether they measured
 * the same.
 */
import type { AgreementOutcome } from '../../study/agreement/conduct/conduct.ts'
import { agree } from '../../study/agreement/conduct/conduct.ts'
import type { AgreementOptions } from '../../study/agreement/plan.ts'
import { demandProfile, planAgreement } from '../../study/agreement/plan.ts'
import { agreement } from '../../study/agreement/study.ts'
import { enginesOf } from '../flags/engines.ts'
import type { Io } from '../io/io.ts'
import type { LoadOptions } from '../flags/definitions.ts'
import { runOptionsOf } from '../flags/to-run-options.ts'
import { runStudy } from '../shown/study.ts'

export async function runAgreement(scenario: string, flags: LoadOptions, io: Io): Promise<number> {
  const { agreeWithin, out } = flags
  const options: AgreementOptions = {
    ...(await runOptionsOf(flags, io)),
    scenario,
    engines: enginesOf(flags),
    out,
    ...(agreeWithin === undefined ? {} : { agreeWithin }),
  }
  demandProfile(options)
  return runStudy(
    {
      study: agreement,
      // The run starts its own fake crew, which costs nothing, so there is no question.
      question: '',
      plan: async () => planAgreement(options),
      json: ({ runs, document }: AgreementOutcome) => ({ runs, agreement: document }),
      start: async (hooks) => agree({ ...options, ...hooks }),
    },
    flags,
    io,
  )
}
