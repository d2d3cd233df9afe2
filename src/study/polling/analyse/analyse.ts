/**
 * From what was recorded to the document: the strategy for the goal, beside today's and the front.
 */
import { upperMedian } from '../../../result/statistics/rising.ts'
import { createRandom } from '../../../base/random.ts'
import type { Steps } from '../../../base/steps.ts'
import { MICROS_PER_MS, optionalMs } from '../../../base/units.ts'
import type { PollingPolicy } from '../../../scenario/polling/index.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type { PollingDocument, Source, PollingGoal, Consequences, Strategy } from '../document.ts'
import { loopsOf } from '../../frame/loops.ts'
import { unlearned } from './choice/candidates.ts'
import type { StrategyChoice } from './choice/choose.ts'
import { choosing, choiceStandingOf } from './choice/choose.ts'
import type { Estimated } from './choice/estimate.ts'
import { estimateOf } from './choice/estimate.ts'
import { nearestOf } from './choice/nearest.ts'
import type { Replays } from './choice/replays.ts'
import { replaysOf } from './choice/replays.ts'
import { sampleShapeOf } from './families/shape.ts'
import { findingsOf } from './findings.ts'
import type { DelayBand, WeighedPushes } from './pushes.ts'
import { weighingPushes } from './pushes.ts'
import type { Subject } from './replay/lives.ts'
import { subjectsOf, unwatchedShareOf, slower } from './replay/lives.ts'
import type { LearnedRuns, PollGap, Recording } from './replay/recording.ts'
import { requestTimesOf } from './replay/replay.ts'
import type { ReplayStage } from './replay/trace.ts'
import type { PollingAnswer, PollingFacts } from './verdict.ts'
import { canEstimate, FEWEST_ENDED, pollingVerdict } from './verdict.ts'
import { nextIntervalMicros, timedPolicy, writtenPolling } from '../../../scenario/polling/index.ts'
import { pollingWordsOf } from '../../../scenario/polling/schemas.ts'
import { pollingCostOf, seesEnds } from './choice/goal.ts'
import { figuresOf, traceOf } from './replay/trace.ts'
import type { Micros } from '../../../base/units.ts'

export interface PollingAsked {
  /** The facts of the envelope, when all is done. */
  facts: () => StudyFacts
  kind: Source['kind']
  goal: PollingGoal
}

/** The replay draws its jitter from a seed of its own: the same runs give the same answer. */
const SEED = 11

export function* analysingPolling(
  learned: LearnedRuns,
  asked: PollingAsked,
): Steps<PollingDocument> {
  const { recording, speed } = learned
  const subjects = subjectsOf(recording)
  const source = sourceOf(learned, asked, subjects)
  const unanswered = { learned, source, ...NOTHING }
  if (!canEstimate(source, asked.facts().ended === 'target')) {
    return documentOf(unanswered, asked)
  }
  const random = createRandom(SEED)
  const stage = { requests: requestTimesOf(recording), random: random.fork('replay') }
  const requestMicros = upperMedian(recording.requestMicros)
  const replaying = { stage, random, requestMicros }
  const replays = replaysOf(subjects, replaying)
  const { goal } = asked
  const question = { goal, arrivalsPerSecond: recording.arrivalsPerSecond }
  const choice = yield* choosing(replays, question)
  const nearest = choice.best === null ? yield* nearestOf(replays, question) : null
  const weighed = yield* weighingPushes(recording, { question, choice, replaying })
  const answer = {
    ...answerOf(choice, { learned, replays, stage, goal, speed }),
    ...(weighed === null ? {} : { pushes: pushesOf(weighed, choice.best, speed) }),
  }
  source.blockExecutions = replays.resamples.block
  return documentOf({ ...unanswered, answer, choice, nearest }, asked)
}

/** What is known of the executions when the calculation was stopped. */
export function unansweredPolling(learned: LearnedRuns, asked: PollingAsked): PollingDocument {
  const source = sourceOf(learned, asked, subjectsOf(learned.recording))
  return documentOf({ learned, source, ...NOTHING, isStopped: true }, asked)
}

const NO_ANSWER: PollingAnswer = {
  recommended: null,
  current: null,
  runnerUp: null,
  simpler: null,
  retryAfter: null,
  front: [],
}

const NOTHING = { answer: NO_ANSWER, choice: null, nearest: null, isStopped: false }

function documentOf(
  known: Omit<PollingFacts, 'goal' | 'ended'>,
  { facts: whenDone, goal }: PollingAsked,
): PollingDocument {
  const about = whenDone()
  const facts = { ...known, goal, ended: about.ended }
  const { place, scenario, seed } = known.learned
  return {
    schema: 'crewload/polling/1',
    study: 'polling',
    verdict: pollingVerdict(facts),
    place,
    scenario,
    seed,
    ...about,
    findings: findingsOf(facts),
    ...known.answer,
    source: known.source,
    goal,
  }
}

interface PollingSetting {
  learned: LearnedRuns
  replays: Replays
  stage: ReplayStage
  goal: PollingGoal
  speed: number
}

function answerOf(choice: StrategyChoice, setting: PollingSetting): PollingAnswer {
  const { learned, replays, stage, speed } = setting
  const { recording } = learned
  const { subjects, resamples } = replays
  const { best, runnerUp, simpler, regret, front } = choice
  const estimated = (policy: PollingPolicy): Estimated =>
    estimateOf(unlearned(familyOf(policy), policy), subjects, resamples, stage)
  const consequences = (strategy: Estimated) => ({
    ...strategyOf(strategy, speed),
    ...consequencesOf(strategy, { subjects, stage, goal: setting.goal, recording }),
  })
  const { pollsPerExecution, delayMeanMicros, delayP95Micros } = recording.observed
  return {
    recommended: best && {
      ...consequences(best),
      handshakeMs: optionalMs(handshakeMicros(recording.gaps)),
      loops: loopsOf(undivided(best.candidate.policy, speed), recording.statusPath),
    },
    current: recording.current && {
      ...consequences(estimated(recording.current)),
      observed: {
        pollsPerExecution,
        delayMeanMs: optionalMs(delayMeanMicros),
        delayP95Ms: optionalMs(delayP95Micros),
      },
    },
    runnerUp: runnerUp && {
      ...strategyOf(runnerUp, speed),
      // Not known where an endless delay hides it.
      mayBeBetterBy:
        regret !== null && Number.isFinite(regret.high) ? Math.max(0, regret.high) : null,
      ties: choiceStandingOf(choice) === 'tie',
    },
    simpler: simpler && { ...strategyOf(simpler.estimated, speed), excess: simpler.excess },
    retryAfter: retryAfterOf(learned, estimated),
    front: front.map((each) => strategyOf(each, speed)),
  }
}

function pushesOf(
  { delay, net, ...counts }: WeighedPushes,
  polls: Estimated | null,
  speed: number,
): NonNullable<PollingAnswer['pushes']> {
  return {
    ...counts,
    detectionDelayMs: delay && delayMsOf(delay),
    net: net && { ...strategyOf(net, speed), missedShare: net.value.missedShare },
    pollsMissedShare: polls && polls.value.missedShare,
  }
}

function familyOf(policy: PollingPolicy): Estimated['candidate']['family'] {
  if (policy.kind !== 'fixed') return policy.kind
  return policy.everyMicros === policy.initialDelayMicros ? 'fixed' : 'initial-delay'
}

/** Fewer waits tell nothing of what a target asks for. */
const FEWEST_WAITS = 10

/** The target's own interval, as the middle of what it asked for while executions ran. */
function retryAfterOf(
  { recording, speed }: LearnedRuns,
  estimated: (policy: PollingPolicy) => Estimated,
): PollingAnswer['retryAfter'] {
  const { waitsMicros } = recording.asked
  if (waitsMicros.length < FEWEST_WAITS) return null
  const median = Math.round(upperMedian(waitsMicros))
  if (median <= 0) return null
  const policy = { kind: 'fixed', everyMicros: median, initialDelayMicros: median } as const
  return {
    ...strategyOf(estimated(policy), speed, 'retry-after'),
    medianMs: median / MICROS_PER_MS,
    answers: waitsMicros.length,
  }
}

function sourceOf(
  { recording, runs }: LearnedRuns,
  { kind }: PollingAsked,
  subjects: readonly Subject[],
): Source {
  const { executions, requestMicros: measured, arrivalsPerSecond, truth } = recording
  const requestMicros = upperMedian(measured)
  const count = (fate: string): number => executions.filter((each) => each.fate === fate).length
  const ended = executions.filter(({ fate }) => fate === 'ended')
  const known = ended.map(({ afterMicros, byMicros }) => byMicros - afterMicros)
  const shape = ended.length < FEWEST_ENDED ? null : sampleShapeOf(subjects, requestMicros)
  return {
    kind,
    runs: [...runs],
    executions: executions.length,
    ended: ended.length,
    never: count('never'),
    censored: count('censored'),
    unwatchedShare: unwatchedShareOf(recording),
    truth,
    endKnownWithinMs: ended.length === 0 ? null : upperMedian(known) / MICROS_PER_MS,
    executionMs: shape && {
      mean: shape.meanMicros / MICROS_PER_MS,
      p50: shape.quantile(0.5) / MICROS_PER_MS,
      p95: shape.quantile(0.95) / MICROS_PER_MS,
    },
    requestMs: measured.length === 0 ? null : requestMicros / MICROS_PER_MS,
    arrivalsPerSecond,
    blockExecutions: null,
  }
}

/** The policy in the times of a scenario file, which a run at that `speed` had divided. */
function undivided(policy: PollingPolicy, speed: number): PollingPolicy {
  return timedPolicy(policy, (micros) => Math.round(micros * speed))
}

/** Its `polling` is for a scenario file; all else is as a run at that `speed` measures it. */
function strategyOf(
  { candidate, value, low, high }: Estimated,
  speed: number,
  family: Strategy['family'] = candidate.family,
): Strategy {
  const { policy } = candidate
  return {
    family,
    polling: { ...writtenPolling(undivided(policy, speed)) },
    words: pollingWordsOf(policy).tell(policy),
    pollsPerExecution: { value: value.pollsMean, low: low.pollsMean, high: high.pollsMean },
    detectionDelayMs: seesEnds(high) ? delayMsOf({ value, low, high }) : null,
  }
}

function delayMsOf({ value, low, high }: DelayBand): Strategy['detectionDelayMs'] {
  return {
    p50: value.delayP50 / MICROS_PER_MS,
    p95: value.delayP95 / MICROS_PER_MS,
    mean: value.delayMean / MICROS_PER_MS,
    low: low.delayP95 / MICROS_PER_MS,
    high: high.delayP95 / MICROS_PER_MS,
    meanLow: low.delayMean / MICROS_PER_MS,
    meanHigh: high.delayMean / MICROS_PER_MS,
  }
}

interface Setting {
  subjects: readonly Subject[]
  stage: ReplayStage
  goal: PollingGoal
  recording: Recording
}

/** What follows from a strategy for the target, beside polls and delay of an execution. */
function consequencesOf(
  { candidate: { policy }, value }: Estimated,
  { subjects, stage, goal, recording: { arrivalsPerSecond, gaps } }: Setting,
): Consequences {
  const longer = slower(subjects, 2)
  const trace = traceOf(longer, () => policy, stage)
  const later = figuresOf(
    trace,
    longer.map(({ weight }) => weight),
  )
  const perSecond = (polls: number): number | null =>
    arrivalsPerSecond === null ? null : arrivalsPerSecond * polls
  const cost = goal.prices === null ? null : pollingCostOf(value, goal.prices)
  return {
    cost: cost === null || !Number.isFinite(cost) ? null : cost,
    pollsPerSecond: perSecond(value.pollsMean),
    twiceAsLong: {
      pollsPerExecution: later.pollsMean,
      pollsPerSecond: perSecond(later.pollsMean),
    },
    freshShare: freshShareOf(policy, subjects, gaps, stage),
  }
}

/** Most intervals of one execution that are looked at. */
const MOST_INTERVALS = 200

/** Over the intervals of an execution of middle length; null where one of them was not observed. */
function freshShareOf(
  policy: PollingPolicy,
  subjects: readonly Subject[],
  gaps: readonly PollGap[],
  { random, requests }: ReplayStage,
): number | null {
  const lengths = subjects.map(({ lives }) => lives[0]!.endMicros).filter(Number.isFinite)
  const untilMicros = upperMedian(lengths)
  const pace = { intervals: 0, previousMicros: 0, elapsedMicros: 0, completedTasks: null }
  let sum = 0
  while (pace.intervals < MOST_INTERVALS) {
    const interval = nextIntervalMicros(policy, pace, random)
    const hintMicros = policy.hint === 'obey' ? requests.hintMicros(0, pace.intervals - 1) : 0
    const gap = Math.max(interval, hintMicros)
    const share = freshShareAt(gaps, gap)
    if (share === null) return null
    sum += share
    pace.intervals++
    pace.previousMicros = interval
    pace.elapsedMicros += gap
    if (pace.elapsedMicros >= untilMicros) break
  }
  return sum / pace.intervals
}

/** Polls whose gap differs by no more than this factor tell of each other. */
const NEAR = 1.25
/** Fewer tell nothing. */
const FEWEST = 10

/**
 * Share of polls after such a gap that opened a connection; null where too few were observed. What
 * lies beyond the longest gap at which nearly all did open one, does so too: idle connections are
 * not kept longer.
 */
function freshShareAt(gaps: readonly PollGap[], gapMicros: Micros): number | null {
  const near = gaps.filter(
    (each) => each.gapMicros >= gapMicros / NEAR && each.gapMicros <= gapMicros * NEAR,
  )
  if (near.length >= FEWEST) return shareOf(near)
  const shorter = gaps.filter((each) => each.gapMicros < gapMicros)
  const longest = shorter.toSorted((a, b) => b.gapMicros - a.gapMicros).slice(0, FEWEST)
  if (longest.length === FEWEST && shareOf(longest) > 0.9) return 1
  const longer = gaps.filter((each) => each.gapMicros > gapMicros)
  const shortest = longer.toSorted((a, b) => a.gapMicros - b.gapMicros).slice(0, FEWEST)
  return shortest.length === FEWEST && shareOf(shortest) === 0 ? 0 : null
}

function shareOf(gaps: readonly PollGap[]): number {
  return gaps.filter(({ fresh }) => fresh).length / gaps.length
}

/** What opening a connection adds to a poll, in the median; null where it was not observed. */
function handshakeMicros(gaps: readonly PollGap[]): Micros | null {
  const took = (fresh: boolean): number[] =>
    gaps.filter((each) => each.fresh === fresh).map(({ tookMicros }) => tookMicros)
  const [opened, kept] = [took(true), took(false)]
  if (opened.length < FEWEST || kept.length < FEWEST) return null
  return Math.max(0, upperMedian(opened) - upperMedian(kept))
}
