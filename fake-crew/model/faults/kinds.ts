/** The table of kinds: what each does. To add one, write its file and name it here, in `fault.ts` and in the schema. */
import { unreachable } from '../../../src/base/assert.ts'
import type { Effect } from './effect.ts'
import type { FaultWhat } from './fault.ts'
import { backwardsEffect } from './kinds/backwards.ts'
import { closeIdleEffect } from './kinds/close-idle.ts'
import { clockSkewEffect } from './kinds/clock-skew.ts'
import { contentTypeEffect } from './kinds/content-type.ts'
import { deniedEffect } from './kinds/denied.ts'
import { dripEffect } from './kinds/drip.ts'
import { emptyEffect } from './kinds/empty.ts'
import { flipEffect } from './kinds/flip.ts'
import { hangEffect } from './kinds/hang.ts'
import { latencyEffect } from './kinds/latency.ts'
import { malformedEffect } from './kinds/malformed.ts'
import { neverStartsEffect } from './kinds/never-starts.ts'
import { noResultEffect } from './kinds/no-result.ts'
import { notFoundEffect } from './kinds/not-found.ts'
import { resetEffect } from './kinds/reset.ts'
import { stallEffect } from './kinds/stall.ts'
import { statusEffect } from './kinds/status.ts'
import { stuckEffect } from './kinds/stuck.ts'
import { swapEffect } from './kinds/swap.ts'
import { truncateEffect } from './kinds/truncate.ts'
import { wrongIdEffect } from './kinds/wrong-id.ts'

/** Null for what befalls connections and no request. Each call makes an effect with a memory of its own. */
export function effectOf(what: FaultWhat): Effect | null {
  switch (what.kind) {
    case 'status':
      return statusEffect(what)
    case 'latency':
      return latencyEffect(what)
    case 'reset':
      return resetEffect(what)
    case 'empty':
      return emptyEffect(what)
    case 'truncate':
      return truncateEffect(what)
    case 'malformed':
      return malformedEffect()
    case 'contentType':
      return contentTypeEffect(what)
    case 'drip':
      return dripEffect(what)
    case 'hang':
      return hangEffect(what)
    case 'stall':
      return stallEffect(what)
    case 'closeIdle':
      return closeIdleEffect(what)
    case 'notFound':
      return notFoundEffect(what)
    case 'stuck':
      return stuckEffect()
    case 'backwards':
      return backwardsEffect(what)
    case 'flip':
      return flipEffect(what)
    case 'noResult':
      return noResultEffect()
    case 'swap':
      return swapEffect()
    case 'neverStarts':
      return neverStartsEffect()
    case 'wrongId':
      return wrongIdEffect(what)
    case 'denied':
      return deniedEffect(what)
    case 'clockSkew':
      return clockSkewEffect(what)
    case 'restart':
    case 'refuse':
      return null
    default:
      return unreachable(what)
  }
}
