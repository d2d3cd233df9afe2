/** The options of a study of limits, checked, with every default filled in. Nothing is sent. */
import type { Mistake } from '../../base/mistakes.ts'
import { demandNone } from '../../base/mistakes.ts'
import { flagsGiven } from '../../base/options/table.ts'
import { engineFor, placeFacts } from '../../run/target/chosen-place.ts'
import { wayFacts } from '../../run/target/ways.ts'
import type { LimitedOperation, LimitsPlan } from './document.ts'
import type { LimitsOptions } from './options.ts'
import { DEFAULTS, LIMITS } from './options.ts'
import { formatMs } from '../../base/numbers.ts'

/** Fewer settle nothing: a ramp to three refusals alone takes about as many. */
const FEWEST_REQUESTS = 20
const VIRTUAL_TOKENS = 2

/** Throws UserError with every mistake. */
export function planLimits(options: LimitsOptions): LimitsPlan {
  if (options.from !== undefined) return planRecorded(options.from, options)
  const { run } = options
  const engine = engineFor(run)
  const operations = operationsOf(options)
  const mistakes: Mistake[] = [
    ...budgetMistakes(options),
    ...kickoffMistakes(options, operations, run.profile !== undefined),
  ]
  demandNone(mistakes)
  const startsOne = operations.includes('status') && options.kickoffId === undefined
  // Kickoffs have a budget of their own.
  const polled = operations.filter((operation) => operation !== 'kickoff')
  const budget = {
    requests: options.maxRequests ?? DEFAULTS.eachRequests * Math.max(1, polled.length),
    kickoffs: options.maxKickoffs ?? (startsOne ? 1 : 0),
  }
  const { sustainMs = DEFAULTS.sustainMs } = options
  return {
    ...placeFacts({ ...run, engine }),
    ...wayFacts(options),
    engine,
    from: [],
    operations: [...operations],
    inFlight: options.inFlight ?? DEFAULTS.inFlight,
    budget,
    maxDurationMs:
      options.maxDurationMs ?? (engine === 'virtual' ? null : 60_000 * DEFAULTS.maxMinutes),
    steps: stepsOf({ operations, budget, tokens: tokensOf(run, engine), startsOne, sustainMs }),
  }
}

/** A fake crew has tokens of its own; in virtual time it has two. */
function tokensOf(
  { target, tokens = [] }: LimitsOptions['run'],
  engine: LimitsPlan['engine'],
): number {
  if (engine === 'virtual') return VIRTUAL_TOKENS
  return target === undefined ? 1 : Math.max(1, tokens.length)
}

/** Runs record kickoffs and polls; nothing else of the options applies to them. */
function planRecorded(from: readonly string[], options: LimitsOptions): LimitsPlan {
  const { operations, kickoffId, maxKickoffs, maxRequests, maxDurationMs } = LIMITS
  const { target, profile, engine } = LIMITS.run
  const reach = { run: { target, profile, engine } }
  const own = { operations, kickoffId, maxKickoffs, maxRequests, maxDurationMs }
  demandNone(
    flagsGiven({ ...reach, ...own }, options, 'does not apply with --from, which sends nothing'),
  )
  return {
    place: null,
    engine: 'node',
    from: [...from],
    operations: ['status', 'kickoff'],
    inFlight: options.inFlight ?? DEFAULTS.inFlight,
    budget: { requests: 0, kickoffs: 0 },
    maxDurationMs: null,
    steps: [],
  }
}

function operationsOf({ operations, maxKickoffs }: LimitsOptions): readonly LimitedOperation[] {
  if (operations !== undefined) return [...new Set(operations)]
  return maxKickoffs === undefined || maxKickoffs < 2
    ? ['status', 'inputs']
    : ['status', 'inputs', 'kickoff']
}

function budgetMistakes({ maxRequests }: LimitsOptions): Mistake[] {
  if (maxRequests === undefined || maxRequests >= FEWEST_REQUESTS) return []
  const problem = `expected at least ${FEWEST_REQUESTS}: fewer requests settle nothing`
  return [{ source: '--max-requests', found: String(maxRequests), problem }]
}

/** A kickoff may cost money: none is sent unasked. */
function kickoffMistakes(
  { maxKickoffs, kickoffId, inputs }: LimitsOptions,
  operations: readonly LimitedOperation[],
  isFake: boolean,
): Mistake[] {
  const mistakes: Mistake[] = []
  const add = (source: string, problem: string): void => {
    mistakes.push({ source, problem })
  }
  const startsOne = operations.includes('status') && kickoffId === undefined
  if (operations.includes('kickoff') && maxKickoffs === undefined) {
    add('--max-kickoffs', 'kickoffs are never sent without a budget: --max-kickoffs N')
  } else if (startsOne && maxKickoffs === undefined && !isFake) {
    add(
      '--max-kickoffs',
      'status needs an execution: --kickoff-id ID, or --max-kickoffs 1 to start one',
    )
  }
  if (kickoffId !== undefined && !operations.includes('status')) {
    add('--kickoff-id', 'applies to status, which is not among the operations')
  }
  if (inputs !== undefined && !startsOne && !operations.includes('kickoff')) {
    add('--inputs', 'no kickoff is sent that needs them')
  }
  return mistakes
}

/** Requests that are set aside for finding out who shares a limit. */
export const SCOPE_KEEPS = 60
/** A client asks for the inputs once in a run: a limit beyond a burst of so many meets nobody. */
export const MOST_INPUTS = 64
/** Kept for each operation whose turn is still to come, where as many are left for this one. */
const RESERVED = 100
/** A limit that takes more requests than this to use up is not used up again: it costs others. */
export const MOST_TO_EXHAUST = 200
/** Requests beyond the limit that was found: that a burst of one too few passes proves nothing. */
export const MARGIN = 2
/** Requests at once to each that may share a bucket: what it gains meanwhile lets in fewer. */
export const MOST_BESIDE = 4
/**
 * Requests of each that may share it: one before it is used up and some at once after that, and
 * once more as many alone.
 */
const EACH_BESIDE = 2 * (1 + MOST_BESIDE)
/** One more shows at last whether it still is. */
export const AT_LAST = 1
/** Windows that pass at most, for each that may share it: before it is used up, and alone. */
const WINDOWS_BESIDE = 3

/**
 * Requests of `left` that are kept for operations whose turn is still to come; a kickoff is sent
 * only within `kickoffs`.
 */
export function reservedFor(
  later: readonly LimitedOperation[],
  { left, kickoffs }: { left: number; kickoffs: number },
): number {
  const share = Math.min(RESERVED, Math.floor(left / (later.length + 1)))
  return kept(later, { share, kickoffs })
}

/** The same where the limit is known, and a steady client only keeps its safe rate. */
export function keptFor(
  later: readonly LimitedOperation[],
  { left, kickoffs }: { left: number; kickoffs: number },
): number {
  const share = Math.floor((left - DEFAULTS.eachRequests) / Math.max(1, later.length))
  const each = kept(later, { share: Math.min(DEFAULTS.eachRequests, share), kickoffs })
  return Math.max(each, reservedFor(later, { left, kickoffs }))
}

function kept(
  later: readonly LimitedOperation[],
  { share, kickoffs }: { share: number; kickoffs: number },
): number {
  return later.reduce(
    (sum, operation) => sum + (operation === 'kickoff' ? Math.min(share, kickoffs) : share),
    0,
  )
}

type ProbeStep = LimitsPlan['steps'][number]

interface PlannedProbes {
  operations: readonly LimitedOperation[]
  budget: LimitsPlan['budget']
  /** At least 1. */
  tokens: number
  /** Whether an execution is kicked off that status can be asked about. */
  startsOne: boolean
  /** 0 for none. */
  sustainMs: number
}

/** In the order in which they are made; all of them together stay within the budget. */
function stepsOf(probes: PlannedProbes): ProbeStep[] {
  const { operations, tokens, startsOne } = probes
  const about = 'a round trip each'
  const before = [{ step: 'the inputs, with each token', requests: tokens, kickoffs: 0, about }]
  if (startsOne) {
    const one = { requests: 1, kickoffs: 1, about: 'a round trip' }
    before.push({ step: 'an execution to ask about', ...one })
  }
  const spent = before.reduce((sum, { requests }) => sum + requests, 0)
  // Each operation before it took at least one request.
  return [...before, ...operations.flatMap((_, i) => stepsOfOne(probes, i, spent + i))]
}

/** `spent`: requests that were surely sent before. */
function stepsOfOne(
  { operations, budget, tokens, startsOne, sustainMs }: PlannedProbes,
  index: number,
  spent: number,
): ProbeStep[] {
  const operation = operations[index]!
  const later = operations.slice(index + 1)
  const isKickoff = operation === 'kickoff'
  const isOfExecutions = operation === 'status'
  const kickoffs = budget.kickoffs - (startsOne ? 1 : 0)
  const left = Math.max(0, budget.requests - spent)
  const own = isKickoff ? Math.min(left, kickoffs) : left
  const most = Math.max(0, own - reservedFor(later, { left, kickoffs }))
  const sustained = Math.max(0, most - SCOPE_KEEPS - keptFor(later, { left, kickoffs }))
  const others = operations.filter((each) => each !== operation && each !== 'kickoff').length
  const beside = others + (tokens > 1 ? 1 : 0) + (isOfExecutions ? 1 : 0)
  const used = MOST_TO_EXHAUST + MARGIN
  const shared = used + AT_LAST + EACH_BESIDE * beside + (isOfExecutions ? used + 1 : 0)
  const step = (name: string, requests: number, about: string): ProbeStep => {
    return { step: name, requests, kickoffs: isKickoff ? Math.min(requests, kickoffs) : 0, about }
  }
  const kept = `a window and ${formatMs(sustainMs)}, twice where it is refused`
  return [
    step(`the ${operation} limit`, most, 'usually 5 of its windows, or 11 blocks if it blocks'),
    ...(sustainMs > 0 && sustained > 0 ? [step('its safe rate, kept', sustained, kept)] : []),
    step(
      'who shares it',
      Math.min(own, shared),
      `up to ${1 + WINDOWS_BESIDE * beside} of its windows`,
    ),
  ]
}
