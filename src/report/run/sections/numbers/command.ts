/** The command that repeats the run; absent when it was started from code. */
import type { RunSection } from '../section.ts'

export const COMMAND: RunSection = {
  chapter: 'All numbers',
  title: 'Run it again',
  blocks: ({ run }) =>
    run.command === null ? [] : [{ kind: 'verbatim', text: run.command, command: true }],
}
