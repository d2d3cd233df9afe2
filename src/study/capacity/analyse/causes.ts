/**
 * Finds what a crew does that no queue for workers does, as far as its loads show it: the reasons
 * to refuse the model, or what a reader must know beside the answer.
 */
import { formatCount, formatMs, plural } from '../../../result/metrics/format.ts'
import { formatShare, MICROS_PER_MS, threeDigits } from '../../../base/units.ts'
import type { CapacityReason, CauseCode } from '../document.ts'
import {
  driftOf,
  failuresOf,
  refusalsOf,
  otherLoadOf,
  stepInFrontMicros,
} from './learn/besides-queue.ts'
import { cliffOf } from './learn/cliff.ts'
import type { Cliff } from './learn/cliff.ts'
import type { Learned } from './learn/learn.ts'
import { rateWords } from './rate-words.ts'
import { leavingOf } from './scaling/unsteady.ts'
import { leavingReason, unsteadyReason } from './scaling/words.ts'

export interface Cause extends CapacityReason {
  code: CauseCode
}

/** Returns the causes; the one that explains most comes first. */
export function causesOf(learned: Learned): Cause[] {
  const drifts = drift(learned)
  return [
    limiter(learned),
    learned.unsteady === null ? null : unsteadyReason(learned.unsteady),
    leaving(learned),
    drifts,
    // A change over time looks like a change with the load, because the load rises over time.
    drifts === null ? cliff(learned) : null,
    otherLoad(learned),
    stepInFront(learned),
    failures(learned),
  ].filter((cause) => cause !== null)
}

function limiter(learned: Learned): Cause | null {
  const { refused, kickoffs, isLimited } = refusalsOf(learned)
  if (!isLimited) return null
  return {
    code: 'limiter',
    message:
      'A limiter in front of the crew, or an outage: it answered ' +
      `${formatCount(refused)} of ${plural(kickoffs, 'kickoff')} with 429 or 503, and no limit ` +
      'of its queue explains that',
    remedy: 'find the limit with crewload limits --kickoffs N, lift it, and repeat the search',
  }
}

function leaving({ loads, scaling }: Learned): Cause | null {
  const found = leavingOf(loads, scaling)
  return found === null ? null : leavingReason(found)
}

function drift(learned: Learned): Cause | null {
  const found = driftOf(learned)
  if (found === null) return null
  const { change, crew } = found
  const way = change > 0 ? 'longer' : 'shorter'
  return {
    code: 'drift',
    message:
      'The crew drifts: executions of ' +
      `${crew === 'full' ? 'the full crew' : 'a crew that is half empty'} became ` +
      `${formatShare(Math.abs(change))} ${way} from the first half of the search to the second`,
    remedy:
      'find what accumulates in the crew or runs beside it; crewload run soak shows how far ' +
      'the drift goes',
  }
}

function cliff(learned: Learned): Cause | null {
  const found = cliffOf(learned)
  if (found === null) return null
  const { holds, breaks, before, after } = found
  const most = plural(holds, 'execution')
  return {
    code: 'cliff',
    message:
      `A cliff: with ${most} in the crew it completes ${rateWords(before.perHour)} per hour, and ` +
      `with ${breaks} only ${rateWords(after.perHour)}, because ${fallWords(found)}`,
    remedy:
      `limit the crew to ${most} at once; crewload recovery shows whether it recovers from ` +
      'more',
  }
}

/** Names whichever of the two explains more of the fall: longer service times or more failures. */
function fallWords({ before, after }: Cliff): string {
  const slower = after.serviceMicros / before.serviceMicros
  const rarer = before.completedShare / Math.max(1e-9, after.completedShare)
  if (rarer > slower) {
    return (
      `${formatShare(after.completedShare)} of them succeed instead of ` +
      formatShare(before.completedShare)
    )
  }
  return `they take ${threeDigits(slower)} times as long`
}

function otherLoad(learned: Learned): Cause | null {
  const found = otherLoadOf(learned)
  if (found === null) return null
  const { executions } = found
  const workers = threeDigits(found.workers)
  return {
    code: 'another-load',
    message:
      executions === null
        ? 'Another load seems to be on the crew: while executions wait, the number that run ' +
          `varies, and is on average ${workers} below its maximum`
        : `Another load is on the crew: its ledger has ${plural(executions, 'execution')} that ` +
          `this search did not send, which kept ${workers} workers busy on average`,
    remedy: 'repeat the search while no other client uses the crew',
  }
}

function stepInFront(learned: Learned): Cause | null {
  const micros = stepInFrontMicros(learned)
  if (micros === null) return null
  return {
    code: 'step-in-front',
    message:
      `Executions wait ${formatMs(micros / MICROS_PER_MS)} (median) although workers are ` +
      'free: a step in front of the workers delays them',
    remedy: 'find that step, such as a connection pool or a gateway: its queue is not simulated',
  }
}

function failures(learned: Learned): Cause | null {
  const { free, full, grow } = failuresOf(learned)
  if (!grow) return null
  return {
    code: 'failures-grow',
    message:
      `Failures grow with load: ${formatShare(free)} of executions fail while workers are free, ` +
      `and ${formatShare(full)} while all are busy`,
    remedy: 'find what fails in a full crew: crewload run shows the messages',
  }
}
