/**
 * Shows the progress of a study's trials on stderr, with the number of the trial and the state of
 * its run: on a terminal as a panel redrawn in place, elsewhere as a plain line every ten seconds.
 */
import { performance } from 'node:perf_hooks'
import { visibleLine } from '../../base/visible.ts'
import { renderProgress, renderProgressLine } from '../../report/run/terminal/progress.ts'
import type { TrialProgress } from '../../study/frame/trial/trials.ts'
import type { Io } from './io.ts'
import { wantsColor } from './io.ts'
import { PLAIN_EVERY_MS, redrawn } from './progress.ts'

export interface StudyProgress {
  show(progress: TrialProgress): void
  /** Restores the screen as it was before the panel. */
  clear(): void
}

export function createStudyProgress(io: Io, quiet: boolean): StudyProgress {
  if (quiet) return { show: () => {}, clear: () => {} }
  return io.stderr.isTerminal ? panel(io) : plainLines(io)
}

/** For example `trial 3 of 20: seed 44`. */
function words({ trial, number, of }: TrialProgress): string {
  return `trial ${number}${of === null ? '' : ` of ${of}`}: ${visibleLine(trial)}`
}

function panel(io: Io): StudyProgress {
  const { draw, clear } = redrawn(io)
  const color = wantsColor(io, io.stderr)
  return {
    show: (progress) => {
      const width = io.stderr.width - 1
      const run = progress.run === null ? '' : `\n${renderProgress(progress.run, { color, width })}`
      draw(`${words(progress).slice(0, width)}${run}`)
    },
    clear,
  }
}

function plainLines(io: Io): StudyProgress {
  let nextMs = performance.now() + PLAIN_EVERY_MS
  return {
    show: (progress) => {
      const nowMs = performance.now()
      // The run's own clock would not do: virtual time passes as fast as it can.
      if (nowMs < nextMs) return
      nextMs = nowMs + PLAIN_EVERY_MS
      const run = progress.run === null ? '' : `  ${renderProgressLine(progress.run)}`
      io.stderr.write(`${words(progress)}${run}\n`)
    },
    clear: () => {},
  }
}
