/** The options of a search for capacity. */
import { files, text, wholeNumber } from '../../base/options/kinds.ts'
import type { OptionsOf, OptionTable } from '../../base/options/table.ts'
import { kept } from '../../base/options/table.ts'
import { OUT } from '../../run/options.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import { NETWORK, SCENARIO, STUDY_RUN, studyEngine } from '../frame/options.ts'
import type { CapacityPlan } from './document.ts'

/** What holds where the user says nothing. */
export const DEFAULTS = { within: '5%', maxInFlight: 1_024 }

export const CAPACITY = {
  /** Its inputs, polling, retries and deadline are used, but not its load. */
  scenario: SCENARIO,
  slo: kept(
    '--slo <promises>',
    'promises to users, like "execution.p95 < 120s, outcome.unserved < 2%"',
    text,
    { required: true },
  ),
  /** Without a target and a profile, they alone are the evidence, and nothing is sent. */
  from: kept('--from <runs...>', 'run folders of the same crew that count as evidence', files),
  /** From 0.5 % to 50 % of the capacity. */
  within: kept('--within <share>', 'half-width of the interval of the capacity', text, {
    otherwise: `"${DEFAULTS.within}"`,
  }),
  expect: kept('--expect <rate>', 'required rate, like "300/h"; a lower capacity fails', text),
  maxInFlight: kept('--max-in-flight <n>', 'most executions at once', wholeNumber(1, 10_000), {
    otherwise: String(DEFAULTS.maxInFlight),
  }),
  /**
   * Executions that are simulated at each rate, 10,000 to 1,000,000; default 1,000,000. Fewer take
   * less time, and their error makes the interval wider.
   */
  simulated: { takes: wholeNumber(0), kept: true },
  out: OUT,
  run: { ...STUDY_RUN, engine: { kind: studyEngine('virtual', 'node', 'k6'), network: NETWORK } },
} satisfies OptionTable

export interface CapacityOptions
  extends Omit<OptionsOf<typeof CAPACITY>, 'run'>, StudyOptions<CapacityPlan> {
  run: OptionsOf<typeof CAPACITY.run>
}
