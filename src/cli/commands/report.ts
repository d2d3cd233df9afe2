/** `crewload report`: shows again what was measured. */
import type { MainCommand } from '../command.ts'
import { merge } from './report/merge.ts'
import { render } from './report/render.ts'

export const report: MainCommand = {
  name: 'report',
  group: 'Files and CI',
  description: 'rewrite the reports of a run, or merge the results of several instances',
  help: `Without a command it renders: crewload report <run>. For a run that was cut, use
crewload report render --recover <run>.
`,
  commands: [render, merge],
}
