/**
 * Whether a journal holds all that its run wrote, and each line once: what is learned from a
 * damaged one would be wrong without a word, because long executions are lost first.
 */
import type { Cut } from '../result/sentences/early-ends.ts'
import { UserError } from '../base/mistakes.ts'
import type { JournalLine } from '../execution/record/journal-lines.ts'
import { readJournal } from './reader.ts'

/**
 * Reads a journal to its end, and hands each line to `saw`. Returns what is missing at its end;
 * null for a whole journal. Throws a UserError that names the file, and the line of it if it is
 * known, when a line cannot be read, is there twice, or is missing before the end.
 */
export async function readSound(
  path: string,
  saw: (line: JournalLine) => void,
): Promise<Cut | null> {
  const reader = readJournal(path)
  const audit = new Audit()
  for await (const lines of reader.batches()) {
    for (const line of lines) {
      audit.saw(line)
      saw(line)
    }
  }
  const { damage } = reader
  if (damage !== null && !damage.isTail) {
    throw unsound(path, damage.line, 'the line cannot be read')
  }
  const problem = audit.problem(damage !== null)
  if (problem !== null) throw unsound(path, undefined, problem)
  return audit.cut
}

function unsound(path: string, line: number | undefined, why: string): UserError {
  const remedy = 'nothing is learned from it, because what is missing may be what took longest'
  const place = line === undefined ? {} : { line }
  return new UserError({
    source: path,
    ...place,
    problem: `is damaged: ${why}; ${remedy}`,
  })
}

const STARTED = 1
const ACCEPTED = 2
const ENDED = 4

interface Instance {
  begun: boolean
  ended: number
  /** The number of its arrivals, by its last line; null without one. */
  arrivals: number | null
}

class Audit {
  /** Which lines of each execution were seen. */
  readonly #seen = new Map<number, number>()
  readonly #instances = new Map<number, Instance>()
  #of = 1
  /** The first line that is there twice. */
  #twice: string | null = null

  saw(line: JournalLine): void {
    switch (line.type) {
      case 'run':
        if (this.#instance(line.instance).begun) this.#doubled('the first line', line.instance)
        this.#instance(line.instance).begun = true
        this.#of = Math.max(this.#of, line.instances)
        break
      case 'started':
        this.#part(line.index, STARTED, 'the start')
        break
      case 'accepted':
        this.#part(line.index, ACCEPTED, 'the acceptance')
        break
      case 'ended':
        this.#part(line.record.index, ENDED, 'the end')
        this.#instance(line.record.instance).ended++
        break
      case 'resumed':
        this.#resumed(line.instance, line.indexes)
        break
      case 'finished': {
        const own = this.#instance(line.instance)
        if (own.arrivals !== null) this.#doubled('the last line', line.instance)
        own.arrivals = line.engine.arrivals
        break
      }
      default:
        break
    }
  }

  /** Null where nothing is wrong. `isTorn`: the last line of the file is half a line. */
  problem(isTorn: boolean): string | null {
    if (this.#twice !== null) return `${this.#twice} is there twice`
    const known = [...this.#instances.values()]
    if (known.length === 0) return 'it has no line of a run'
    if (known.some(({ begun }) => !begun)) return 'its first line is missing'
    if (isTorn && this.cut === null) return 'there is half a line behind the last one'
    for (const { ended, arrivals } of known) {
      if (arrivals !== null && arrivals !== ended) {
        return `it has ${ended} ends of executions for ${arrivals} arrivals`
      }
    }
    return null
  }

  get cut(): Cut | null {
    const known = [...this.#instances.values()]
    const isWhole = known.length >= this.#of && known.every(({ arrivals }) => arrivals !== null)
    if (isWhole) return null
    let open = 0
    for (const parts of this.#seen.values()) if ((parts & ENDED) === 0) open++
    return { open }
  }

  /** What was ended by the cut goes on. */
  #resumed(instance: number, indexes: readonly number[]): void {
    const own = this.#instance(instance)
    own.arrivals = null
    for (const index of indexes) {
      const parts = this.#seen.get(index) ?? 0
      if ((parts & ENDED) !== 0) own.ended--
      this.#seen.set(index, parts & ~ENDED)
    }
  }

  #part(index: number, part: number, name: string): void {
    const parts = this.#seen.get(index) ?? 0
    if ((parts & part) !== 0) this.#twice ??= `${name} of execution ${index}`
    this.#seen.set(index, parts | part)
  }

  #doubled(name: string, instance: number): void {
    this.#twice ??= `${name} of instance ${instance}`
  }

  #instance(instance: number): Instance {
    const known = this.#instances.get(instance)
    if (known !== undefined) return known
    const own = { begun: false, ended: 0, arrivals: null }
    this.#instances.set(instance, own)
    return own
  }
}
