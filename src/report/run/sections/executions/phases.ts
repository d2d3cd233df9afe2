/** What a row of the raster shows of an execution: its phases, and how it ended. */
import type { ExecutionRow } from '../../../../result/execution-row.ts'
import type { Color } from '../../../charts/palette.ts'

/** `seen`: accepted and not over, as polls saw it: at work, or still waiting for a worker. */
export type PhaseKind = 'waiting' | 'work' | 'seen' | 'detection'

/** Milliseconds since the kickoff was intended. */
export interface ShownPhase {
  kind: PhaseKind
  fromMs: number
  toMs: number
}

export const PHASES: Readonly<Record<PhaseKind, { color: Color; label: string; opacity: number }>> =
  {
    waiting: { color: 'grey', label: 'waiting', opacity: 1 },
    work: { color: 'endToEnd', label: 'at work', opacity: 1 },
    seen: { color: 'sky', label: 'waiting or at work', opacity: 0.65 },
    detection: { color: 'extra', label: 'ended, and the client does not know', opacity: 1 },
  }

/** In order of time, none beyond the moment when the client stopped watching. */
export function phasesOf({ acceptedMs, totalMs, ledger }: ExecutionRow): ShownPhase[] {
  if (ledger === null) {
    const from = acceptedMs ?? totalMs
    return within(totalMs, ['waiting', 0, from], ['seen', from, totalMs])
  }
  const started = ledger.startedMs ?? totalMs
  const ended = ledger.endedMs ?? totalMs
  return within(
    totalMs,
    ['waiting', 0, started],
    ['work', started, ended],
    ['detection', ended, totalMs],
  )
}

function within(
  totalMs: number,
  ...spans: readonly (readonly [PhaseKind, number, number])[]
): ShownPhase[] {
  return spans.flatMap(([kind, from, to]) => {
    const [fromMs, toMs] = [Math.max(0, from), Math.min(to, totalMs)]
    return toMs > fromMs ? [{ kind, fromMs, toMs }] : []
  })
}

/** Completed ends need no mark; all others are red. */
export function endsBadly({ outcome }: Pick<ExecutionRow, 'outcome'>): boolean {
  return outcome !== 'completed'
}
