/** Shows what the reader of a pull request must know in five seconds, about a run or a study. */
import type { Headline, Report, Table } from '../frame/report.ts'
import { blocksOn, startWords } from '../frame/report.ts'

/** Texts may contain what a target said: each renderer escapes them for its medium. */
export interface Brief {
  headline: Headline
  /** For example `comparison`, or the name of a scenario. */
  title: string
  /** What decided, and what else went wrong, in sentences. */
  reasons: readonly string[]
  /** The table that shows it; null when there is none. */
  table: Table | null
  /** The origin of the measurement: where, when, and by which version. */
  origin: { name: string; target: string; when: string; tool: string }
  /** The command that repeats it; null when it was not started from the command line. */
  command: string | null
}

/** The table of this brief is the first that `summary.md` shows. */
export function briefOfReport(report: Report): Brief {
  const { headline, title, reasons, findings, sections, origin, command } = report
  const blocks = sections.flatMap((section) => blocksOn(section, 'markdown'))
  return {
    headline,
    title,
    reasons: [...reasons, ...findings.map(({ message }) => message)],
    table: blocks.find((block) => block.kind === 'table') ?? null,
    origin: {
      name: (origin.name ?? 'Target').toLowerCase(),
      target: origin.target,
      when: startWords(origin),
      tool: origin.tool,
    },
    command,
  }
}
