/**
 * Shows the progress of a run on stderr: a panel redrawn in place on a terminal, a plain line every
 * ten seconds elsewhere.
 */
import type { LiveProgress } from '../../report/run/terminal/progress.ts'
import { renderProgress, renderProgressLine } from '../../report/run/terminal/progress.ts'
import type { Output, Io } from './io.ts'
import { wantsColor } from './io.ts'

export const PLAIN_EVERY_MS = 10_000

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
  return {
    show: (live) => draw(renderProgress(live, { color, width: io.stderr.width - 1 })),
    clear,
  }
}

/** Draws each text in the place of the previous one. */
export function redrawn({ stderr }: Pick<Io, 'stderr'>): {
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
  let nextMs = PLAIN_EVERY_MS
  const isNews = newsOfRuns()
  return {
    show: (live) => {
      if (live.elapsedMs < nextMs) return
      nextMs = live.elapsedMs + PLAIN_EVERY_MS
      output.write(`${renderProgressLine(live, isNews(live))}\n`)
    },
    clear: () => {},
  }
}

/** Whether a line of the log has to tell the alarms of its run: each once for every run. */
export function newsOfRuns(): (live: LiveProgress, run?: number) => boolean {
  let [last, warned] = [0, 0]
  return ({ warnings: { length } }, run = 0) => {
    const before = run === last ? warned : 0
    last = run
    warned = Math.max(before, length)
    return length === 0 || length > before
  }
}
