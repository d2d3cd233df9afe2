/** What is believed after some evidence: each hypothesis with its pool, and their probabilities. */
import type { Random } from '../../../../base/random.ts'
import type { Grouped } from './evidence/groups.ts'
import { HYPOTHESES } from './hypotheses/list.ts'
import { isWithoutBlock } from './hypotheses/penalty.ts'
import type { Effort, Particle } from './search/pool.ts'
import { HOPELESS, Pool, SearchWork } from './search/pool.ts'

export interface Weighed {
  pool: Pool
  /** Best particle. */
  best: Particle
  probability: number
}

/** A rigid explanation that fits by this many nats better than chance is more than luck. */
const NO_CHANCE = 12
/** Headers tell when the window ends: that a block ends just then would be a coincidence. */
const COINCIDENCE = 5
/**
 * Nats that a block costs that does not show: of all lengths, about one in twenty ends between two
 * answers that a limit without a block explains as well.
 */
const UNSEEN_BLOCK = 3
/** So many nats better a block has to explain the answers to show. */
const SHOWN_BLOCK = 1
/** Nats by which answers have to contradict headers that call a limit one of requests in flight. */
const CALLED = 20
/**
 * A window, or the one token of a bucket, that is as long as the service, within so many standard
 * deviations of an arrival, would be one as well: one request in flight at a time explains it.
 */
const AS_LONG = 4
/** Nats behind the best. */
const NEAR = 9
/** From here on a hypothesis has all but failed: each new answer speaks against it. */
const FAR = 25
/** So far behind, a hypothesis is searched again only every so many times that evidence comes. */
const LOST = 60
const SELDOM = 4

/** Within so many nats of the best, an explanation is a rival; so hard it is searched for then. */
const CONTENDING = 16
const CHALLENGES = 150
/** This many particles of each rival show the others where to look. */
const HINTS = 4

/** Moves by which an interval that seems narrow is tried. */
const TRIES_FOR_RANGE = 300
/** And from its outermost values, of each parameter to either side. */
const TRIES_OUTWARD = 80
/**
 * Groups that the best explanation misses, or nats that it loses altogether, when all are searched
 * anew, so often at most.
 */
const UNEXPLAINED = 1
const UNLIKELY = 4
/** Nats that late round trips must explain to have a part in it. */
const EXCUSED = 2
/** Nats that each group costs at most, in the mean, where arrivals are late at times. */
const USUAL_LOSS = 0.05
/** Tokens that come faster than in so many standard deviations of an arrival come within it. */
const TOKEN_SIGMAS = 8
const MOST_SCANS = 4
const SCANNED = 60

/** Where less is tried, no more starts from the structure than this are all of them. */
const MOST_RESTARTS = 600

const NO_EFFORT: Effort = { tries: 0, fresh: 0, restarts: 0 }

function effortFor(behind: number, isSeldom: boolean): Effort {
  if (behind > LOST && !isSeldom) return NO_EFFORT
  if (behind < NEAR) return { tries: 120, fresh: 40, restarts: Infinity }
  return { tries: 25, fresh: 12, restarts: behind < FAR ? Infinity : 60 }
}

/** A share of an effort; at least one of what is tried at all. */
function shareOf(share: number, { tries, fresh, restarts }: Effort): Effort {
  return {
    tries: Math.ceil(share * tries),
    fresh: Math.ceil(share * fresh),
    restarts: share < 1 ? Math.ceil(share * Math.min(restarts, MOST_RESTARTS)) : restarts,
  }
}

/** A block that is shorter than the window can end unseen before it does. */
const AS_LONG_AS_WINDOW = 0.9

function endsWithWindow({ particles: [best], hypothesis: { kind } }: Pool): boolean {
  if (kind !== 'penalty' || best === undefined) return false
  const { windowMs, blockMs } = best.parameters
  return blockMs >= AS_LONG_AS_WINDOW * windowMs
}

export class Belief {
  readonly #work = new SearchWork()
  readonly #pools: readonly Pool[]
  #grouped: Grouped | null = null
  #weighed: readonly Weighed[] = []
  #scans = 0
  #updates = 0

  constructor(random: Random) {
    this.#pools = HYPOTHESES.map((hypothesis) => {
      // What is looked for only where headers count changes no search for anything else.
      const own = hypothesis.needsCounts === true ? random.fork(hypothesis.name) : random
      return new Pool(hypothesis, own, this.#work)
    })
  }

  get grouped(): Grouped {
    return this.#grouped!
  }

  /** Most probable first. */
  get weighed(): readonly Weighed[] {
    return this.#weighed
  }

  /** Whether refusals at random would be a far worse explanation than the best. */
  get isNoChance(): boolean {
    const chance = this.#weighed.find(({ pool }) => pool.hypothesis.fitOf !== undefined)
    return chance !== undefined && chance.best.fit < this.#weighed[0]!.best.fit - NO_CHANCE
  }

  update(grouped: Grouped): void {
    this.#grouped = grouped
    const best = Math.max(...this.#pools.map(({ weight }) => weight))
    const isSeldom = this.#updates++ % SELDOM === 0
    for (const pool of this.#pools) {
      if (pool.hypothesis.needsCounts === true && grouped.promise === null) continue
      const behind = Number.isFinite(best) ? best - pool.weight : 0
      pool.update(grouped, shareOf(this.#work.share, effortFor(behind, isSeldom)))
    }
    this.#weigh()
    const isMissing = (this.#weighed[0]?.best.misses ?? 0) >= UNEXPLAINED
    if ((isMissing || this.isUnlikely) && this.#scans++ < MOST_SCANS) {
      this.scan(SCANNED)
      this.challenge()
    }
  }

  /**
   * Whether the best explanation loses more than edges within the jitter do. Answers to a bucket
   * lose a little each where tokens come within it. What late round trips explain is left out.
   */
  get isUnlikely(): boolean {
    const first = this.#rigid
    if (first === null || this.#isWithinJitter(first)) return false
    return first.pool.fitAtBest(first.best) < -UNLIKELY - USUAL_LOSS * this.grouped.groups.length
  }

  /**
   * Whether the best explanation loses what only late round trips explain, beside what it loses
   * since requests are answered in turn.
   */
  get isExcused(): boolean {
    const first = this.#rigid
    const { groups, turn } = this.grouped
    if (first === null || groups.every(({ errorMs }) => errorMs === 0)) return false
    const { pool, best } = first
    const own = best.fit + (turn === null ? 0 : pool.turnCost(best, turn))
    return own < -UNLIKELY && pool.fitAtBest(best) > own + EXCUSED
  }

  /** The best explanation; null where that is chance, or none is known. */
  get #rigid(): Weighed | null {
    const first = this.#weighed[0]
    return first === undefined || first.pool.hypothesis.fitOf !== undefined ? null : first
  }

  #isWithinJitter({ pool: { hypothesis }, best }: Weighed): boolean {
    const { sigmaMs } = this.grouped.timing
    return hypothesis.kind === 'token-bucket' && best.parameters.windowMs < TOKEN_SIGMAS * sigmaMs
  }

  /**
   * Looks for explanations that are far from those that are known: the search may have failed. All
   * forms of a penalty are looked through, since its few blocks lead the search to one of them.
   */
  scan(nats = FAR): void {
    const { best, pool: first } = this.#weighed[0]!
    const { kind } = first.hypothesis
    for (const { pool, best: own } of this.#weighed) {
      const isNear = own.fit > best.fit - nats
      if (isNear) pool.scan(own.parameters, own.fit - HOPELESS)
      const isOther = kind === 'penalty' && kind === pool.hypothesis.kind && !isNear
      if (isOther) pool.scan({ ...best.parameters, phaseMs: 0 }, best.fit - HOPELESS)
    }
    this.#weigh()
  }

  /** Gives rivals that are not far behind a better chance before the best is named. */
  challenge(): void {
    const best = this.#weighed[0]!.best.fit
    const near = this.#weighed.filter((each) => each.best.fit > best - CONTENDING)
    const hints = near.flatMap(({ pool: { hypothesis, particles } }) =>
      particles.slice(0, HINTS).map(({ parameters }) => ({ kind: hypothesis.kind, parameters })),
    )
    for (const { pool } of near) pool.contend(hints, Math.ceil(this.#work.share * CHALLENGES))
    this.#weigh()
  }

  /** Looks how far the parameters of one explanation are open. */
  explore({ pool }: Weighed): void {
    pool.improve(TRIES_FOR_RANGE)
    pool.stretch(TRIES_OUTWARD)
    this.#weigh()
  }

  #isAsLongAsService({ particles: [best], hypothesis: { has } }: Pool): boolean {
    if (best === undefined || !has.includes('windowMs')) return false
    const { serviceMs, sigmaMs } = this.grouped.timing
    const nearMs = AS_LONG * sigmaMs
    // A service that the jitter hides is close to all that is short.
    return serviceMs > 2 * nearMs && Math.abs(best.parameters.windowMs - serviceMs) < nearMs
  }

  /** What a block costs that no answer shows. */
  #unseenBlock({ hypothesis, particles: [best] }: Pool): number {
    if (hypothesis.kind !== 'penalty' || best === undefined) return 0
    const plain = this.#pools.find((pool) => isWithoutBlock(pool.hypothesis, hypothesis))
    const plainFit = plain?.particles[0]?.fit ?? -Infinity
    return plainFit > best.fit - SHOWN_BLOCK ? UNSEEN_BLOCK : 0
  }

  #weigh(): void {
    const { promise } = this.grouped
    const isCounted = promise !== null
    this.#weighed = weighedBy(this.#pools, (pool) => {
      const isCoincidence = (isCounted && endsWithWindow(pool)) || this.#isAsLongAsService(pool)
      const isCalledOther = promise?.isConcurrent === true && pool.hypothesis.kind !== 'concurrency'
      const coincidence = isCoincidence ? COINCIDENCE : isCounted ? this.#unseenBlock(pool) : 0
      return pool.weight - coincidence - (isCalledOther ? CALLED : 0)
    })
  }
}

/** Most probable first, by the logarithm of what each is worth. */
export function weighedBy(pools: readonly Pool[], logOf: (pool: Pool) => number): Weighed[] {
  const logs = pools.map(logOf)
  const most = Math.max(...logs)
  const weights = logs.map((weight) => Math.exp(weight - most))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return pools
    .flatMap((pool, i): Weighed[] => {
      const best = pool.particles[0]
      return best === undefined ? [] : [{ pool, best, probability: weights[i]! / sum }]
    })
    .sort((a, b) => b.probability - a.probability)
}
