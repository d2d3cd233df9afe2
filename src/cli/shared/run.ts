/** A run on the command line: progress on stderr, the result on stdout, and the exit code. */
import { visibleLine } from '../../base/visible.ts'
import type { RunOutcome } from '../../run/carry.ts'
import type { MixOutcome } from '../../run/mix/carry.ts'
import type { RunOptions } from '../../run/options.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import { Interruption } from '../io/interruption.ts'
import type { Io } from '../io/io.ts'
import { createProgress } from '../io/progress.ts'
import type { ShownReport } from './report.ts'

type Watching = Required<
  Pick<RunOptions, 'onNote' | 'onTrouble' | 'onStart' | 'onAsked' | 'onProgress'>
>

/**
 * `start` begins the run with the given hooks. Shows progress on stderr and the result on stdout,
 * and returns the exit code. Ctrl-C is handled from the start of its clock on.
 */
export async function watched(
  shown: ShownReport,
  io: Io,
  start: (watching: Watching) => Promise<RunOutcome | MixOutcome>,
): Promise<number> {
  const progress = createProgress(io, shown.quiet === true)
  const interruption = new Interruption(io)
  let ending: Promise<typeof import('./report.ts')> | null = null
  try {
    const outcome = await start({
      onNote: (note) => {
        if (shown.quiet !== true) io.stderr.write(`note: ${visibleLine(note)}\n`)
      },
      onTrouble: (trouble) => io.stderr.write(`crewload: ${visibleLine(trouble)}\n`),
      onStart: (control) => {
        interruption.arm(control)
        // The import does not come before the first request, nor hours later, when an update may
        // have replaced the module.
        ending = import('./report.ts')
        ending.catch(() => {})
      },
      onAsked: (how) => interruption.tell(how),
      onProgress: (live) => progress.show(live),
    })
    progress.clear()
    const { showOutcome } = await (ending ?? import('./report.ts'))
    await showOutcome(outcome, io, shown)
    if (outcome.unwritten !== null) return EXIT.invalid
    return exitCodeOf(outcome.document.verdict.outcome, interruption.happened)
  } finally {
    interruption.disarm()
  }
}
