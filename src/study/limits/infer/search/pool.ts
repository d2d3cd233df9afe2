/** The parameters with which one hypothesis explains the evidence: a sample of them, kept fresh. */
import type { Random } from '../../../../base/random.ts'
import type { Group } from '../evidence/groups.ts'
import type { Hypothesis, Parameters } from '../hypotheses/hypothesis.ts'
import { cluesFor } from './clues.ts'
import { moved } from './moves.ts'
import type { Replay } from './replay.ts'
import { replay } from './replay.ts'

export interface Particle extends Replay {
  parameters: Parameters
}

/** Particles kept. */
const SIZE = 40
/** A particle this much less likely than the best is not kept. */
const WORST = 8
/** So much the best must lose before the search begins again from the structure. */
const FALL = 2

export class Pool {
  readonly hypothesis: Hypothesis
  readonly #random: Random
  #particles: Particle[] = []

  constructor(hypothesis: Hypothesis, random: Random) {
    this.hypothesis = hypothesis
    this.#random = random.fork(hypothesis.name)
  }

  /** Best first. */
  get particles(): readonly Particle[] {
    return this.#particles
  }

  /** Natural logarithm, with how common the hypothesis is; -Infinity for none that fits. */
  get weight(): number {
    return (this.#particles[0]?.fit ?? -Infinity) + this.hypothesis.prior
  }

  /** Takes in evidence that has grown: `tries` moves, and a new search where the best has fallen. */
  update(groups: readonly Group[], sigmaMs: number, tries: number): void {
    const before = this.#particles[0]?.fit ?? -Infinity
    this.#particles = this.#particles.map(({ parameters }) =>
      this.#judge(parameters, groups, sigmaMs),
    )
    this.#tidy()
    const best = this.#particles[0]?.fit ?? -Infinity
    if (best === -Infinity || best < before - FALL) this.#restart(groups, sigmaMs)
    this.improve(groups, sigmaMs, tries)
  }

  improve(groups: readonly Group[], sigmaMs: number, tries: number): void {
    if (this.#particles.length === 0 || this.hypothesis.has.length === 0) return
    const nowMs = groups.at(-1)?.lastMs ?? 0
    for (let i = 0; i < tries; i++) {
      const from = this.#random.pick(this.#particles)
      const to = moved(this.hypothesis, from.parameters, nowMs, this.#random)
      const particle = this.#judge(to, groups, sigmaMs)
      if (particle.fit > this.#particles[0]!.fit - WORST) this.#particles.push(particle)
      if (particle.fit > this.#particles[0]!.fit) this.#toFront()
      if (this.#particles.length > 3 * SIZE) this.#tidy()
    }
    this.#tidy()
  }

  #restart(groups: readonly Group[], sigmaMs: number): void {
    const clues = cluesFor(this.hypothesis, groups, sigmaMs, this.#random)
    for (const parameters of this.hypothesis.seeds(clues)) {
      this.#particles.push(this.#judge(parameters, groups, sigmaMs))
    }
    this.#tidy()
  }

  #judge(parameters: Parameters, groups: readonly Group[], sigmaMs: number): Particle {
    return { parameters, ...replay(this.hypothesis.model(parameters, sigmaMs), groups, sigmaMs) }
  }

  #toFront(): void {
    const best = this.#particles.pop()!
    this.#particles.unshift(best)
  }

  /** Keeps the best, and of the others a random sample, which shows how far they spread. */
  #tidy(): void {
    this.#particles.sort((a, b) => b.fit - a.fit)
    const best = this.#particles[0]?.fit ?? 0
    const near = this.#particles.filter(({ fit }) => fit >= best - WORST)
    while (near.length > SIZE) near.splice(1 + this.#random.int(near.length - 1), 1)
    this.#particles = near
  }
}
