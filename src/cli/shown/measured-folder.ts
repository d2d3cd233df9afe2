/** Folders that are named on the command line: each must hold a run or a study. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../base/mistakes.ts'
import { JOURNAL_FILE } from '../../run/folder/folder.ts'
import { STUDIES } from '../../study/list.ts'

/** Of a folder that is no study's. Throws UserError where it holds no run either. */
export function demandRun(folder: string): void {
  if (existsSync(join(folder, JOURNAL_FILE))) return
  const mistake = (problem: string): UserError =>
    new UserError({ source: folder, path: '', problem })
  if (!existsSync(folder)) throw mistake('is not there; expected the folder of a run or of a study')
  const documents = STUDIES.map(({ name }) => `${name}.json`)
  throw mistake(
    `holds neither a run (${JOURNAL_FILE}) nor a study (study.json, or one of ${documents.join(', ')})`,
  )
}

/** Of a folder without what it takes to go on with a study. Throws UserError where it has one. */
export function demandNoStudy(folder: string): void {
  const study = STUDIES.find(({ name }) => existsSync(join(folder, `${name}.json`)))
  if (study === undefined) return
  const problem = `holds a study (${study.name}) without study.json, by which it could be resumed: begin it anew`
  throw new UserError({ source: folder, path: '', problem })
}
