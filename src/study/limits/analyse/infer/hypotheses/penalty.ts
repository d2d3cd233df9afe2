/** Penalty: `limit` requests in `windowMs`; the first beyond begins a block of `blockMs`. */
import type { Random } from '../../../../../base/random.ts'
import type { RequestGroup } from '../evidence/groups.ts'
import {
  calendarSeeds,
  lengthSeeds,
  windowByClock,
  windowFromHit,
  withLimits,
} from './fixed-window.ts'
import type { Clues, Hypothesis, Model, Parameters } from './hypothesis.ts'
import { modelOf, parametersOf } from './hypothesis.ts'
import { slidingLogModel } from './sliding-log.ts'

interface BlockState {
  counted: object
  untilMs: number
}

/** A refusal this many standard deviations after the end of a block may have been before it. */
const NEAR = 3

function blocking(
  trigger: Model<object>,
  blockMs: number,
  countsRefused: boolean,
  sigmaMs: number,
): Model<BlockState> {
  return modelOf<BlockState>({
    memoryMs: Math.max(trigger.memoryMs, blockMs),
    raises: true,
    fresh: () => ({ counted: trigger.fresh(), untilMs: -Infinity }),
    copy: ({ counted, untilMs }) => ({ counted: trigger.copy(counted), untilMs }),
    timeOf: ({ counted, untilMs }, k, group) =>
      Math.max(untilMs, trigger.timeOf(counted, k, group)),
    advance: (state, group, refused) => {
      const { accepted, firstRefusedMs, lastRefusedMs } = group
      const wasBlocked = isBlocked(state, group)
      const counts = countsRefused && !wasBlocked ? Math.min(1, refused) : 0
      if (accepted > 0 || counts > 0) trigger.advance(state.counted, group, counts)
      if (refused === 0) return
      if (countsRefused) state.untilMs = lastRefusedMs + blockMs
      else if (!wasBlocked) state.untilMs = firstRefusedMs + blockMs
    },
    used: ({ counted, untilMs }, firstMs) =>
      firstMs < untilMs ? NaN : trigger.used(counted, firstMs),
  })

  function isBlocked({ counted, untilMs }: BlockState, group: RequestGroup): boolean {
    const { firstRefusedMs, accepted, errorMs } = group
    const nearMs = NEAR * sigmaMs + errorMs
    if (firstRefusedMs < untilMs) return true
    if (accepted > 0 || firstRefusedMs > untilMs + nearMs) return false
    return trigger.timeOf(counted, 1, group) < firstRefusedMs - nearMs
  }
}

/** What a phase costs that can be fitted to the evidence, in nats. */
const PHASE = 1

const TRIGGERS = {
  'first-hit': {
    model: windowFromHit,
    seeds: lengthSeeds,
  },
  calendar: {
    model: windowByClock,
    seeds: (clues: Clues) => [...calendarSeeds(clues), ...anyPhase(clues)],
  },
  log: {
    model: (parameters: Parameters) => slidingLogModel(parameters, true),
    seeds: lengthSeeds,
  },
}

function anyPhase(clues: Clues): Parameters[] {
  return lengthSeeds(clues).map((seed) =>
    parametersOf(seed, { phaseMs: clues.random.next() * seed.windowMs }),
  )
}

/** Lengths that are drawn where a block was renewed. */
const RENEWED = 20

/** From a refusal to a later re-admission. Without refusals, nothing speaks of a block. */
function blockLengths({ groups, readmissions, random }: Clues): number[] {
  const lengths: number[] = []
  for (const { fromMs, toMs } of readmissions.slice(-8)) {
    for (const { refused, firstRefusedMs, lastRefusedMs } of groups.slice(-40)) {
      if (refused === 0 || lastRefusedMs >= toMs) continue
      const from = Math.max(0, fromMs - firstRefusedMs)
      lengths.push(from + random.next() * (toMs - firstRefusedMs - from))
      lengths.push(Math.max(0, fromMs - lastRefusedMs) + random.next() * (toMs - lastRefusedMs))
    }
  }
  return [...lengths, ...renewedLengths(groups, random)].filter((ms) => ms > 0)
}

/**
 * A refusal after which headers tell a later time than before has begun a block of its own: the one
 * before had ended since the refusal before.
 */
function renewedLengths(groups: readonly RequestGroup[], random: Random): number[] {
  const lengths: number[] = []
  let begunMs = -Infinity
  let before: RequestGroup | null = null
  for (const group of groups.slice(-40)) {
    if (group.refused === 0) continue
    const isRenewed =
      before?.restored != null && (group.restored?.fromMs ?? 0) > before.restored.toMs
    if (isRenewed && begunMs > -Infinity) {
      const fromMs = before!.lastRefusedMs
      for (let i = 0; i < RENEWED; i++) {
        lengths.push(fromMs - begunMs + random.next() * (group.firstRefusedMs - fromMs))
      }
    }
    if (isRenewed || group.accepted > 0) begunMs = group.firstRefusedMs
    before = group
  }
  return lengths
}

function penalty(trigger: keyof typeof TRIGGERS, countsRefused: boolean): Hypothesis {
  const { model, seeds } = TRIGGERS[trigger]
  return {
    name: `penalty, ${trigger}${countsRefused ? ', refused count' : ''}`,
    kind: 'penalty',
    aligned: trigger === 'log' ? null : trigger,
    countsRefused,
    prior: (countsRefused ? -2.2 : -1.5) - (trigger === 'calendar' ? PHASE : 0),
    has: ['limit', 'windowMs', 'blockMs', ...(trigger === 'calendar' ? ['phaseMs' as const] : [])],
    model: (parameters, sigmaMs) =>
      blocking(model(parameters, sigmaMs), parameters.blockMs, countsRefused, sigmaMs),
    seeds: (clues, most) => {
      const blocks = blockLengths(clues)
      if (blocks.length === 0) return []
      const blocked = seeds(clues).map((seed) =>
        parametersOf(seed, { blockMs: clues.random.pick(blocks) }),
      )
      return withLimits(clues, blocked, most)
    },
  }
}

/** Whether `other` is the limit of a penalty without its block. */
export function isWithoutBlock(other: Hypothesis, { aligned, countsRefused }: Hypothesis): boolean {
  return aligned === null
    ? other.kind === 'sliding-log' && other.countsRefused === countsRefused
    : other.kind === 'fixed-window' && other.aligned === aligned
}

export const penalties = (['first-hit', 'calendar', 'log'] as const).flatMap((trigger) => [
  penalty(trigger, false),
  penalty(trigger, true),
])
