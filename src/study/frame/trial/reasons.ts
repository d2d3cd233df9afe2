/** Why the trials of a study cannot be trusted: as a run, and as a study. */
import { z } from 'zod'
import { unreachable } from '../../../base/assert.ts'
import { plural } from '../../../base/numbers.ts'
import { answerCode, crewEnd, processExit } from '../../../execution/record/reason.schema.ts'
import type { ReasonOf, ReasonTable } from '../../../result/sentence-tables.ts'
import { reason, reasonSchema } from '../../../result/sentence-tables.ts'
import { keptReason } from '../../../result/document.ts'
import { crewDiedText } from '../../../result/sentences/end-reasons.ts'
import { RUN_REASON_CODES } from '../../../result/sentences/reasons.ts'
import { lossCause } from '../../../result/sentences/target-loss.ts'
import { count, ms } from '../../../result/document-parts.schema.ts'

const commandFailure = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('not-started'), error: z.string() }),
  z.object({ kind: z.literal('ended'), exit: processExit, said: z.string() }),
  z.object({ kind: z.literal('endless'), stoppedAfterMs: ms }),
])

export const TRIAL_REASONS = {
  'study-crew-ended': reason(crewEnd, (end) => crewDiedText('study', end), ''),
  /** Each study has its own remedy. */
  'no-further-run': reason(
    { runs: count.describe('0 where it was between two trials'), error: z.string() },
    ({ runs, error }) => {
      const after = runs === 0 ? 'between two trials' : `after ${plural(runs, 'run')}`
      return `no further run could begin ${after}: ${error}`
    },
    '',
  ),
  'target-lost': reason(
    { answer: answerCode.describe('The first of its failures') },
    ({ answer }) => `${lossCause(answer).happened} before the end of the run`,
    ({ answer }) =>
      `${lossCause(answer).remedy}, and make the missing executions with crewload resume`,
  ),
  /** It is unknown what the crew recovered from. */
  'trigger-failed': reason(
    { command: z.string().describe('As the user gave it'), failure: commandFailure },
    ({ command, failure }) => {
      switch (failure.kind) {
        case 'not-started':
          return `${command}: ${failure.error}`
        case 'ended': {
          const { exit, said } = failure
          return `the command ${command} ended with ${exit.code ?? exit.signal}${said && `: ${said}`}`
        }
        case 'endless': {
          const seconds = failure.stoppedAfterMs / 1_000
          return `the command ${command} was stopped: it was still running after ${seconds} s`
        }
        default:
          return unreachable(failure)
      }
    },
    'fix the command, and try again',
  ),
}

const runReason = keptReason.extend({ code: z.enum(RUN_REASON_CODES) })
export const trialReason = z.union([reasonSchema(TRIAL_REASONS), runReason])
export type TrialReason = z.infer<typeof trialReason>

type OwnReason = ReasonOf<typeof TRIAL_REASONS>
export type TriggerFailure = Extract<OwnReason, { code: 'trigger-failed' }>
/** Why a study ended before its trials: its target was lost. */
export type LossReason = Exclude<OwnReason, TriggerFailure>

/** Whether it is the loss of the target, because of which a study ended before its trials. */
export function isLoss({ code }: TrialReason): boolean {
  return code === 'study-crew-ended' || code === 'no-further-run' || code === 'target-lost'
}

/** The reasons of one study, or of its trials. */
export function trialReasonSchema<const Table extends ReasonTable>(own: Table) {
  return z.union([reasonSchema(own), trialReason])
}
