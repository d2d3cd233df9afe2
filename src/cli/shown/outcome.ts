/** What a run on the command line shows when it has ended: its result, and what it left behind. */
import { runReport } from '../../report/run/report.ts'
import type { RunOutcome } from '../../run/carry.ts'
import type { Io } from '../io/io.ts'
import { tellGitHub } from './github.ts'
import { listAbandoned } from './left-behind.ts'
import type { ShownReport } from './report.ts'
import { showReport } from './report.ts'

export async function showOutcome(outcome: RunOutcome, io: Io, shown: ShownReport): Promise<void> {
  const report = runReport(outcome.document)
  showReport({ ...outcome, report }, shown, io)
  listAbandoned(outcome.abandoned, outcome.folder, io)
  await tellGitHub(report, shown, io)
}
