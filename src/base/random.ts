/**
 * Seeded randomness that is forked by name and number, so that the order of events cannot change a
 * value. A stream is sfc32 (Chris Doty-Humphrey's "small fast counting" generator, PractRand),
 * keyed by hashing (seed, names, numbers) with murmur3's finaliser and warmed up: unwarmed
 * sequential seeds correlate.
 */

export interface Random {
  /** Uniform in (0, 1), never either end. */
  next(): number
  /** Uniform integer from 0 to `bound - 1`. */
  int(bound: number): number
  pick<T>(list: readonly T[]): T
  /**
   * Standard normal by the inverse of its distribution function: one uniform per draw, so ranks
   * survive a changed sigma.
   */
  normal(): number
  /** Exponential with mean 1. */
  exponential(): number
  /** 32 random bits as an unsigned integer. */
  bits(): number
  /**
   * An independent stream that depends only on this one's key and the arguments, not on earlier
   * draws.
   */
  fork(name: string, number?: number): Random
  /** The two words on which its draws and its forks depend. */
  key(): readonly [a: number, b: number]
}

export function createRandom(seed: number): Random {
  const low = seed >>> 0
  const high = Math.floor(seed / 0x1_0000_0000) >>> 0
  return new Sfc32(fmix32(low ^ 0x9e37_79b9), fmix32(high ^ 0x85eb_ca6b ^ low))
}

/** murmur3's 32-bit finaliser: every input bit reaches every output bit. */
export function fmix32(value: number): number {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** FNV-1a over UTF-16 units, finished by `fmix32` (raw FNV-1a of close names correlates). */
export function hashText(text: string, basis = 0x811c_9dc5): number {
  let h = basis
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x0100_0193)
  return fmix32(h)
}

/** 53 bits: those of `hashText`, and below them 21 of its hash with another basis. */
export function longHashText(text: string): number {
  let a = 0x811c_9dc5
  let b = 0x1b87_3593
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x0100_0193)
    b = Math.imul(b ^ unit, 0x0100_0193)
  }
  return fmix32(a) * 2 ** 21 + (fmix32(b) >>> 11)
}

const WARM_UP_ROUNDS = 12

/** Many streams are forked and never drawn from, so they are warmed up at the first draw. */
class Sfc32 implements Random {
  #keyA: number
  #keyB: number
  #a = 0
  #b = 0
  #c = 0
  #counter = 1
  #isWarm = false

  constructor(keyA: number, keyB: number) {
    this.#keyA = keyA | 0
    this.#keyB = keyB | 0
  }

  #warmUp(): void {
    let a = this.#keyA
    let b = this.#keyB
    let c = fmix32(a ^ 0x243f_6a88 ^ Math.imul(b, 0x9e37_79b1)) | 0
    // The rounds of `bits`, in variables: most streams are drawn from once, so that warming them up
    // is most of what they cost.
    for (let counter = 1; counter <= WARM_UP_ROUNDS; counter++) {
      const sum = (((a + b) | 0) + counter) | 0
      a = b ^ (b >>> 9)
      b = (c + (c << 3)) | 0
      c = (((c << 21) | (c >>> 11)) + sum) | 0
    }
    this.#isWarm = true
    this.#a = a
    this.#b = b
    this.#c = c
    this.#counter = WARM_UP_ROUNDS + 1
  }

  bits(): number {
    if (!this.#isWarm) this.#warmUp()
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    this.#c |= 0
    return sum >>> 0
  }

  next(): number {
    return (this.bits() + 0.5) / 0x1_0000_0000
  }

  int(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('pick() needs a list with at least one element')
    return list[this.int(list.length)] as T
  }

  normal(): number {
    return inverseNormal(this.next())
  }

  exponential(): number {
    return -Math.log(this.next())
  }

  fork(name: string, number = 0): Random {
    return forkOf(nameA(name, this.#keyA), nameB(name, this.#keyB), number)
  }

  key(): readonly [a: number, b: number] {
    return [this.#keyA, this.#keyB]
  }

  /** Makes it the stream with this key. */
  restart(a: number, b: number): this {
    this.#keyA = a
    this.#keyB = b
    this.#isWarm = false
    return this
  }
}

/** `fork` with one name and any number, for frequent use: the name is hashed once. */
export function forks(random: Random, name: string): (number: number) => Random {
  const [a, b] = namedKey(random, name)
  return (number) => forkOf(a, b, number)
}

/** `fork(name, number).fork(inner, innerNumber)`, without creating the stream in between. */
export function forksTwice(
  random: Random,
  name: string,
  inner: string,
): (number: number, innerNumber: number) => Random {
  const [a, b] = namedKey(random, name)
  return (number, innerNumber) =>
    forkOf(nameA(inner, keyA(a, number)), nameB(inner, keyB(b, number)), innerNumber)
}

/**
 * Gives what `forksTwice` gives, but every call returns the same object and ends the stream that it
 * was before: for streams that are drawn from at once and then forgotten.
 */
export function forksBriefly(
  random: Random,
  name: string,
  inner: string,
): (number: number, innerNumber: number) => Random {
  const [a, b] = namedKey(random, name)
  const stream = new Sfc32(0, 0)
  return (number, innerNumber) =>
    stream.restart(
      keyA(nameA(inner, keyA(a, number)), innerNumber),
      keyB(nameB(inner, keyB(b, number)), innerNumber),
    )
}

function namedKey(random: Random, name: string): [number, number] {
  const [a, b] = random.key()
  return [nameA(name, a), nameB(name, b)]
}

function nameA(name: string, key: number): number {
  return hashText(name, key ^ 0x811c_9dc5)
}

function nameB(name: string, key: number): number {
  return hashText(name, key ^ 0x1b87_3593)
}

/** The two words of a fork's key, from its hashed name (`nameA`, `nameB`) and its number. */
function keyA(name: number, number: number): number {
  return fmix32(name ^ fmix32((number >>> 0) ^ 0x5bd1_e995)) | 0
}

function keyB(name: number, number: number): number {
  const high = Math.floor(number / 0x1_0000_0000) >>> 0
  return fmix32(name ^ fmix32((number >>> 0) + 0x27d4_eb2f) ^ Math.imul(high, 0x1656_67b1)) | 0
}

function forkOf(a: number, b: number, number: number): Random {
  return new Sfc32(keyA(a, number), keyB(b, number))
}

const ACKLAM_TAIL = 0.02425

/**
 * The standard normal quantile of `p` in (0, 1); relative error below 1.15e-9 (Peter J. Acklam, "An
 * algorithm for computing the inverse normal cumulative distribution function", 2003, whose
 * coefficients these are).
 */
export function inverseNormal(p: number): number {
  if (p < ACKLAM_TAIL) return acklamTail(Math.sqrt(-2 * Math.log(p)))
  if (p > 1 - ACKLAM_TAIL) return -acklamTail(Math.sqrt(-2 * Math.log(1 - p)))
  const q = p - 0.5
  const r = q * q
  const above =
    ((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r +
      138.357751867269) *
      r -
      30.66479806614716) *
      r +
    2.506628277459239
  const below =
    ((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r +
      66.80131188771972) *
      r -
      13.28068155288572) *
      r +
    1
  return (above * q) / below
}

function acklamTail(q: number): number {
  const above =
    ((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q -
      2.549732539343734) *
      q +
      4.374664141464968) *
      q +
    2.938163982698783
  const below =
    (((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q +
      3.754408661907416) *
      q +
    1
  return above / below
}
