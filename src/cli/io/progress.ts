/**
 * Shows the progress of a run or a study on stderr: a panel redrawn in place on a terminal, a plain
 * line every ten seconds elsewhere.
 */
import { performance } from 'node:perf_hooks'
import type { Step } from '../../base/steps.ts'
import { formatCount } from '../../base/numbers.ts'
import type { LiveProgress } from '../../report/run/terminal/progress.ts'
import {
  flow,
  renderProgress,
  renderProgressLine,
  warningOf,
} from '../../report/run/terminal/progress.ts'
import type { StudyProgress } from '../../study/frame/progress.ts'
import { studyParts } from '../../study/frame/progress.ts'
import type { Output, Io } from './io.ts'
import { wantsColor } from './io.ts'

const PLAIN_EVERY_MS = 10_000

export interface ProgressDisplay {
  show(live: LiveProgress): void
  /** Restores the screen as it was before the panel. */
  clear(): void
}

export function createProgress(io: Io, quiet: boolean): ProgressDisplay {
  if (quiet) return { show: () => {}, clear: () => {} }
  return io.stderr.isTerminal ? panel(io) : plainLines(io.stderr)
}

function panel(io: Io): ProgressDisplay {
  const { draw, clear } = redrawn(io)
  const color = wantsColor(io, io.stderr)
  const lines = new Map<string, string>()
  return {
    show: (live) => {
      const { part } = live
      if (part === undefined) draw(renderProgress(live, { color, width: io.stderr.width - 1 }))
      else draw([...lines.set(part, lineOf(live, io.stderr.width - 1)).values()].join('\n'))
    },
    clear,
  }
}

/** One line for each part of a mix. */
function lineOf(live: LiveProgress, width: number): string {
  return `${live.part}  ${renderProgressLine(live, true)}`.slice(0, width)
}

/** Draws each text in the place of the previous one. */
function redrawn({ stderr }: Pick<Io, 'stderr'>): {
  draw: (text: string) => void
  clear: () => void
} {
  let drawnLines = 0
  const erase = (): string => (drawnLines === 0 ? '' : `\u001B[${drawnLines}F\u001B[0J`)
  return {
    draw: (text) => {
      stderr.write(`${erase()}${text}\n`)
      drawnLines = text.split('\n').length
    },
    clear: () => {
      stderr.write(erase())
      drawnLines = 0
    },
  }
}

function plainLines(output: Output): ProgressDisplay {
  const parts = new Map<string, { nextMs: number; isNews: ReturnType<typeof newsOfRuns> }>()
  return {
    show: (live) => {
      const { part = '', elapsedMs } = live
      const own = parts.get(part) ?? { nextMs: PLAIN_EVERY_MS, isNews: newsOfRuns() }
      parts.set(part, own)
      if (elapsedMs < own.nextMs) return
      own.nextMs = elapsedMs + PLAIN_EVERY_MS
      const name = part === '' ? '' : `${part}  `
      output.write(`${name}${renderProgressLine(live, own.isNews(live))}\n`)
    },
    clear: () => {},
  }
}

/** Whether a line of the log has to warn: once in every run. */
export function newsOfRuns(): (live: LiveProgress, run?: number) => boolean {
  let [last, hasWarned] = [0, false]
  return (live, run = 0) => {
    const isLate = warningOf(live) !== null
    const before = run === last && hasWarned
    last = run
    hasWarned = before || isLate
    return !isLate || !before
  }
}

export interface StudyDisplay {
  show(progress: StudyProgress): void
  /** Shows how far a calculation is, once the trials are over. */
  calculate(step: Step): void
  /** Restores the screen as it was before the panel. */
  clear(): void
}

export function createStudyProgress(io: Io, quiet: boolean): StudyDisplay {
  if (quiet) return { show: () => {}, calculate: () => {}, clear: () => {} }
  return io.stderr.isTerminal ? studyPanel(io) : studyLines(io)
}

/** Formats a step: `strategies replayed: 320 of 640`. */
function stepWords({ what, done, of }: Step): string {
  return `${what}: ${formatCount(done)} of ${formatCount(of)}`
}

function studyPanel(io: Io): StudyDisplay {
  const { draw, clear } = redrawn(io)
  const color = wantsColor(io, io.stderr)
  return {
    show: (progress) => {
      const width = io.stderr.width - 1
      const run = progress.run === null ? [] : [renderProgress(progress.run, { color, width })]
      draw([...flow(studyParts(progress), '   ', width), ...run].join('\n'))
    },
    calculate: (step) => draw(stepWords(step)),
    clear,
  }
}

function studyLines(io: Io): StudyDisplay {
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
        const ofRun = run === null ? [] : [renderProgressLine(run, isNews(run, number))]
        return [...studyParts(progress), ...ofRun].join('  ')
      })
    },
    calculate: (step) => tell(() => stepWords(step)),
    clear: () => {},
  }
}
