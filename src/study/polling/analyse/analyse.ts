/**
 * From what was recorded to the document: the strategy for the wish, beside today's and the front.
 */
import { createRandom } from '../../../base/random.ts'
import type { Steps } from '../../../base/steps.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { PollingPolicy } from '../../../scenario/polling/index.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type { PollingDocument, Source, WishTold } from '../document.ts'
import { loopsOf } from '../../frame/loops/loops.ts'
import { unlearned } from './choice/candidates.ts'
import type { StrategyChoice } from './choice/choose.ts'
import { choosing } from './choice/choose.ts'
import type { Estimated } from './choice/estimate.ts'
import { estimateOf } from './choice/estimate.ts'
import type { Nearest } from './choice/nearest.ts'
import { nearestOf } from './choice/nearest.ts'
import type { Replays } from './choice/replays.ts'
import { replaysOf } from './choice/replays.ts'
import { standingOf } from './choice/standing.ts'
import type { Wish } from './choice/wish.ts'
import { handshakeMicros, medianOf } from './connections.ts'
import { shapeOf } from './families/shape.ts'
import { findingsOf } from './findings.ts'
import type { LearnedRuns } from './learned.ts'
import type { Subject } from './replay/lives.ts'
import { subjectsOf, unwatchedShareOf } from './replay/lives.ts'
import type { PastExecution, Recording } from './replay/recording.ts'
import { requestTimesOf } from './replay/replay.ts'
import type { ReplayStage } from './replay/trace.ts'
import { consequencesOf, strategyOf, undivided } from './strategies.ts'
import { canEstimate, FEWEST_ENDED, pollingVerdict } from './verdict.ts'

export interface PollingAsked {
  /** The facts of the envelope, when all is done. */
  facts: () => StudyFacts
  kind: Source['kind']
  wish: Wish
  told: WishTold
}

/** The replay draws its jitter from a seed of its own: the same runs give the same answer. */
const SEED = 11
/** A target looks at its clock half-way through a poll, as far as a client can know. */
const LOOK_SHARE = 0.5

export function* analysingPolling(
  learned: LearnedRuns,
  asked: PollingAsked,
): Steps<PollingDocument> {
  const { recording, speed } = learned
  const subjects = subjectsOf(recording)
  const random = createRandom(SEED)
  const stage: ReplayStage = {
    requests: requestTimesOf(
      recording.requestMicros,
      LOOK_SHARE,
      recording.failures,
      recording.hints,
    ),
    random: random.fork('replay'),
  }
  const counts = {
    executions: recording.executions.length,
    ended: endedOf(recording).length,
    unwatchedShare: unwatchedShareOf(recording),
  }
  if (!canEstimate(counts, asked.facts().ended === 'target')) {
    return documentOf(learned, asked, { subjects, choice: null, ...UNKNOWN, isStopped: false })
  }
  const requestMicros = medianOf(recording.requestMicros)
  const replays = replaysOf(subjects, { stage, random, requestMicros })
  const { wish } = asked
  const question = { wish, arrivalsPerSecond: recording.arrivalsPerSecond }
  const choice = yield* choosing(replays, question)
  const nearest = choice.best === null ? yield* nearestOf(replays, question) : null
  const answer = answerOf(choice, { recording, speed, replays, stage, wish })
  const { block } = replays.resamples
  return documentOf(learned, asked, { subjects, choice, nearest, answer, block, isStopped: false })
}

/** What is known of the executions when the calculation was stopped. */
export function unansweredPolling(learned: LearnedRuns, asked: PollingAsked): PollingDocument {
  const subjects = subjectsOf(learned.recording)
  return documentOf(learned, asked, {
    subjects,
    choice: null,
    ...UNKNOWN,
    isStopped: true,
  })
}

interface PollingReached {
  subjects: readonly Subject[]
  choice: StrategyChoice | null
  /** Null unless no strategy keeps what must hold. */
  nearest: Nearest | null
  answer: PollingAnswer
  /** Executions that follow each other and take similar times; null where none was estimated. */
  block: number | null
  /** Whether the calculation was stopped. */
  isStopped: boolean
}

function documentOf(
  learned: LearnedRuns,
  asked: PollingAsked,
  reached: PollingReached,
): PollingDocument {
  const { recording, invalid, doubted, crews, loads, speed } = learned
  const { answer, choice, nearest, isStopped } = reached
  const about = asked.facts()
  const { ended } = about
  const facts = { ...answer, source: sourceOf(learned, asked, reached), wish: asked.told, ended }
  const { wish: goal } = asked
  return {
    schema: 'crewload/polling/1',
    study: 'polling',
    verdict: pollingVerdict({ ...facts, choice, nearest, isStopped, goal, invalid, speed }),
    target: learned.target,
    profile: learned.profile,
    scenario: learned.scenario,
    seed: learned.seed,
    ...about,
    findings: findingsOf({
      ...facts,
      recording,
      doubted,
      crews,
      loads,
      speed,
      missedShare: missedBy(choice),
    }),
    ...facts,
  }
}

function missedBy(choice: StrategyChoice | null): number {
  return choice?.best?.value.missedShare ?? 0
}

type PollingAnswer = Pick<
  PollingDocument,
  'recommended' | 'current' | 'runnerUp' | 'simpler' | 'retryAfter' | 'front'
>

const NO_ANSWER: PollingAnswer = {
  recommended: null,
  current: null,
  runnerUp: null,
  simpler: null,
  retryAfter: null,
  front: [],
}

const UNKNOWN = { nearest: null, answer: NO_ANSWER, block: null }

interface PollingSetting {
  recording: Recording
  speed: number
  replays: Replays
  stage: ReplayStage
  wish: Wish
}

function answerOf(choice: StrategyChoice, setting: PollingSetting): PollingAnswer {
  const { recording, speed, replays, stage, wish } = setting
  const { subjects, resamples } = replays
  const { gaps, arrivalsPerSecond } = recording
  const about = { subjects, stage, wish, arrivalsPerSecond, gaps }
  const estimated = (policy: PollingPolicy): Estimated =>
    estimateOf(unlearned(familyOf(policy), policy), subjects, resamples, stage)
  const { best, runnerUp, simpler } = choice
  const handshake = handshakeMicros(gaps)
  const current = recording.current === null ? null : estimated(recording.current)
  return {
    recommended:
      best === null
        ? null
        : {
            ...strategyOf(best, speed),
            ...consequencesOf(best, about),
            handshakeMs: handshake === null ? null : handshake / MICROS_PER_MS,
            loops: loopsOf(undivided(best.candidate.policy, speed), recording.statusPath),
          },
    current:
      current === null
        ? null
        : {
            ...strategyOf(current, speed),
            ...consequencesOf(current, about),
            observed: {
              pollsPerExecution: recording.observed.pollsPerExecution,
              delayMeanMs: milliseconds(recording.observed.delayMeanMicros),
              delayP95Ms: milliseconds(recording.observed.delayP95Micros),
            },
          },
    runnerUp:
      runnerUp === null
        ? null
        : {
            ...strategyOf(runnerUp, speed),
            mayBeBetterBy: betterBy(choice),
            ties: standingOf(choice) === 'tie',
          },
    simpler:
      simpler === null ? null : { ...strategyOf(simpler.estimated, speed), excess: simpler.excess },
    retryAfter: retryAfterOf(recording, speed, estimated),
    front: choice.front.map((each) => strategyOf(each, speed)),
  }
}

/** Null where an endless delay hides it. */
function betterBy({ regret }: StrategyChoice): number | null {
  return regret !== null && Number.isFinite(regret.high) ? Math.max(0, regret.high) : null
}

function familyOf(policy: PollingPolicy): Estimated['candidate']['family'] {
  if (policy.kind !== 'fixed') return policy.kind
  return policy.everyMicros === policy.initialDelayMicros ? 'fixed' : 'initial-delay'
}

/** Fewer waits tell nothing of what a target asks for. */
const FEWEST_WAITS = 10

/** The target's own interval, as the middle of what it asked for while executions ran. */
function retryAfterOf(
  { asked: { waitsMicros } }: Recording,
  speed: number,
  estimated: (policy: PollingPolicy) => Estimated,
): PollingAnswer['retryAfter'] {
  if (waitsMicros.length < FEWEST_WAITS) return null
  const median = Math.round(medianOf(waitsMicros))
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
  { subjects, block }: Pick<PollingReached, 'subjects' | 'block'>,
): Source {
  const { executions, requestMicros: measured, arrivalsPerSecond, truth } = recording
  const requestMicros = medianOf(measured)
  const count = (fate: string): number => executions.filter((each) => each.fate === fate).length
  const ended = endedOf(recording)
  const shape = ended.length < FEWEST_ENDED ? null : shapeOf(subjects, requestMicros)
  return {
    kind,
    runs: [...runs],
    executions: executions.length,
    ended: ended.length,
    never: count('never'),
    censored: count('censored'),
    unwatchedShare: unwatchedShareOf(recording),
    truth,
    endKnownWithinMs:
      ended.length === 0
        ? null
        : medianOf(ended.map(({ afterMicros, byMicros }) => byMicros - afterMicros)) /
          MICROS_PER_MS,
    executionMs:
      shape === null
        ? null
        : {
            mean: shape.meanMicros / MICROS_PER_MS,
            p50: shape.quantile(0.5) / MICROS_PER_MS,
            p95: shape.quantile(0.95) / MICROS_PER_MS,
          },
    requestMs: measured.length === 0 ? null : requestMicros / MICROS_PER_MS,
    arrivalsPerSecond,
    blockExecutions: block,
  }
}

function endedOf({ executions }: Recording): readonly PastExecution[] {
  return executions.filter(({ fate }) => fate === 'ended')
}

function milliseconds(micros: Micros | null): number | null {
  return micros === null ? null : micros / MICROS_PER_MS
}
