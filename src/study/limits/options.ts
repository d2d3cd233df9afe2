/** The options of a study of limits. */
import {
  durationMs,
  durationMsOrNone,
  files,
  listOf,
  wholeNumber,
  yes,
} from '../../base/options/kinds.ts'
import { durationText, MICROS_PER_MS } from '../../base/units.ts'
import type { OptionsOf, OptionTable } from '../../base/options/table.ts'
import { kept, option } from '../../base/options/table.ts'
import { OUT, PLAN, ways } from '../../run/options.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import { KICKOFF_ID, STUDY_REACH, studyEngine } from '../frame/options.ts'
import type { LimitsPlan } from './document.ts'
import { LIMITED_OPERATIONS } from '../frame/limiter-kinds.ts'

/** What holds where the user says nothing. */
export const DEFAULTS = {
  /** Requests of the whole budget for each operation. */
  eachRequests: 600,
  maxMinutes: 30,
  inFlight: 10,
  sustainMs: 60_000,
}

export const LIMITS = {
  from: option(
    '--from <runs...>',
    'infer the limits from the answers in these run folders; sends nothing',
    files,
  ),
  /** In the order in which they are probed; `kickoff` too, where `maxKickoffs` is given. */
  operations: kept(
    '--operations <list>',
    'operations to probe: status, inputs, kickoff',
    listOf('--operations', LIMITED_OPERATIONS),
    { otherwise: '"status,inputs"' },
  ),
  kickoffId: KICKOFF_ID,
  /**
   * At a target no kickoff is sent without it. Default: 1 for the execution that status asks about,
   * at a fake crew that the study starts.
   */
  maxKickoffs: {
    ...PLAN.budget.kickoffs,
    help: 'hard budget of kickoffs; with 2 or more, their limits are probed',
  },
  /** For all operations together and everything else that is sent. */
  maxRequests: {
    ...PLAN.budget.requests,
    otherwise: `${DEFAULTS.eachRequests} for each operation`,
  },
  /** While it sends, resumptions included. In virtual time, where nobody waits, no default. */
  maxDurationMs: kept(
    '--max-duration <time>',
    'hard budget of time, after which it reports what it knows',
    durationMs,
    { otherwise: `${DEFAULTS.maxMinutes}m`, group: 'Budget' },
  ),
  inFlight: kept(
    '--in-flight <n>',
    'executions in flight that the recommended settings must allow',
    wholeNumber(1),
    { otherwise: String(DEFAULTS.inFlight) },
  ),
  sustainMs: kept(
    '--sustain <duration>',
    'how long to keep the safe rate, to find a second limit; 0s skips it',
    durationMsOrNone,
    { otherwise: durationText(DEFAULTS.sustainMs * MICROS_PER_MS) },
  ),
  ignoreHeaders: kept('--ignore-headers', 'ignore what rate limit headers say', yes),
  /** Of what the inference draws, and of a simulated crew. Default `SEED`. */
  seed: PLAN.seed,
  ...ways('the kickoffs'),
  out: OUT,
  run: { ...STUDY_REACH, engine: { kind: studyEngine('virtual', 'node') } },
} satisfies OptionTable

export interface LimitsOptions
  extends Omit<OptionsOf<typeof LIMITS>, 'run'>, StudyOptions<LimitsPlan> {
  run: OptionsOf<typeof LIMITS.run>
}
