/** Summarises one load of closed clients: throughput, waiting, failures, and Little's law. */
import { meanOf } from '../../../../result/statistics/moments.ts'
import { MICROS_PER_MS } from '../../../../base/units.ts'
import type { RungTold } from '../../document.ts'
import type { Learned, LoadFacts } from './learn.ts'
import { throughputPerHour } from './learn.ts'
import { quantilesOf } from './quantiles.ts'

/**
 * Null for an open load. Ends between two polls make executions overlap that did not: no more run
 * at once than there are workers.
 */
export function rungOf(
  facts: LoadFacts,
  { slots, isExact }: Pick<Learned, 'slots' | 'isExact'>,
): RungTold | null {
  const { seen, ran, busy, waited } = facts
  const { load, executions } = seen
  if (load.kind !== 'closed') return null
  const kickoffs = executions.filter(({ accepted }) => accepted !== null)
  return {
    clients: load.clients,
    executions: executions.length,
    perHour: throughputPerHour(facts),
    running: isExact || slots === null ? busy.most : Math.min(busy.most, slots),
    waited,
    stay: quantilesOf(ran.map(({ accepted, ended }) => ended - accepted)),
    littleResidual: residualOf(facts, load.clients),
    failed: executions.filter(({ outcome }) => outcome === 'failed').length,
    refused: executions.reduce((sum, { refusals }) => sum + refusals.length, 0),
    kickoffMs:
      kickoffs.length === 0
        ? null
        : meanOf(kickoffs.map(({ kickoffMicros }) => kickoffMicros)) / MICROS_PER_MS,
    pollMs: seen.polls.all === 0 ? null : seen.polls.tookMicros / MICROS_PER_MS,
  }
}

/**
 * The relative residual of Little's law: from the first intended start to the last, each client has
 * an execution in flight, and the times of the executions should give the same number.
 */
function residualOf({ seen }: LoadFacts, clients: number): number | null {
  const spans = seen.executions.flatMap(({ intended, known }) =>
    known === null ? [] : [[intended, known] as const],
  )
  const from = Math.min(...spans.map(([begin]) => begin))
  const to = Math.max(...spans.map(([begin]) => begin))
  if (spans.length === 0 || to <= from) return null
  const sum = spans.reduce((total, [, end]) => total + Math.min(end, to), 0)
  const begun = spans.reduce((total, [begin]) => total + begin, 0)
  return Math.abs((sum - begun) / (to - from) - clients) / clients
}
