/**
 * A run in the form that an agreement needs: its document, and data of each execution, read from
 * its folder.
 */
import { join } from 'node:path'
import type { ComparedRun, ToldExecution } from '../analyse/aspects.ts'
import { countedFrom } from '../../../analysis/validity/clock.ts'
import type { ResultDocument } from '../../../analysis/document.ts'
import type { Ledger } from '../../../analysis/ledger/reconcile.ts'
import { longestDelay, sawTheEnd } from '../../../execution/record/readings.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { Micros } from '../../../base/units.ts'
import { Claims } from '../../../measure/tallies/claims.ts'
import { CommonClock } from '../../../measure/common-clock.ts'
import { readRun } from '../../../run/folder/stored.ts'
import { readJournal } from '../../../journal/reader.ts'

/** Uses about 300 bytes per execution. The run is in `parent`, in the folder given by `names`. */
export async function readComparedRun(
  names: Pick<ComparedRun, 'name' | 'folder'>,
  parent: string,
  document: ResultDocument,
): Promise<ComparedRun> {
  const { journal, ledger } = await readRun(join(parent, names.folder))
  const teller = new Teller()
  for await (const line of readJournal(journal)) {
    if (line.type === 'run') teller.clock.began(line)
    else if (line.type === 'ended') teller.ended(line.record)
  }
  return { ...names, document, executions: teller.executions, ...teller.delays(ledger, document) }
}

class Teller {
  readonly executions: ToldExecution[] = []
  readonly clock = new CommonClock(null)
  readonly #claims = new Claims()
  readonly #byPolls: Micros[] = []
  readonly #instances = new Set<number>()

  /**
   * The times of a schedule are on the instance's own clock; the end is compared with the ledger on
   * the common clock.
   */
  ended(record: ExecutionRecord): void {
    this.executions.push(told(record))
    this.#instances.add(record.instance)
    const shifted = this.clock.shifted({ type: 'ended', record })
    if (shifted.type === 'ended') this.#claims.record(shifted.record)
    const delay = longestDelay(record)
    if (!record.warmUp && delay !== null) this.#byPolls.push(delay)
  }

  delays(
    ledger: Ledger | null,
    { run }: ResultDocument,
  ): Pick<ComparedRun, 'detectionMicros' | 'clockErrorMicros'> {
    if (ledger === null) return { detectionMicros: this.#byPolls, clockErrorMicros: 0 }
    const clock = countedFrom(this.clock.zeroUnixMs ?? 0, ledger.clock)
    const errorOf = (instance: number): Micros => this.clock.errorOf(instance)
    const { detection } = this.#claims.against({ ...ledger, clock }, run.id, errorOf)
    const detectionMicros = detection.map(({ micros }) => micros)
    const anchorError = Math.max(0, ...[...this.#instances].map(errorOf))
    return { detectionMicros, clockErrorMicros: clock.errorMicros + anchorError }
  }
}

function told(record: ExecutionRecord): ToldExecution {
  const { index, warmUp, kickoffId, outcome, intendedMicros, endedMicros, kickoff } = record
  return {
    index,
    warmUp,
    kickoffId,
    outcome,
    attempts: kickoff.lateMicros.length,
    intendedMicros,
    lateMicros: kickoff.lateMicros[0] ?? null,
    executionMicros: sawTheEnd(record) ? endedMicros - intendedMicros : null,
  }
}
