/** What a run on the command line shows when it has ended: its result, and what it left behind. */
import { visibleJson } from '../../base/visible.ts'
import { briefOf } from '../../report/run/brief.ts'
import { renderMarkdown } from '../../report/run/markdown.ts'
import { renderTerminal } from '../../report/run/terminal/end.ts'
import type { RunOutcome } from '../../run/carry.ts'
import type { Io } from '../io/io.ts'
import { wantsColor } from '../io/io.ts'
import { tellUnwritten } from '../io/unwritten.ts'
import { tellGitHub } from './github.ts'
import { listAbandoned } from './left-behind.ts'

export interface Shown {
  quiet: boolean
  json: boolean
}

export async function showOutcome(outcome: RunOutcome, io: Io, shown: Shown): Promise<void> {
  print(outcome, io, shown)
  const { document } = outcome
  await tellGitHub({ brief: briefOf(document), summary: renderMarkdown(document) }, shown, io)
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
