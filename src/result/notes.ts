/** What a run told of itself, in sentences: as findings, and as reasons not to trust it. */
import { unreachable } from '../base/assert.ts'
import { formatDuration } from '../base/units.ts'
import type { RunNote } from '../execution/record/notes.ts'
import { formatCount } from './metrics/format.ts'
import type { RunFinding, RunReason } from './findings-and-reasons.ts'
import { findingOf } from './findings-and-reasons.ts'

/** Without those that make a run INVALID, and those of budgets, which the verdict explains. */
export function noteFindings(notes: readonly RunNote[]): RunFinding[] {
  return notes.flatMap((note) => noteFinding(note) ?? [])
}

function noteFinding(note: RunNote): RunFinding | null {
  switch (note.code) {
    case 'budget-spent':
    case 'generator-failed':
    case 'machine-short':
      return null
    case 'ledger-missing': {
      const why = `the ledger of the fake crew could not be fetched (${note.error})`
      return findingOf('ledger-missing', `${why}: nothing of this run was compared with it`)
    }
    case 'marks-missing':
      return findingOf(
        'marks-missing',
        `the fake crew no longer has its oldest ${formatCount(note.marks)} marks: what its ` +
          `faults touched in the first ${formatDuration(note.untilMicros)} of the run is missing ` +
          'from the counts of touched answers',
      )
    case 'telemetry-lost':
    case 'k6-ended':
      return findingOf(note.code, note.what)
    default:
      return unreachable(note)
  }
}

/** Reasons for INVALID: the generator, not the target, was at fault. */
export function noteReasons(notes: readonly RunNote[]): RunReason[] {
  const code = 'generator-error'
  return notes.flatMap((note): RunReason[] => {
    if (note.code === 'generator-failed') {
      const remedy = 'fix the scenario if the error comes from it; otherwise report it as a bug'
      return [{ code, message: `crewload itself failed: ${note.error}`, remedy }]
    }
    if (note.code !== 'machine-short') return []
    const remedy = 'raise the limit of open files with "ulimit -n", or lower connections.max'
    const message = `this machine ran out of what a connection needs: ${note.error}`
    return [{ code, message, remedy }]
  })
}
