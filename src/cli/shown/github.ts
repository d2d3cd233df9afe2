/** Adds the results of a command to the page of its job on GitHub Actions. */
import { appendFile } from 'node:fs/promises'
import { renderAnnotation } from '../../report/ci/annotation.ts'
import { renderComment } from '../../report/ci/comment.ts'
import type { Report } from '../../report/frame/report.ts'
import { renderMarkdown } from '../../report/frame/render/markdown.ts'
import { utf8Length } from '../../base/utf8.ts'
import { visibleLine } from '../../base/visible.ts'
import type { Io } from '../io/io.ts'

/** GitHub shows no summary of a step that has more than 1 MiB; other commands write to it too. */
const MOST_BYTES = 500_000

/**
 * Outside of GitHub Actions it does nothing. A verdict that is not good becomes an annotation: on
 * stdout, or on stderr where stdout is JSON. The summary is added to the file that
 * GITHUB_STEP_SUMMARY names; one that is too long is replaced by the text of the comment. A file
 * that cannot be written is reported on stderr and changes no exit code.
 */
export async function tellGitHub(
  report: Report,
  { json = false }: { json?: boolean },
  io: Pick<Io, 'env' | 'stdout' | 'stderr'>,
): Promise<void> {
  if (io.env['GITHUB_ACTIONS'] !== 'true') return
  const output = json ? io.stderr : io.stdout
  output.write(renderAnnotation(report))
  const file = io.env['GITHUB_STEP_SUMMARY'] ?? ''
  if (file === '') return
  const summary = renderMarkdown(report)
  const text = utf8Length(summary) > MOST_BYTES ? renderComment(report) : summary
  await appendFile(file, `${text}\n`).catch((error: NodeJS.ErrnoException) => {
    const problem = `the job summary could not be written to ${file} (${error.code})`
    io.stderr.write(`crewload: ${visibleLine(problem)}\n`)
  })
}
