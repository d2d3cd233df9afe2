/** The reasons of a run's verdict: a code, its facts, and the sentence and remedy made of them. */
import type { ReasonOf } from '../coded.ts'
import { reason } from '../coded.ts'
import { formatCount, plural } from '../../base/numbers.ts'
import { count } from '../shapes.ts'
import { END_REASONS } from './ends.ts'
import { GENERATOR_REASONS } from './generator.ts'
import { LOSS_REASONS } from './target-loss.ts'
import { THRESHOLD_REASONS } from './thresholds.ts'

export const REASONS = {
  ...THRESHOLD_REASONS,
  ...GENERATOR_REASONS,
  ...LOSS_REASONS,
  ...END_REASONS,
  'shared-id': reason(
    { kickoffs: count, accepted: count },
    ({ kickoffs, accepted }) =>
      `${formatCount(kickoffs)} of ${plural(accepted, 'accepted kickoff')} got the kickoff_id of ` +
      'another',
    'give every kickoff an id of its own: these arrivals have no execution, and read the ' +
      'result of somebody else',
  ),
}

export type RunReason = ReasonOf<typeof REASONS>
export type RunReasonCode = RunReason['code']

export const RUN_REASON_CODES = Object.keys(REASONS) as readonly RunReasonCode[]
