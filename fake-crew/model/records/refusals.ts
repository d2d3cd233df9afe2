/** Records which valid requests were refused, and by what: the latest, in order. */
import type { Operation } from '../../../src/crew/answer.ts'
import type { RefusalMark } from '../../../src/crew/ledger.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { Call } from '../call.ts'
import { LatestItems } from './latest-items.ts'

/** All of them are counted in the metrics. */
const REFUSALS_KEPT = 100_000

export class RefusalCounts {
  readonly #marks = new LatestItems<RefusalMark>(REFUSALS_KEPT)

  /** `limit`: its name, or another cause of refusal; null for a full queue. */
  note(
    { request, route, nowMicros }: Call,
    { operation, limit, status }: { operation: Operation; limit: string | null; status: number },
  ): void {
    this.#marks.add({
      limit,
      operation,
      at_ms: nowMicros / MICROS_PER_MS,
      status,
      correlation: request.headers['x-correlation-id'] ?? null,
      kickoff_id: route === undefined || route.kickoffId === '' ? null : route.kickoffId,
    })
  }

  /** Refusals that are no longer kept. */
  get dropped(): number {
    return this.#marks.dropped
  }

  all(): readonly RefusalMark[] {
    return this.#marks.all()
  }
}
