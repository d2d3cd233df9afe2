/** A run on the command line: progress on stderr, the result on stdout, and the exit code. */
import { briefOf } from '../../report/run/brief.ts'
import { renderMarkdown } from '../../report/run/markdown.ts'
import { renderTerminal } from '../../report/run/terminal/end.ts'
import type { RunOptions } from '../../run/options.ts'
import type { RunOutcome } from '../../run/run.ts'
import { run } from '../../run/run.ts'
import { visibleJson, visibleLine } from '../../base/visible.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import { Interruption } from '../io/interruption.ts'
import type { Io } from '../io/io.ts'
import { wantsColor } from '../io/io.ts'
import { tellGitHub } from './github.ts'
import { listAbandoned } from './left-behind.ts'
import { createProgress } from '../io/progress.ts'
import { tellUnwritten } from '../io/unwritten.ts'

interface Shown {
  quiet: boolean
  json: boolean
}

type Watching = Required<Pick<RunOptions, 'onNote' | 'onTrouble' | 'onStart' | 'onProgress'>>

/**
 * `start` begins the run with the given hooks. Ctrl-C is handled from the start of its clock on.
 */
export async function watched(
  shown: Shown,
  io: Io,
  start: (watching: Watching) => Promise<RunOutcome>,
): Promise<number> {
  const progress = createProgress(io, shown.quiet)
  const interruption = new Interruption(io)
  try {
    const outcome = await start({
      onNote: (note) => {
        if (!shown.quiet) io.stderr.write(`note: ${visibleLine(note)}\n`)
      },
      onTrouble: (trouble) => io.stderr.write(`crewload: ${visibleLine(trouble)}\n`),
      onStart: (control) => interruption.arm(control),
      onProgress: (live) => progress.show(live),
    })
    progress.clear()
    print(outcome, io, shown)
    const { document } = outcome
    await tellGitHub({ brief: briefOf(document), summary: renderMarkdown(document) }, shown, io)
    if (outcome.unwritten !== null) return EXIT.invalid
    return exitCodeOf(document.verdict.outcome, interruption.happened)
  } finally {
    interruption.disarm()
  }
}

/**
 * Runs the scenario, shows progress on stderr and the result on stdout, and returns the exit code.
 */
export async function runAndShow(
  scenario: string,
  io: Io,
  shown: Shown,
  options: RunOptions,
): Promise<number> {
  return watched(shown, io, async (watching) => run(scenario, { ...options, ...watching }))
}

function print(outcome: RunOutcome, io: Io, shown: Shown): void {
  const { document, folder, abandoned, unwritten } = outcome
  const reportPath = folder === null || unwritten !== null ? null : `${folder}/report.html`
  if (shown.json) io.stdout.write(`${visibleJson(document)}\n`)
  else if (!shown.quiet) {
    const color = wantsColor(io, io.stdout)
    io.stdout.write(renderTerminal(document, { color, width: io.stdout.width, reportPath }))
  }
  tellUnwritten(folder, unwritten, io)
  listAbandoned(abandoned, folder, io)
}
