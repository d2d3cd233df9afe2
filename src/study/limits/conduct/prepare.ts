/**
 * Before the first experiment: is a crew there, does it take our tokens, and which execution can
 * status be asked about?
 */
import { notGivenWords } from '../../../crew/inputs/words.ts'
import type { ListedInput } from '../../../crew/observation.ts'
import { readInputs } from '../../../crew/read.ts'
import { TargetError } from '../../../run/errors.ts'
import {
  demandCrew,
  noKickoffId,
  refused,
  unreachableTarget,
} from '../../../run/target/preflight.ts'
import {
  flaggedInputsRefused,
  missingInputs,
  sampledNames,
  sampleInputs,
} from '../../../run/target/refused-inputs.ts'
import { retryAfterMs } from '../analyse/infer/headers/promise.ts'
import type { LimitsPlan } from '../document.ts'
import { MOST_PAUSE_MS } from '../document.ts'
import type { LimitsOptions } from '../options.ts'
import type { Prober } from './prober.ts'

/** What is sent here is evidence as well. Throws TargetError, and UserError for inputs. */
export async function prepare(
  prober: Prober,
  plan: LimitsPlan,
  options: LimitsOptions,
): Promise<void> {
  const listed = await greet(prober)
  prober.inputs = options.inputs ?? sampleInputs(sampledNames(listed))
  const missing = missingInputs(Object.keys(prober.inputs), listed)
  if (missing.names.length > 0) options.onNote?.(notGivenWords(missing))
  prober.kickoffId = options.kickoffId ?? prober.kickoffId
  if (!plan.operations.includes('status') || prober.kickoffId !== null) return
  await startOne(prober)
}

/** Where a refusal does not say how long to wait; twice as long after each further one. */
const FIRST_WAIT_MS = 1_000
const GROWTH = 2

/**
 * Until one kickoff is accepted: the limit that is looked for may refuse it, since what was asked
 * before has used it up.
 */
async function startOne(prober: Prober): Promise<void> {
  const { client, signal } = prober
  for (let guessMs = FIRST_WAIT_MS; ; guessMs *= GROWTH) {
    const asked = await prober.ask('kickoff')
    if (prober.kickoffId !== null || signal.aborted) return
    const found = `POST ${prober.ways.paths.kickoff} answered ${asked?.observed.status ?? 'nothing'}`
    if (asked?.answer.status === 422) throw flaggedInputsRefused(prober.inputs, asked.answer)
    if (asked?.observed.answer !== 'refused') throw noKickoffId(client.target, found)
    const waitMs = retryAfterMs(asked.observed.headers) ?? guessMs
    if (prober.left('kickoff') < 1 || waitMs > MOST_PAUSE_MS) {
      throw new TargetError(client.target, REFUSED, found)
    }
    await client.sleepUntil(client.nowMs() + waitMs, signal)
  }
}

const REFUSED =
  'the kickoff that status needs was refused, as by a rate limit: try again later, give ' +
  '--kickoff-id of an execution that exists, or allow more attempts with --kickoffs'

/** Asks for the inputs with each token. Returns those that the crew lists. */
async function greet(prober: Prober): Promise<readonly ListedInput[]> {
  const { target, tokens } = prober.client
  const inputsPath = prober.ways.paths.inputs
  let listed: readonly ListedInput[] = []
  for (let token = 0; token < tokens; token++) {
    const asked = await prober.ask('inputs', { token })
    if (asked === null) return listed
    const { answer, observed } = asked
    if (answer.kind === 'failure') throw unreachableTarget(target, answer)
    const which = tokens > 1 ? ` ${token + 1} of ${tokens}` : ''
    // A limiter that refuses at once is what is looked for, with 403 too if it asks to wait.
    if (observed.answer === 'refused') continue
    if (answer.status === 401 || answer.status === 403) throw refused(target, answer.status, which)
    demandCrew(target, answer, inputsPath)
    listed = readInputs(answer).listed ?? listed
  }
  return listed
}
