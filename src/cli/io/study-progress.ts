/**
 * Shows the progress of a study on stderr: the number of the trial and the state of its run, then
 * the progress of a long calculation. On a terminal it is a panel redrawn in place, elsewhere a
 * plain line every ten seconds.
 */
import { performance } from 'node:perf_hooks'
import type { Step } from '../../base/steps.ts'
import { visibleLine } from '../../base/visible.ts'
import { formatCount } from '../../report/frame/format.ts'
import { renderProgress, renderProgressLine } from '../../report/run/terminal/progress.ts'
import type { TrialProgress } from '../../study/frame/trial/trials.ts'
import type { Io } from './io.ts'
import { wantsColor } from './io.ts'
import { newsOfRuns, PLAIN_EVERY_MS, redrawn } from './progress.ts'

export interface StudyProgress {
  show(progress: TrialProgress): void
  /** Shows how far a calculation is, once the trials are over. */
  calculate(step: Step): void
  /** Restores the screen as it was before the panel. */
  clear(): void
}

export function createStudyProgress(io: Io, quiet: boolean): StudyProgress {
  if (quiet) return { show: () => {}, calculate: () => {}, clear: () => {} }
  return io.stderr.isTerminal ? panel(io) : plainLines(io)
}

/** For example `trial 3 of 20: seed 44`. */
function words({ trial, number, of }: TrialProgress): string {
  return `trial ${number}${of === null ? '' : ` of ${of}`}: ${visibleLine(trial)}`
}

/** Formats a step: `strategies replayed: 320 of 640`. */
function stepWords({ what, done, of }: Step): string {
  return `${what}: ${formatCount(done)} of ${formatCount(of)}`
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
    calculate: (step) => draw(stepWords(step)),
    clear,
  }
}

function plainLines(io: Io): StudyProgress {
  let nextMs = performance.now() + PLAIN_EVERY_MS
  const tell = (line: () => string): void => {
    const nowMs = performance.now()
    // The run's own clock would not do: virtual time passes as fast as it can.
    if (nowMs < nextMs) return
    nextMs = nowMs + PLAIN_EVERY_MS
    io.stderr.write(`${line()}\n`)
  }
  const isNews = newsOfRuns()
  return {
    show: (progress) => {
      tell(() => {
        const { run, number } = progress
        const told = run === null ? '' : `  ${renderProgressLine(run, isNews(run, number))}`
        return `${words(progress)}${told}`
      })
    },
    calculate: (step) => tell(() => stepWords(step)),
    clear: () => {},
  }
}
