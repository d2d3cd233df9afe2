/** What a k6 script reads from its environment, and whether its kickoffs need a budget. */
import type { MissingInputs } from '../../crew/inputs/sentences.ts'
import { NONE_MISSING } from '../../crew/inputs/sentences.ts'
import { isLoopback } from '../../base/loopback.ts'
import type { CrewPlace } from '../../execution/record/crew-place.ts'
import { boundsSpending } from '../../scenario/prices.ts'
import { CONTROL_PATH, isClock } from '../../crew/fake/clock.ts'
import { VARIABLES } from './variables.ts'
import type { K6Params, World } from './world.ts'
import type { PortablePlan } from '../../scenario/plan-data.ts'

export type K6Variables = Readonly<Record<string, string | undefined>>

/**
 * What crewload knew before it started k6: requests of the budget that were spent, the share of
 * executions whose requests belong to a trace, inputs that the crew lists and the scenario does not
 * give, and which crew it is; null if nothing was known of it.
 */
export interface KnownAtStart {
  requestsSpent: number
  traces: number
  missingInputs: MissingInputs
  crew: CrewPlace | null
}

const NOTHING_KNOWN: KnownAtStart = {
  requestsSpent: 0,
  traces: 0,
  missingInputs: NONE_MISSING,
  crew: null,
}

export interface Settings extends KnownAtStart {
  target: string
  tokens: readonly string[]
  headers: Readonly<Record<string, string>>
  control: string | null
  startEverySeconds: number | null
}

const BASE_URL = /^https?:\/\/(\[[\da-f:.]+\]|[^/?#@:]+)(?::\d+)?(?:\/[^?#]*)?$/i
const WHOLE_SECONDS = /^[1-9]\d{0,3}$/
const NO_BUDGET_ELSEWHERE =
  `${VARIABLES.target}: the target is not on this machine, so the script must be ` +
  'made with a budget of kickoffs'

/**
 * `bundled` is the target for which the script was made. Aborts the test run, and names every
 * variable that is missing or wrong, without its value: an exception would end only this VU, and k6
 * would exit with code 0.
 */
export function readSettings(
  world: Pick<World, 'abort'>,
  variables: K6Variables,
  { http, budget }: Pick<PortablePlan, 'http' | 'budget'>,
  bundled: string | null = null,
): Settings {
  const target = variables[VARIABLES.target] ?? bundled ?? ''
  const host = hostOf(target)
  const headers = readHeaders(variables[VARIABLES.headers] ?? '')
  const every = variables[VARIABLES.startEvery] ?? null
  const known = variables[VARIABLES.known]
  const missing = Object.keys(http.headers).filter((name) => !Object.hasOwn(headers, name))
  const mistakes = [
    ...(host === undefined ? [`${VARIABLES.target}: expected the base URL of a crew`] : []),
    ...(host === undefined || isLoopback(host) || boundsSpending(budget)
      ? []
      : [NO_BUDGET_ELSEWHERE]),
    ...missing.map((name) => `${VARIABLES.headers}: missing line "${name}: ..."`),
    ...(every === null || WHOLE_SECONDS.test(every)
      ? []
      : [`${VARIABLES.startEvery}: expected whole seconds from 1 to 9999`]),
  ]
  if (mistakes.length > 0) return world.abort(mistakes.join('; '))
  return {
    target,
    tokens: linesOf(variables[VARIABLES.token] ?? ''),
    headers,
    control: variables[VARIABLES.control] ?? null,
    startEverySeconds: every === null ? null : Number(every),
    // As crewload itself writes it.
    ...(known === undefined ? NOTHING_KNOWN : (JSON.parse(known) as KnownAtStart)),
  }
}

/** The host of a base URL; undefined for any other text. */
function hostOf(target: string): string | undefined {
  return BASE_URL.exec(target)?.[1]
}

function readHeaders(text: string): Record<string, string> {
  const pairs = linesOf(text).map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
  })
  return Object.fromEntries(pairs)
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

const ANSWER_LIMIT_MS = 2_000
const NO_BUDGET =
  `${VARIABLES.target}: the target does not name itself a fake crew: make the script with ` +
  'a budget of kickoffs'

/**
 * What listens on this machine may be a tunnel to a deployment. Ends the test run when kickoffs
 * may cost money without a limit. A run that crewload itself started was asked before, and has a
 * `control`.
 */
export async function abortUnbudgeted(
  world: World,
  { target, control }: Pick<Settings, 'target' | 'control'>,
  budget: PortablePlan['budget'],
): Promise<void> {
  if (boundsSpending(budget) || control !== null || !isLoopback(hostOf(target) ?? '')) return
  if (!(await isFakeCrew(world, target))) world.abort(NO_BUDGET)
}

/** A proxy of the fake crew counts as the deployment that may be behind it. */
async function isFakeCrew(world: World, target: string): Promise<boolean> {
  const url = `${target.replace(/\/$/, '')}${CONTROL_PATH}/clock`
  const tags = { name: 'clock' }
  const params: K6Params = { timeout: ANSWER_LIMIT_MS, responseType: 'text', tags }
  try {
    const { status, body } = await world.request('GET', url, null, params)
    const clock: unknown = status === 200 ? JSON.parse(body ?? '') : null
    return isClock(clock) && clock.forwards_to === undefined
  } catch {
    return false
  }
}
