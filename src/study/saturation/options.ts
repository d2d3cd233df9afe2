/** The options of a saturation. */
import { oneOf, text, wholeNumber } from '../../base/options/kinds.ts'
import type { OptionsOf, OptionTable } from '../../base/options/table.ts'
import { kept } from '../../base/options/table.ts'
import { OUT, PLAN, ways } from '../../run/options.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import { KICKOFF_ID, STUDY_REACH } from '../frame/options.ts'
import type { SaturationPlan } from './document.ts'

/** Durations and the ladder are text as a user writes them: `5s`, `1,2,4,8`. */
export const SATURATION = {
  endpoint: kept(
    '<endpoint>',
    'GET /inputs, GET /status/{id} or POST /kickoff',
    oneOf(['inputs', 'status', 'kickoff']),
    { required: true },
  ),
  connections: kept(
    '--connections <ladder>',
    'largest number of connections, reached by doubling, or a list: 1,2,4,8',
    text,
    { otherwise: '"64"' },
  ),
  /** 1 to 20: intervals are from what differs between visits. */
  repeats: kept('--repeats <n>', 'visits of each rung', wholeNumber(1), {
    otherwise: '6, for kickoffs 1',
  }),
  /** 1 s to 1 h. */
  duration: kept('--duration <duration>', 'duration of each visit', text, { otherwise: '"3s"' }),
  /** Up to 10 min. */
  warmUp: kept('--warm-up <duration>', 'warm-up before each visit', text, {
    otherwise: '"500ms", for kickoffs "0"',
  }),
  /** 1 s to 10 min. */
  timeout: kept('--timeout <duration>', 'time-out of one request', text, { otherwise: '"10s"' }),
  /** Default: 2, 5, 10, 15 and 30 s. */
  polling: kept(
    '--polling <duration>',
    'show how many executions status can serve at this polling interval',
    text,
  ),
  kickoffId: KICKOFF_ID,
  /** Kickoffs are never sent without it, except the one at a fake crew of `profile`. */
  maxKickoffs: {
    ...PLAN.budget.kickoffs,
    help: 'hard budget of kickoffs, required to send any',
  },
  /** A target that is not on this machine needs it. */
  maxRequests: PLAN.budget.requests,
  ...ways('the kickoffs'),
  out: OUT,
  run: STUDY_REACH,
} satisfies OptionTable

export interface SaturateOptions
  extends Omit<OptionsOf<typeof SATURATION>, 'run'>, StudyOptions<SaturationPlan> {
  run: OptionsOf<typeof SATURATION.run>
}
