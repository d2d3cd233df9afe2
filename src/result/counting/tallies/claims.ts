/** The client's account of each execution, kept until it can be compared with a ledger. */
import type { Claim } from '../../observations.ts'
import type { AnchorError, Ledger, Reconciliation } from '../../ledger/reconcile.ts'
import { reconcile } from '../../ledger/reconcile.ts'
import { sawTheEnd } from '../../../execution/record/readings.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import { firstNotFound } from './after-loss.ts'

/** About 200 bytes per execution; equal tags are stored once. */
export class Claims {
  readonly #claims: Claim[] = []
  readonly #tags = new Map<string, readonly string[]>()

  record(record: ExecutionRecord): void {
    const after = record.lastNotDoneSentMicros ?? record.sentMicros
    const isLost = record.outcome === 'lost' && after !== null
    this.#claims.push({
      index: record.index,
      instance: record.instance,
      kickoffId: record.kickoffId,
      outcome: record.outcome,
      outputHash: record.output?.hash ?? null,
      tags: this.#shared(tagsOf(record)),
      warmUp: record.warmUp,
      endedAfterMicros: after,
      endedByMicros: sawTheEnd(record) ? record.firstDoneReceivedMicros : null,
      missingByMicros: isLost ? firstNotFound(record, after) : null,
      endedMicros: record.endedMicros,
    })
  }

  /** `open`: the indexes of executions that were started and have no record. Default none. */
  against(
    ledger: Ledger,
    runId: string,
    anchorError: AnchorError,
    open: ReadonlySet<number> = new Set(),
  ): Reconciliation {
    return reconcile(this.#claims, ledger, runId, anchorError, open)
  }

  #shared(tags: readonly string[]): readonly string[] {
    const text = JSON.stringify(tags)
    const known = this.#tags.get(text)
    if (known !== undefined) return known
    this.#tags.set(text, tags)
    return tags
  }
}

/** Each tag as `name=value`. */
export function tagsOf({ tags }: ExecutionRecord): string[] {
  return Object.entries(tags).map(([name, value]) => `${name}=${value}`)
}
