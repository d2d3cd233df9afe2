/** Which lines were read before, and from which file: a journal given twice would count twice. */
import type { JournalLine } from '../execution/record/journal-lines.ts'

/**
 * One bit for each kind of line that occurs once per execution: some 250 kB for a million
 * executions.
 */
export class LineCensus {
  readonly #tellers = new Map<number, string>()
  readonly #started = new BitSet()
  readonly #ended = new BitSet()
  readonly #finished = new BitSet()
  #fresh = new Fresh()

  /**
   * The lines of one file may be in any order; duplicates within one file are handled elsewhere.
   */
  beginFile(): void {
    this.#started.addAll(this.#fresh.started)
    this.#ended.addAll(this.#fresh.ended)
    this.#finished.addAll(this.#fresh.finished)
    this.#fresh = new Fresh()
  }

  /**
   * The first file that mentioned the instance, if an earlier file contained this line; otherwise
   * null.
   */
  saw(line: JournalLine, file: string): string | null {
    const instance = line.type === 'ended' ? line.record.instance : line.instance
    const teller = this.#tellers.get(instance)
    if (teller === undefined) this.#tellers.set(instance, file)
    return this.#wasTold(line) ? (teller ?? file) : null
  }

  #wasTold(line: JournalLine): boolean {
    switch (line.type) {
      case 'started':
        this.#fresh.started.add(line.index)
        return this.#started.has(line.index)
      case 'ended':
        this.#fresh.ended.add(line.record.index)
        return this.#ended.has(line.record.index)
      case 'finished':
        this.#fresh.finished.add(line.instance)
        return this.#finished.has(line.instance)
      default:
        return false
    }
  }
}

/** The file that is being read. */
class Fresh {
  readonly started = new BitSet()
  readonly ended = new BitSet()
  readonly finished = new BitSet()
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
