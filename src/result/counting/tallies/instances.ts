/**
 * What each instance reported, kept separately: one that is late or missing among many must not
 * disappear in the total.
 */
import type { InstanceObservations } from '../../observations.ts'
import type { Sample } from '../../statistics/sample.ts'
import type { FinishedLine, RunLine } from '../../../execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import { Sketch } from '../sketch.ts'

/** An instance's lateness is within 0.25 %. */
const LATENESS_SKETCH_BASE = 1.005

interface Tally {
  run: RunLine | null
  finished: FinishedLine | null
  endedLines: number
  readonly lateness: Sketch
}

export class Instances {
  readonly #tallies = new Map<number, Tally>()

  began(line: RunLine): void {
    this.#of(line.instance).run = line
  }

  finished(line: FinishedLine): void {
    this.#of(line.instance).finished = line
  }

  ended({ instance, warmUp, kickoff, polls }: ExecutionRecord): void {
    const tally = this.#of(instance)
    tally.endedLines++
    if (warmUp) return
    for (const late of kickoff.lateMicros) tally.lateness.record(late)
    for (const late of polls.lateMicros) tally.lateness.record(late)
  }

  /** The `run` lines by instance. */
  get runs(): RunLine[] {
    return this.#inOrder().flatMap(([, { run }]) => run ?? [])
  }

  /** The `finished` lines by instance. */
  get finishedLines(): FinishedLine[] {
    return this.#inOrder().flatMap(([, { finished }]) => finished ?? [])
  }

  get endedLines(): number {
    return [...this.#tallies.values()].reduce((sum, { endedLines }) => sum + endedLines, 0)
  }

  /**
   * Observations by instance. `lateness` is the exact sample of all instances together; for a
   * single instance it is used as it is.
   */
  observations(lateness: Sample): InstanceObservations[] {
    const alone = this.#tallies.size === 1
    return this.#inOrder().map(([instance, { run, finished, endedLines, lateness: own }]) => ({
      instance,
      run,
      finished,
      endedLines,
      lateness: alone ? lateness : own,
    }))
  }

  #inOrder(): [number, Tally][] {
    return [...this.#tallies].sort(([a], [b]) => a - b)
  }

  #of(instance: number): Tally {
    const known = this.#tallies.get(instance)
    if (known !== undefined) return known
    const lateness = new Sketch(LATENESS_SKETCH_BASE)
    const tally: Tally = { run: null, finished: null, endedLines: 0, lateness }
    this.#tallies.set(instance, tally)
    return tally
  }
}
