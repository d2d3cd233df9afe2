/** Which lines were read before, and from which file: a journal given twice would count twice. */
import type { JournalLine } from '../execution/record/journal-lines.ts'

/**
 * One bit for each kind of line that occurs once per execution or instance, and for each of its
 * uses: some 750 kB for a million executions.
 */
export class LineCensus {
  /** Lines that one file holds again, though nothing retracted them. */
  doubled = 0
  readonly #tellers = new Map<number, string>()
  readonly #ofOthers = new Lines()
  #fresh = new Lines()
  #counting = new Lines()

  /** The lines of one file may be in any order. */
  beginFile(): void {
    this.#ofOthers.addAll(this.#fresh)
    this.#fresh = new Lines()
    this.#counting = new Lines()
  }

  /**
   * The first file that mentioned the instance, if an earlier file contained this line; otherwise
   * null. `counts`: no other line of the file retracts it.
   */
  saw(line: JournalLine, file: string, counts: boolean): string | null {
    const instance = line.type === 'ended' ? line.record.instance : line.instance
    const teller = this.#tellers.get(instance)
    if (teller === undefined) this.#tellers.set(instance, file)
    const place = linePlaceOf(line)
    if (place === null) return null
    if (counts && this.#counting.has(place)) this.doubled++
    if (counts) this.#counting.add(place)
    this.#fresh.add(place)
    // Each file may begin with the first line of an instance that others continue.
    return place.kind !== 'run' && this.#ofOthers.has(place) ? (teller ?? file) : null
  }
}

const KINDS = ['run', 'started', 'accepted', 'ended', 'finished'] as const

interface LinePlace {
  kind: (typeof KINDS)[number]
  /** Of the execution or the instance. */
  number: number
}

/** Null for a line that may be there more than once. */
export function linePlaceOf(line: JournalLine): LinePlace | null {
  switch (line.type) {
    case 'run':
    case 'finished':
      return { kind: line.type, number: line.instance }
    case 'started':
    case 'accepted':
      return { kind: line.type, number: line.index }
    case 'ended':
      return { kind: line.type, number: line.record.index }
    default:
      return null
  }
}

class Lines {
  readonly #sets: Readonly<Record<LinePlace['kind'], BitSet>> = {
    run: new BitSet(),
    started: new BitSet(),
    accepted: new BitSet(),
    ended: new BitSet(),
    finished: new BitSet(),
  }

  has({ kind, number }: LinePlace): boolean {
    return this.#sets[kind].has(number)
  }

  add({ kind, number }: LinePlace): void {
    this.#sets[kind].add(number)
  }

  addAll(other: Lines): void {
    for (const kind of KINDS) this.#sets[kind].addAll(other.#sets[kind])
  }
}

const WORDS_A_PAGE = 1_024
const BITS_A_WORD = 32
const BITS_A_PAGE = WORDS_A_PAGE * BITS_A_WORD

/** Whole numbers, in pages of 4 kB, allocated on demand. */
class BitSet {
  readonly #pages = new Map<number, Uint32Array>()

  add(number: number): void {
    const page = Math.floor(number / BITS_A_PAGE)
    const words = this.#pages.get(page) ?? new Uint32Array(WORDS_A_PAGE)
    this.#pages.set(page, words)
    const bit = number - page * BITS_A_PAGE
    const word = Math.floor(bit / BITS_A_WORD)
    words[word] = words[word]! | (1 << (bit % BITS_A_WORD))
  }

  has(number: number): boolean {
    const page = Math.floor(number / BITS_A_PAGE)
    const bit = number - page * BITS_A_PAGE
    const word = this.#pages.get(page)?.[Math.floor(bit / BITS_A_WORD)] ?? 0
    return (word & (1 << (bit % BITS_A_WORD))) !== 0
  }

  addAll(other: BitSet): void {
    for (const [page, words] of other.#pages) {
      const own = this.#pages.get(page)
      if (own === undefined) this.#pages.set(page, words)
      else for (const [i, word] of words.entries()) own[i] = own[i]! | word
    }
  }
}
