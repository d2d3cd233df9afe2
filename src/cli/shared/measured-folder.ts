/** Checks folders that are named on the command line: each must contain a run or a study. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../base/mistakes.ts'
import { JOURNAL_FILE } from '../../run/folder/folder.ts'
import { STUDIES } from '../../study/list.ts'

/** Throws UserError if a folder without a study contains no run either. */
export function demandRun(folder: string): void {
  if (existsSync(join(folder, JOURNAL_FILE))) return
  const mistake = (problem: string): UserError => new UserError({ source: folder, problem })
  if (!existsSync(folder))
    throw mistake('does not exist; expected the folder of a run or of a study')
  const documents = STUDIES.map(({ name }) => `${name}.json`)
  throw mistake(
    `contains neither a run (${JOURNAL_FILE}) nor a study ` +
      `(study.json, or one of ${documents.join(', ')})`,
  )
}

/** Throws UserError if a folder without the files to continue a study contains one. */
export function demandNoStudy(folder: string): void {
  const study = STUDIES.find(({ name }) => existsSync(join(folder, `${name}.json`)))
  if (study === undefined) return
  const problem =
    `contains a study (${study.name}) without study.json, which a resumption needs: ` +
    'start the study again'
  throw new UserError({ source: folder, problem })
}
