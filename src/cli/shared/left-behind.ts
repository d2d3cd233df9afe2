/** What a run left behind on its target, and the command that continues it. */
import { endsWithRun } from '../../execution/record/crew-place.ts'
import { correlationId } from '../../crew/crew-request.ts'
import type { UnfinishedInstance } from '../../journal/unfinished.ts'
import type { Abandoned } from '../../run/progress.ts'
import { visibleLine } from '../../base/visible.ts'
import type { Io } from '../io/io.ts'
import { shellWord } from '../../base/text.ts'

/** The journal contains all of them. */
const MOST_LISTED = 200

/** For example `crewload resume reports/steady-20261121T081500Z`. */
export function resumeWords(folder: string): string {
  return `crewload resume ${shellWord(folder)}`
}

/**
 * Lists the executions of a run that was cut, from its journal. Those on the run's own fake crew
 * ended with it.
 */
export function listLeft(instances: readonly UnfinishedInstance[], folder: string, io: Io): void {
  const [first] = instances
  if (first !== undefined && endsWithRun(first.run.place)) return
  const left = instances.flatMap((own) => own.left)
  const ids = left.flatMap(({ accepted }) => accepted?.kickoffId ?? [])
  if (ids.length > 0) {
    const how = `continue with ${resumeWords(folder)}`
    io.stderr.write(listOf(`in flight when the run was cut; ${how}:`, ids))
  }
  const runId = first?.run.runId ?? ''
  listUnheard(
    left.flatMap(({ accepted, arrival }) =>
      accepted === null ? correlationId(runId, arrival.index) : [],
    ),
    io,
  )
}

/** Lists kickoffs by their correlation ids, which the target's logs contain too. */
export function listUnheard(ids: readonly string[], io: Io): void {
  if (ids.length === 0) return
  const head =
    'sent but not answered before the cut; each may have started an execution (x-correlation-id):'
  io.stderr.write(listOf(head, ids))
}

/** Lists the executions that a run gave up. */
export function listAbandoned(
  abandoned: readonly Abandoned[],
  folder: string | null,
  io: Io,
): void {
  if (abandoned.length === 0) return
  const how = folder === null ? '' : `; continue with ${resumeWords(folder)}`
  const ids = abandoned.map(({ kickoffId }) => kickoffId)
  io.stderr.write(listOf(`aborted, but still running on the target${how}:`, ids))
}

function listOf(head: string, entries: readonly string[]): string {
  const shown = entries.slice(0, MOST_LISTED).map((entry) => `  ${visibleLine(entry)}\n`)
  const more = entries.length - shown.length
  const rest = more > 0 ? `  ... and ${more} more, in the journal\n` : ''
  return `crewload: ${head}\n${shown.join('')}${rest}`
}
