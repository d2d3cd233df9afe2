/** What the executions of a profile share beside workers, and how the ledger says what it cost. */
import type { LedgerRow } from '../../../../src/crew/ledger.ts'
import type { Random } from '../../../../src/base/random.ts'
import type { CapacityProfile } from '../../profile.ts'
import type { WallProfile } from '../../wall-profile.ts'
import { Provider } from './provider.ts'
import type { Sharing } from './shared-work.ts'
import type { TaskWaits } from './waits.ts'

type SharedParts = Pick<CapacityProfile, 'workers' | 'quota' | 'tokens' | 'slowdown' | 'scaling'>

/** Null if executions share nothing but a fixed number of workers. */
export function sharingOf(
  { capacity, fixed }: { capacity: SharedParts; fixed: WallProfile['fixed'] },
  randomOf: (ordinal: number) => Random,
): Sharing | null {
  const { workers, quota, tokens, slowdown, scaling } = capacity
  if ((quota ?? tokens ?? slowdown ?? scaling) === undefined) return null
  const fewest = workers ?? Infinity
  return {
    staff: {
      fewest,
      most: scaling?.to ?? fewest,
      upAfterMicros: scaling?.upAfterMicros ?? 0,
      downAfterMicros: scaling?.downAfterMicros ?? 0,
    },
    processors: slowdown?.shared ?? Infinity,
    provider: new Provider(capacity, fixed),
    randomOf,
  }
}

export function waitsRow({
  quotaMs,
  slowedMs,
}: TaskWaits): Pick<LedgerRow['tasks'][number], 'quota_wait' | 'slowed'> {
  return { quota_wait: quotaMs / 1_000, slowed: slowedMs / 1_000 }
}
