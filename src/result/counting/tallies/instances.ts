/**
 * What each instance reported, kept separately: one that is late or missing among many must not
 * disappear in the total.
 */
import type { FinishedLine, RunLine } from '../../../execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { Sample } from '../../statistics/sample.ts'
import { Sketch } from '../sketch.ts'

/** An instance's lateness is within 0.25 %. */
const LATENESS_SKETCH_BASE = 1.005

export interface InstanceTally<S extends Sample = Sample> {
  instance: number
  /** Null if that line was not seen. */
  run: RunLine | null
  finished: FinishedLine | null
  /** `ended` lines, including the warm-up. */
  endedLines: number
  /** Lateness of the requests in the measured window. */
  lateness: S
}

export class Instances {
  readonly #tallies = new Map<number, InstanceTally<Sketch>>()

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
    return this.#inOrder().flatMap(({ run }) => run ?? [])
  }

  /** The `finished` lines by instance. */
  get finishedLines(): FinishedLine[] {
    return this.#inOrder().flatMap(({ finished }) => finished ?? [])
  }

  /**
   * By instance. `lateness` is the exact sample of all instances together; for a single instance it
   * is used as it is.
   */
  tallies(lateness: Sample): InstanceTally[] {
    const all = this.#inOrder()
    return all.length === 1 ? [{ ...all[0]!, lateness }] : all
  }

  #inOrder(): InstanceTally<Sketch>[] {
    return [...this.#tallies.values()].sort((a, b) => a.instance - b.instance)
  }

  #of(instance: number): InstanceTally<Sketch> {
    const known = this.#tallies.get(instance)
    if (known !== undefined) return known
    const lateness = new Sketch(LATENESS_SKETCH_BASE)
    const tally = { instance, run: null, finished: null, endedLines: 0, lateness }
    this.#tallies.set(instance, tally)
    return tally
  }
}
