/** What a study of limits sends, step by step, and what each step takes at most. */
import { formatMs } from '../../../report/frame/format.ts'
import type { LimitedOperation, LimitsPlan } from '../document.ts'

export const DEFAULT_SUSTAIN_MS = 60_000
/** Requests that are set aside for finding out who shares a limit. */
export const SCOPE_KEEPS = 60
/** A client asks for the inputs once in a run: a limit beyond a burst of so many meets nobody. */
export const MOST_INPUTS = 64
/** Requests of the whole budget for each operation, where the user names none. */
export const EACH_REQUESTS = 600
/** Kept for each operation whose turn is still to come, where as many are left for this one. */
const RESERVED = 100
/** No experiment waits longer than this. */
export const MOST_PAUSE_MS = 900_000

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
  const share = Math.floor((left - EACH_REQUESTS) / Math.max(1, later.length))
  const each = kept(later, { share: Math.min(EACH_REQUESTS, share), kickoffs })
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

export interface StepsOf {
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
export function stepsOf(study: StepsOf): ProbeStep[] {
  const { operations, tokens, startsOne } = study
  const before = [
    step('the inputs, with each token', { requests: tokens, about: 'a round trip each' }),
    ...(startsOne
      ? [step('an execution to ask about', { requests: 1, kickoffs: 1, about: 'a round trip' })]
      : []),
  ]
  let spent = before.reduce((sum, { requests }) => sum + requests, 0)
  const probing = operations.flatMap((operation, index) => {
    const others = operations.filter((each) => each !== operation && each !== 'kickoff')
    const later = operations.slice(index + 1)
    // Each operation before it took at least one request.
    return ofOperation(operation, { ...study, others: others.length, later, spent: spent++ })
  })
  return [...before, ...probing]
}

interface Turn extends StepsOf {
  /** Other operations that may share its limit. */
  others: number
  /** Operations whose turn is still to come. */
  later: readonly LimitedOperation[]
  /** Requests that were surely sent before. */
  spent: number
}

function ofOperation(operation: LimitedOperation, turn: Turn): ProbeStep[] {
  const { budget, tokens, startsOne, sustainMs, others, later, spent } = turn
  const isKickoff = operation === 'kickoff'
  const kickoffsLeft = budget.kickoffs - (startsOne ? 1 : 0)
  const left = Math.max(0, budget.requests - spent)
  const own = isKickoff ? Math.min(left, kickoffsLeft) : left
  const reserved = reservedFor(later, { left, kickoffs: kickoffsLeft })
  const most = Math.max(0, own - reserved)
  const forLater = keptFor(later, { left, kickoffs: kickoffsLeft })
  const sustained = Math.max(0, most - SCOPE_KEEPS - forLater)
  const isOfExecutions = operation === 'status'
  const beside = others + (tokens > 1 ? 1 : 0) + (isOfExecutions ? 1 : 0)
  const used = MOST_TO_EXHAUST + MARGIN
  const shared = used + AT_LAST + EACH_BESIDE * beside + (isOfExecutions ? used + 1 : 0)
  const sent = (requests: number, about: string) => {
    const kickoffs = isKickoff ? Math.min(requests, kickoffsLeft) : 0
    return { requests, kickoffs, about }
  }
  return [
    step(
      `the limit of ${operation}`,
      sent(most, 'usually 5 of its windows, or 11 blocks if it blocks'),
    ),
    ...(sustainMs > 0 && sustained > 0
      ? [
          step(
            'its safe rate, kept',
            sent(sustained, `a window and ${formatMs(sustainMs)}, twice where it is refused`),
          ),
        ]
      : []),
    step(
      'who shares it',
      sent(Math.min(own, shared), `up to ${1 + WINDOWS_BESIDE * beside} of its windows`),
    ),
  ]
}

function step(
  does: string,
  { requests, kickoffs = 0, about }: { requests: number; kickoffs?: number; about: string },
): ProbeStep {
  return { step: does, requests, kickoffs, about }
}
