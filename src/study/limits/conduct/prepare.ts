/**
 * Before the first experiment: is a crew there, does it take our tokens, and which execution can
 * status be asked about?
 */
import { readInputs } from '../../../crew/read.ts'
import {
  demandCrew,
  noKickoffId,
  refused,
  unreachableTarget,
} from '../../../run/target/preflight.ts'
import { demandFlaggedInputs, sampleInputs } from '../../../run/target/sample-inputs.ts'
import type { LimitsPlan } from '../document.ts'
import type { LimitsOptions } from '../plan/options.ts'
import type { Prober } from './prober.ts'

/** What is sent here is evidence as well. Throws TargetError, and UserError for inputs. */
export async function prepare(
  prober: Prober,
  plan: LimitsPlan,
  options: LimitsOptions,
): Promise<void> {
  const expected = await greet(prober)
  prober.inputs = options.inputs ?? sampleInputs(expected ?? [])
  demandFlaggedInputs(prober.inputs, expected ?? [])
  prober.kickoffId = options.kickoffId ?? prober.kickoffId
  if (!plan.operations.includes('status') || prober.kickoffId !== null) return
  await prober.ask('kickoff')
  if (prober.kickoffId !== null) return
  throw noKickoffId(prober.client.target, 'POST /kickoff')
}

/** Asks for the inputs with each token. Returns the names that the crew expects, or null. */
async function greet(prober: Prober): Promise<readonly string[] | null> {
  const { target, tokens } = prober.client
  let expected: readonly string[] | null = null
  for (let token = 0; token < tokens; token++) {
    const asked = await prober.ask('inputs', token)
    if (asked === null) return expected
    const { answer, observed } = asked
    if (answer.kind === 'failure') throw unreachableTarget(target, answer.class, answer.detail)
    const which = tokens > 1 ? ` ${token + 1} of ${tokens}` : ''
    if (answer.status === 401 || answer.status === 403) throw refused(target, answer.status, which)
    // A limiter that refuses at once is what is looked for.
    if (observed.answer === 'refused') continue
    demandCrew(target, answer)
    expected = readInputs(answer).names ?? expected
  }
  return expected
}
