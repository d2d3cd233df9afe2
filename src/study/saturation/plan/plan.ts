/** Checks the options of a saturation and fills in every default. */
import type { SaturationPlan } from '../document.ts'
import { MOST_REPEATS } from '../sentences.ts'
import { isLoopback } from '../../../base/loopback.ts'
import type { Mistake } from '../../../base/mistakes.ts'
import { durationFrom, notWhole, UserError } from '../../../base/mistakes.ts'
import { proxyFor } from '../../../host/node/proxy.ts'
import { fixedTokenMistakes } from '../../../host/node/token-source.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../base/units.ts'
import { onePlace, placeFacts } from '../../../run/target/chosen-place.ts'
import { wayFacts } from '../../../run/target/ways.ts'
import type { SaturateOptions } from '../options.ts'
import { createRandom } from '../../../base/random.ts'

const MINUTE = 60 * MICROS_PER_SECOND
const POLLING_SECONDS = [2, 5, 10, 15, 30]
/** Of the order of visits, and of a fake crew that is started: the default of every scenario. */

export interface SaturationDesign {
  plan: SaturationPlan
  options: SaturateOptions
}

/** Throws UserError with every mistake. */
export function designSaturation(options: SaturateOptions): SaturationDesign {
  return { plan: planSaturation(options), options }
}

function planSaturation(options: SaturateOptions): SaturationPlan {
  const mistakes: Mistake[] = []
  const ladder = ladderOf(options.connections ?? '64', mistakes)
  const duration = (source: string, text: string, allowed: [Micros, Micros]): number => {
    const range = `from ${allowed.map(inWords).join(' to ')}`
    return durationFrom({ source, text, range }, allowed, mistakes) / MICROS_PER_MS
  }
  const isPaid = options.endpoint === 'kickoff'
  const { repeats = isPaid ? 1 : 6 } = options
  const plan: SaturationPlan = {
    endpoint: options.endpoint,
    ...placeFacts(options.run),
    ...wayFacts(options),
    ladder,
    repeats,
    rungMs: duration('--duration', options.duration ?? '3s', [MICROS_PER_SECOND, 60 * MINUTE]),
    warmUpMs: duration('--warm-up', options.warmUp ?? (isPaid ? '0' : '500ms'), [0, 10 * MINUTE]),
    timeoutMs: duration('--timeout', options.timeout ?? '10s', [MICROS_PER_SECOND, 10 * MINUTE]),
    pollingMs:
      options.polling === undefined
        ? POLLING_SECONDS.map((seconds) => seconds * 1_000)
        : [duration('--polling', options.polling, [MICROS_PER_MS, 24 * 60 * MINUTE])],
    budget: {
      requests: options.maxRequests ?? null,
      kickoffs: options.maxKickoffs ?? null,
    },
  }
  mistakes.push(
    ...notWhole('--repeats', repeats, 1, MOST_REPEATS),
    ...unfitting(options),
    ...kickoffMistakes(options, ladder),
    ...targetMistakes(options),
    ...fixedTokenMistakes('saturate', options.run.tokenSource),
  )
  if (mistakes.length > 0) throw new UserError(mistakes)
  return plan
}

function ladderOf(text: string, mistakes: Mistake[]): number[] {
  const ladder = parseLadder(text)
  if (ladder !== undefined) return ladder
  const found = JSON.stringify(text)
  mistakes.push({ source: '--connections', found, problem: `expected ${LADDER_HELP}` })
  return [1]
}

/** `100ms`, `1s`, `10m`, as a user writes them. */
function inWords(micros: Micros): string {
  if (micros === 0) return '0'
  if (micros % MINUTE === 0) return `${micros / MINUTE}m`
  if (micros % MICROS_PER_SECOND === 0) return `${micros / MICROS_PER_SECOND}s`
  return `${micros / MICROS_PER_MS}ms`
}

/**
 * Options that only another endpoint uses are rejected: the user expects them to have an effect.
 */
function unfitting({
  endpoint,
  kickoffId,
  polling,
  inputs,
  maxKickoffs,
}: SaturateOptions): Mistake[] {
  const status = endpoint === 'status'
  const kicksOff = endpoint === 'kickoff' || (status && kickoffId === undefined)
  const [unpolled, unsent] = ['only allowed with saturate status', 'not used: no kickoff is sent']
  const rules: [string, unknown, boolean, string][] = [
    ['--kickoff-id', kickoffId, status, unpolled],
    ['--polling', polling, status, unpolled],
    ['--inputs', inputs, kicksOff, unsent],
    ['--max-kickoffs', maxKickoffs, kicksOff, unsent],
  ]
  return rules
    .filter(([, given, fits]) => given !== undefined && !fits)
    .map(([source, , , problem]) => ({ source, problem }))
}

/** A kickoff costs money, so it is never sent without an explicit limit. */
function kickoffMistakes(options: SaturateOptions, ladder: readonly number[]): Mistake[] {
  const { endpoint, kickoffId, maxKickoffs, run } = options
  if (endpoint === 'kickoff') return budgetMistakes(maxKickoffs, ladder)
  const asked = [kickoffId, maxKickoffs, run.profile].some((each) => each !== undefined)
  if (endpoint === 'inputs' || asked) return []
  const problem = 'needs an execution to poll: --kickoff-id ID, or --max-kickoffs 1 to kick one off'
  return [{ source: 'saturate status', problem }]
}

function budgetMistakes(maxKickoffs: number | undefined, ladder: readonly number[]): Mistake[] {
  const source = '--max-kickoffs'
  if (maxKickoffs === undefined) {
    const problem = 'kickoffs are never sent without a budget: --max-kickoffs N'
    return [{ source, found: 'none', problem }]
  }
  const needed = FEWEST_REQUESTS_PER_CONNECTION * (ladder[0] ?? 1)
  if (maxKickoffs >= needed) return []
  const each = FEWEST_REQUESTS_PER_CONNECTION
  const problem = `the first rung needs ${needed}, ${each} for each connection`
  return [{ source, found: String(maxKickoffs), problem }]
}

function targetMistakes(options: SaturateOptions): Mistake[] {
  const place = onePlace(options.run)
  if (place.kind === 'profile') return []
  const mistakes: Mistake[] = []
  if (!isLoopback(place.target.hostname) && options.maxRequests === undefined) {
    mistakes.push(requestsNeeded('a target that is not on this machine needs a budget'))
  }
  if (proxyFor(place.target, options.run.env ?? {}) !== null) {
    const problem =
      'a proxy leads to the target, and autocannon cannot use one. Run where none is ' +
      'needed, or list the target in NO_PROXY'
    mistakes.push({ source: 'environment', problem })
  }
  return mistakes
}

export function requestsNeeded(reason: string): Mistake {
  const problem = `${reason}: --max-requests N`
  return { source: '--max-requests', found: 'none', problem }
}

const MOST_CONNECTIONS = 10_000
const MOST_RUNGS = 100

/** The values that `parseLadder` accepts, for error messages. */
const LADDER_HELP =
  'a maximum to reach by doubling, like "64", or an increasing list like ' +
  `"1,2,4,8", of 1 to ${MOST_CONNECTIONS} connections`

/**
 * Reads a ladder: `64` means 1, 2, 4 ... 64; `1,2,4,8` means just these. Undefined for any other
 * text.
 */
export function parseLadder(text: string): number[] | undefined {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > MOST_RUNGS || !parts.every((part) => /^\d{1,5}$/.test(part))) return undefined
  const rungs = parts.map(Number)
  const [first = 0] = rungs
  const rising = rungs.every((rung, i) => rung > (rungs[i - 1] ?? 0) && rung <= MOST_CONNECTIONS)
  if (!rising) return undefined
  return rungs.length === 1 ? doubling(first) : rungs
}

function doubling(most: number): number[] {
  const rungs: number[] = []
  for (let rung = 1; rung < most; rung *= 2) rungs.push(rung)
  return [...rungs, most]
}

/** One visit of a rung, in the pass `pass`, from 1. */
export interface PlannedVisit {
  connections: number
  pass: number
}

/**
 * The first pass rises, so that a ladder ends before it overwhelms a target. The further passes
 * visit the same rungs, each in an order of its own: what drifts meets all rungs alike.
 */
export function visitOrder(
  ladder: readonly number[],
  repeats: number,
  seed: number,
): PlannedVisit[] {
  const random = createRandom(seed)
  return Array.from({ length: repeats }, (_, before) => {
    const pass = before + 1
    const drawn = ladder.map((connections) => ({
      connections,
      pass,
      at: pass === 1 ? connections : random.fork(`pass ${pass}`, connections).next(),
    }))
    return drawn.sort((a, b) => a.at - b.at).map(({ connections }) => ({ connections, pass }))
  }).flat()
}

/** With fewer requests, a connection could hardly distinguish its steady state from its start. */
const FEWEST_REQUESTS_PER_CONNECTION = 10

/**
 * Returns how many of the `left` requests the first of `rungs` may use: the same for every
 * connection of the remaining visits, so that narrow rungs leave enough for the wide ones, but at
 * least `least` for each connection. Null when the rest is too small for this visit.
 */
export function shareOfBudget(
  left: number,
  rungs: readonly number[],
  least: number = FEWEST_REQUESTS_PER_CONNECTION,
): number | null {
  const [connections = 0] = rungs
  const all = rungs.reduce((sum, rung) => sum + rung, 0)
  const each = Math.max(FEWEST_REQUESTS_PER_CONNECTION, Math.ceil(least), Math.floor(left / all))
  const share = each * connections
  return share <= left ? share : null
}
