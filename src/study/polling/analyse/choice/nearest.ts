/**
 * What could be kept, where no strategy keeps what must hold: the least by which each goal must
 * give way, alone and both together, for the study to answer. Each is tried as it would be asked.
 */
import { toDigits } from '../../../../base/numbers.ts'
import type { Steps } from '../../../../base/steps.ts'
import { allSteps } from '../../../../base/steps.ts'
import { MICROS_PER_MS } from '../../../../base/units.ts'
import type { StrategyChoice, ChoiceQuestion } from './choose.ts'
import { choosing, isStudyAnswer } from './choose.ts'
import type { Replays } from './replays.ts'
import type { PollingGoal } from '../../document.ts'

/** Goals of two digits that are answered; null where no such goal is. */
export interface Nearest {
  /** With the least more polls. */
  quota: PollingGoal | null
  /** With the least more delay. */
  promise: PollingGoal | null
  /** With both raised by the same factor, each by less than alone; null unless there are both. */
  both: PollingGoal | null
  /** Whether a strategy sees the ends at all, if polls and delay are free. */
  isFree: boolean
}

type NearestGoal = 'quota' | 'promise'

/** The most steps by which a goal is raised: a power of 2; a factor of half a million. */
const MOST_STEPS = 512
/** Each of three is tried up to the last step, and back to the one that is needed. */
const MOST_TRIED = 1 + 3 * (1 + 2 * Math.log2(MOST_STEPS))

/** A step for each goal that is tried. */
export function* nearestOf(replays: Replays, question: ChoiceQuestion): Steps<Nearest> {
  const { goal } = question
  let tried = 0
  const choice = (asked: PollingGoal): StrategyChoice => {
    tried++
    return allSteps(choosing(replays, { ...question, goal: asked }))
  }
  const isPossible = (asked: PollingGoal): boolean => choice(asked).best !== null
  function* least(given: readonly NearestGoal[]): Steps<PollingGoal | null> {
    if (given.some((each) => goal[each] === null)) return null
    if (!isPossible(without(goal, given))) return null
    const step = yield* leastStep(
      (at) => isStudyAnswer(choice(raised(goal, given, at))),
      () => tried,
    )
    return step === null ? null : raised(goal, given, step)
  }
  const isFree = isPossible(without(goal, ['quota', 'promise']))
  const quota = yield* least(['quota'])
  const promise = yield* least(['promise'])
  const both = yield* least(['quota', 'promise'])
  return { quota, promise, both: isGentler(both, quota, promise) ? both : null, isFree }
}

/** Whether both give way by less than each alone. */
function isGentler(
  both: PollingGoal | null,
  quota: PollingGoal | null,
  promise: PollingGoal | null,
): boolean {
  if (both === null) return false
  const isWithin = both.quota!.count < (quota?.quota?.count ?? Infinity)
  return isWithin && both.promise!.boundMicros < (promise?.promise?.boundMicros ?? Infinity)
}

/** By doubling until it is answered, and halving from there. */
function* leastStep(
  isAnswered: (step: number) => boolean,
  tried: () => number,
): Steps<number | null> {
  let [failed, answered] = [0, 1]
  while (!isAnswered(answered)) {
    yield { what: 'nearer goals tried', done: tried(), of: MOST_TRIED }
    if (answered === MOST_STEPS) return null
    ;[failed, answered] = [answered, 2 * answered]
  }
  while (answered - failed > 1) {
    yield { what: 'nearer goals tried', done: tried(), of: MOST_TRIED }
    const middle = Math.floor((failed + answered) / 2)
    if (isAnswered(middle)) answered = middle
    else failed = middle
  }
  return answered
}

function without(goal: PollingGoal, goals: readonly NearestGoal[]): PollingGoal {
  return { ...goal, ...Object.fromEntries(goals.map((each) => [each, null])) }
}

function raised(goal: PollingGoal, goals: readonly NearestGoal[], step: number): PollingGoal {
  const { quota, promise } = goal
  const count = goals.includes('quota') ? raisedBy(quota!.count, step) : quota?.count
  const ms = (promise?.boundMicros ?? 0) / MICROS_PER_MS
  const boundMs = goals.includes('promise') ? raisedBy(ms, step) : ms
  return {
    ...goal,
    quota: quota === null ? null : { ...quota, count: count! },
    promise:
      promise === null ? null : { ...promise, boundMicros: Math.round(boundMs * MICROS_PER_MS) },
  }
}

/** Each step is the next number of two digits: 1.1, 1.2, ... 9.9, 10, 11, ... times the value. */
function raisedBy(value: number, step: number): number {
  const [decades, digits] = [Math.floor(step / 90), 10 + (step % 90)]
  return upToTwoDigits(value * digits * 10 ** (decades - 1))
}

function upToTwoDigits(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1)
  return toDigits(Math.ceil(value / unit - ROUNDING) * unit, 2)
}

const ROUNDING = 1e-9
