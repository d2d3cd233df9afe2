/** The parameters with which one hypothesis explains the evidence: a sample of them, kept fresh. */
import type { Random } from '../../../../../base/random.ts'
import type { DelayTurn } from '../evidence/timing.ts'
import { turnCost } from '../evidence/timing.ts'
import type { Grouped, RequestGroup } from '../evidence/groups.ts'
import type { Hypothesis, Parameters, Clues } from '../hypotheses/hypothesis.ts'
import { parametersOf } from '../hypotheses/hypothesis.ts'
import type { LimiterKind } from '../../../../frame/limiter-kinds.ts'
import type { Stretchable } from './moves.ts'
import { crossed, moved, stretched, hasOtherLengths, otherLengths } from './moves.ts'
import type { LimitReplay } from './replay.ts'
import { fitAtBest, replay } from './replay.ts'
import { hasRequests } from '../evidence/groups.ts'

export interface Particle extends Pick<LimitReplay, 'fit' | 'misses' | 'lostEarly'> {
  parameters: Parameters
}

/** How long a pool searches each time that evidence has come. */
export interface Effort {
  /** Moves. */
  tries: number
  /** Starts from the structure of the evidence: there may be another region. */
  fresh: number
  /** The same, at most, where the best explanation has lost much. */
  restarts: number
}

const STRETCHABLE = ['limit', 'windowMs', 'blockMs'] as const

/** Particles that are judged where nothing is searched for. */
const IDLE = 4
/** Particles kept: more where the phase is open, for explanations far from each other fit there. */
const SIZE = 40
const SIZE_WITH_PHASE = 120
const LEAST_KEPT = 20
/** A particle this much less likely than the best is not kept. */
const WORST = 8
/** One this much less likely is as good, and shows how far the parameters are open. */
const GOOD = 4
/** So much the best must lose before the search begins again from the structure. */
const FALL = 2
/** This many findings of a scan are polished, by so many small moves. */
const PROMISING = 24
const POLISHING = 25
/** Nats by which what a scan finds may be behind at first. */
export const HOPELESS = 40
/** Moves from what another hypothesis has found. */
const HINTED = 6
const FINE = [0.01, 0.003, 0.001, 0.0003]

export class Pool {
  readonly hypothesis: Hypothesis
  readonly #random: Random
  readonly #work: SearchWork
  readonly #size: number
  #mostLimit = Infinity
  #particles: Particle[] = []
  /** The evidence of the last update. */
  #grouped!: Grouped

  constructor(hypothesis: Hypothesis, random: Random, work: SearchWork) {
    this.hypothesis = hypothesis
    this.#random = random.fork(hypothesis.name)
    this.#work = work
    this.#size = hypothesis.has.includes('phaseMs') ? SIZE_WITH_PHASE : SIZE
  }

  /** Best first. */
  get particles(): readonly Particle[] {
    return this.#particles
  }

  /** Particles that are kept at most: fewer the more has been searched. */
  get #kept(): number {
    return Math.max(LEAST_KEPT, Math.round(Math.sqrt(this.#work.share) * this.#size))
  }

  /** Natural logarithm, with how common the hypothesis is; -Infinity for none that fits. */
  get weight(): number {
    return (this.#particles[0]?.fit ?? -Infinity) + this.hypothesis.prior
  }

  get #nowMs(): number {
    return this.#grouped.groups.at(-1)?.lastMs ?? 0
  }

  /** Takes in evidence that has grown. */
  update(grouped: Grouped, { tries, fresh, restarts }: Effort): void {
    this.#grouped = grouped
    this.#mostLimit = grouped.promise?.limit ?? LIMIT_PER_REQUEST * countRequests(grouped)
    const before = this.#particles[0]?.fit ?? -Infinity
    if (tries === 0) this.#particles.splice(IDLE)
    this.#judgeAgain()
    const best = this.#particles[0]?.fit ?? -Infinity
    if (tries === 0) return
    if (best === -Infinity || best < before - FALL) this.#restart(restarts)
    else this.#restart(fresh)
    this.improve(tries)
  }

  /** What has fallen too far behind the best is not replayed to its end. */
  #judgeAgain(): void {
    let best = -Infinity
    this.#particles = this.#particles.map(({ parameters }) => {
      const particle = this.#judge(parameters, best - WORST)
      best = Math.max(best, particle.fit)
      return particle
    })
    this.#tidy()
  }

  /** Nats that it costs a particle that requests are answered in turn. */
  turnCost({ parameters }: Particle, turn: DelayTurn): number {
    return turnCost(this.hypothesis.model(parameters, 0).turnMs, turn)
  }

  /** The best explanation's fit where late arrivals came when it suits it best. */
  fitAtBest({ parameters }: Particle): number {
    const { sigmaMs } = this.#grouped.timing
    return fitAtBest(this.hypothesis.model(parameters, sigmaMs), this.#grouped)
  }

  /** Moves about, so that the particles show how far the parameters are open. */
  improve(tries: number): void {
    if (this.#particles.length === 0 || this.hypothesis.has.length === 0) return
    for (let i = 0; i < tries; i++) {
      const to = this.#counted(this.#proposed())
      if (!this.#isPlausible(to)) continue
      const best = this.#particles[0]!.fit
      const particle = this.#judge(to, best - WORST)
      if (particle.fit > best - WORST) this.#take(particle, best)
      if (this.#particles.length > 3 * this.#kept) this.#tidy()
    }
    this.#tidy()
  }

  /** Looks how far each parameter can go either way: `tries` moves from the outermost each time. */
  stretch(tries: number): void {
    for (const parameter of STRETCHABLE.filter((each) => this.hypothesis.has.includes(each))) {
      for (const side of [-1, 1] as const) {
        for (let i = 0; i < tries; i++) this.#stretchOnce({ parameter, side })
      }
    }
    this.#tidy()
  }

  #stretchOnce(towards: { parameter: Stretchable; side: -1 | 1 }): void {
    const worst = this.#particles[0]!.fit - GOOD
    const from = this.#outermost(towards, worst)
    const to = stretched(this.hypothesis, from, towards, this.#nowMs, this.#random)
    this.#consider(this.#counted(to), GOOD)
  }

  #outermost(
    { parameter, side }: { parameter: Stretchable; side: -1 | 1 },
    worst: number,
  ): Parameters {
    let outermost = this.#particles[0]!.parameters
    for (const { fit, parameters } of this.#particles) {
      const isFurther = side * (parameters[parameter] - outermost[parameter]) > 0
      if (fit >= worst && isFurther) outermost = parameters
    }
    return outermost
  }

  #proposed(): Parameters {
    const random = this.#random
    const particles = this.#particles
    const from = random.pick(particles).parameters
    if (particles.length < 6 || random.next() < 0.4) {
      return moved(this.hypothesis, from, this.#nowMs, random)
    }
    const pair = [random.pick(particles).parameters, random.pick(particles).parameters] as const
    return crossed(this.hypothesis, from, pair, this.#nowMs / 2, random)
  }

  /** Starts from the structure of the evidence: at most `most` of what it suggests. */
  #restart(most: number): void {
    for (const parameters of this.hypothesis.seeds(this.#clues, most)) this.#consider(parameters)
    this.#tidy()
  }

  /**
   * Looks for explanations far from those that are known: of windows of other lengths than in
   * `from`, which fit no worse than `leastFit`.
   */
  scan(from: Parameters, leastFit: number): void {
    if (this.#particles.length === 0 || !hasOtherLengths(this.hypothesis)) return
    const others = otherLengths(this.hypothesis, from, this.#clues, this.#work.share)
    const promising = this.#promisingOf(others, leastFit)
    const moves = Math.ceil(this.#work.share * POLISHING)
    for (const particle of promising) {
      this.#particles.push(this.#polished(particle, moves))
    }
    this.#tidy()
  }

  #polished(from: Particle, moves: number): Particle {
    let particle = from
    for (let i = 0; i < moves && particle.fit > -Infinity; i++) {
      const to = moved(this.hypothesis, particle.parameters, this.#nowMs, this.#random, FINE)
      const other = this.#judge(to, particle.fit)
      if (other.fit > particle.fit) particle = other
    }
    return particle
  }

  /** The best by whole nats, and of equal ones some at random: the others are not replayed on. */
  #promisingOf(all: readonly Parameters[], leastFit: number): Particle[] {
    const ranked: { particle: Particle; rank: number }[] = []
    for (const parameters of all) {
      const least = ranked.length < PROMISING ? -Infinity : Math.floor(ranked.at(-1)!.rank) - 1
      const particle = this.#judge(parameters, Math.max(leastFit, least))
      const rank = Math.round(particle.fit) + this.#random.next()
      const place = ranked.findIndex((other) => other.rank < rank)
      ranked.splice(place === -1 ? ranked.length : place, 0, { particle, rank })
      if (ranked.length > PROMISING) ranked.pop()
    }
    return ranked.map(({ particle }) => particle)
  }

  /**
   * Starts afresh, also from what others have found, and goes uphill from the best, by `tries`
   * moves each.
   */
  contend(hints: readonly Hint[], tries: number): void {
    if (this.#particles.length === 0 || this.hypothesis.has.length === 0) return
    this.#restart(tries)
    for (const hint of hints) {
      const own = this.#particles[0]!.parameters
      for (let i = 0; i < HINTED; i++) {
        this.#propose(hintedBy(hint, this.hypothesis, own, this.#random))
      }
    }
    for (let i = 0; i < tries; i++) this.#propose(this.#particles[0]!.parameters)
    this.improve(tries)
  }

  get #clues(): Clues {
    const { groups, timing, turn, promise } = this.#grouped
    return {
      groups,
      turn,
      promise,
      readmissions: readmissionsIn(groups),
      sigmaMs: timing.sigmaMs,
      random: this.#random,
      limitsOf: (parameters) => {
        if (promise !== null) return [promise.limit]
        this.#work.spend(groups.length)
        return limitsOf(this.hypothesis, parameters, this.#grouped)
      },
    }
  }

  /** A move from there. */
  #propose(from: Parameters): void {
    this.#consider(this.#counted(moved(this.hypothesis, from, this.#nowMs, this.#random)))
  }

  /** Headers that count tell the limit. */
  #counted(parameters: Parameters): Parameters {
    const { promise } = this.#grouped
    return promise === null ? parameters : parametersOf(parameters, { limit: promise.limit })
  }

  /** Takes it in where it is plausible, and so many nats `behind` the best or nearer. */
  #consider(parameters: Parameters, behind = WORST): void {
    if (!this.#isPlausible(parameters)) return
    const best = this.#particles[0]?.fit ?? -Infinity
    const particle = this.#judge(parameters, best - behind)
    if (particle.fit > -Infinity) this.#take(particle, best)
  }

  /** The best comes first. */
  #take(particle: Particle, best: number): void {
    if (particle.fit > best) this.#particles.unshift(particle)
    else this.#particles.push(particle)
  }

  #judge(parameters: Parameters, floor: number): Particle {
    const grouped = this.#grouped
    const ofChances = this.hypothesis.fitOf?.(grouped.groups)
    if (ofChances !== undefined) {
      const fit = ofChances - (grouped.turn === null ? 0 : turnCost(null, grouped.turn))
      return { parameters, fit, misses: 0, lostEarly: 0 }
    }
    const model = this.hypothesis.model(parameters, grouped.timing.sigmaMs)
    const { fit, misses, lostEarly, groups } = replay(model, grouped, floor)
    this.#work.spend(groups)
    return { parameters, fit, misses, lostEarly }
  }

  #isPlausible({ limit, windowMs, blockMs }: Parameters): boolean {
    const { kind, has, leastLimit = 0 } = this.hypothesis
    if (limit < leastLimit || limit > this.#mostLimit) return false
    if (Math.max(windowMs, blockMs) > LONGEST_MS) return false
    if (has.includes('blockMs') && blockMs < SHORTEST_MS) return false
    const least = kind === 'token-bucket' ? SHORTEST_TOKEN_MS : SHORTEST_MS
    return !has.includes('windowMs') || windowMs >= least
  }

  /** Keeps the best, and of the others a random sample, which shows how far they spread. */
  #tidy(): void {
    this.#particles.sort((a, b) => b.fit - a.fit)
    const best = this.#particles[0]?.fit ?? 0
    const good = this.#sample(this.#particles.filter(({ fit }) => fit >= best - GOOD))
    const fair = this.#particles.filter(({ fit }) => fit < best - GOOD && fit >= best - WORST)
    this.#particles = [
      ...good,
      ...fair.slice(0, Math.max(this.#kept / 4, this.#kept - good.length)),
    ]
  }

  /** The best stays, and what is furthest to either side: it shows how far parameters are open. */
  #sample(particles: Particle[]): Particle[] {
    const excess = particles.length - this.#kept
    if (excess <= 0) return particles
    const staying = new Set([particles[0]!, ...this.#outermostOf(particles)])
    const others = particles.filter((particle) => !staying.has(particle))
    for (let i = 0; i < excess && others.length > 0; i++) {
      others.splice(this.#random.int(others.length), 1)
    }
    const kept = new Set(others)
    return particles.filter((particle) => staying.has(particle) || kept.has(particle))
  }

  #outermostOf(particles: readonly Particle[]): Particle[] {
    return STRETCHABLE.filter((each) => this.hypothesis.has.includes(each)).flatMap((each) => {
      let [low, high] = [particles[0]!, particles[0]!]
      for (const particle of particles) {
        if (particle.parameters[each] < low.parameters[each]) low = particle
        if (particle.parameters[each] > high.parameters[each]) high = particle
      }
      return [low, high]
    })
  }
}

/** What another hypothesis has found. */
interface Hint {
  kind: LimiterKind
  parameters: Parameters
}

/** A counter that is asked all the time lets as much in as a window of twice its length. */
const COUNTED = [1, 1 / 2]

/** What this hypothesis needs of a hint, and of its own best what a hint does not have. */
function hintedBy(
  { kind, parameters: found }: Hint,
  { kind: ownKind, has }: Hypothesis,
  own: Parameters,
  random: Random,
): Parameters {
  const spanMs = kind === 'token-bucket' ? found.limit * found.windowMs : found.windowMs
  const hinted = parametersOf({})
  for (const each of has) hinted[each] = found[each] === 0 ? own[each] : found[each]
  if (has.includes('windowMs') && spanMs > 0) {
    const counted = ownKind === 'sliding-counter' ? spanMs * random.pick(COUNTED) : spanMs
    hinted.windowMs = ownKind === 'token-bucket' ? counted / hinted.limit : counted
  }
  const isOpen = has.includes('phaseMs') && found.phaseMs === 0
  if (isOpen) hinted.phaseMs = random.next() * hinted.windowMs
  return hinted
}

/** Windows and blocks are not shorter than this, nor the time that a token takes to come. */
const SHORTEST_MS = 900

const SHORTEST_TOKEN_MS = 5
/** Nothing that is sent within a study shows more than a day. */
const LONGEST_MS = 86_400_000
/** A limit larger than this many times the requests so far would not have refused any of them. */
const LIMIT_PER_REQUEST = 2

function countRequests({ groups }: Grouped): number {
  return groups.reduce((sum, { accepted, refused }) => sum + accepted + refused, 0)
}

/** No state ever refuses at this limit. */
const UNLIMITED = 1e9

export function readmissionsIn(
  groups: readonly RequestGroup[],
): { fromMs: number; toMs: number }[] {
  let refused: RequestGroup | null = null
  return groups.slice(1).flatMap((group, i) => {
    const before = groups[i]!
    if (hasRequests(before)) refused = before.refused > 0 ? before : null
    if (refused !== null && group.accepted > 0) {
      return [{ fromMs: refused.lastRefusedMs, toMs: group.firstMs }]
    }
    if (before.left === null || group.left === null) return []
    const isMore = group.accepted + group.left.count > before.left.count
    return isMore ? [{ fromMs: before.left.fromMs, toMs: group.firstMs }] : []
  })
}

function limitsOf(
  hypothesis: Hypothesis,
  parameters: Parameters,
  { groups, timing }: Grouped,
): readonly number[] {
  const model = hypothesis.model(parametersOf(parameters, { limit: UNLIMITED }), timing.sigmaMs)
  const state = model.fresh()
  const implied: number[] = []
  let least = 1
  for (const group of groups) {
    const used = model.used(state, group.firstMs) + group.accepted
    if (group.refused > 0 && !Number.isNaN(used)) implied.push(used)
    else if (group.accepted > 0 && used > least) least = Math.floor(used)
    model.advance(state, group, group.refused)
  }
  if (implied.length === 0) return [least]
  implied.sort((a, b) => a - b)
  const middle = implied[implied.length >> 1]!
  const limits = new Set(
    [implied[0]!, middle, Math.ceil(middle), implied.at(-1)!, least].map(Math.floor),
  )
  return [...limits].filter((limit) => limit >= 1)
}

/** Up to here all that helps is tried; studies of most limiters end before. */
const FULL = 2_000_000
/** From here on only the least. */
const MOST = 4_000_000
const LEAST_SHARE = 0.1

export class SearchWork {
  #groups = 0

  spend(groups: number): void {
    this.#groups += groups
  }

  /** Share of the usual effort, from 1 down to a tenth. */
  get share(): number {
    const left = (MOST - this.#groups) / (MOST - FULL)
    return Math.min(1, Math.max(LEAST_SHARE, left))
  }
}
