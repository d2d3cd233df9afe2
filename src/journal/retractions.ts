/**
 * What `resumed` lines retract of the lines before them in their file: ends of executions that were
 * continued, last lines of instances.
 */
import type { JournalLine, ResumedLine } from '../execution/record/journal-lines.ts'

export class Retractions {
  /** `resumed` lines that name it. */
  readonly #ofExecution = new Map<number, number>()
  readonly #ofInstance = new Map<number, number>()

  /** Call it for each `resumed` line of the file, before its lines are read. */
  add(line: ResumedLine): void {
    count(this.#ofInstance, line.instance)
    for (const index of line.indexes) count(this.#ofExecution, index)
  }

  /** Call it for each line of the file, in order; returns whether the line counts. */
  reader(): (line: JournalLine) => boolean {
    if (this.#ofInstance.size === 0) return () => true
    const executions = new Map(this.#ofExecution)
    const instances = new Map(this.#ofInstance)
    return (line) => {
      switch (line.type) {
        case 'resumed':
          countDown(instances, line.instance)
          for (const index of line.indexes) countDown(executions, index)
          return true
        case 'ended':
          return !executions.has(line.record.index)
        case 'finished':
          return !instances.has(line.instance)
        default:
          return true
      }
    }
  }
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function countDown(counts: Map<number, number>, key: number): void {
  const left = (counts.get(key) ?? 0) - 1
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}
