/** The files that a study writes into its folder. */
import { visibleJson } from '../../base/visible.ts'
import { reportFiles } from '../../report/frame/render/files.ts'
import type { StudyDocument } from './envelope.ts'
import type { Study } from './study.ts'
import { reportOf } from './study.ts'

/** The contents by file name. */
export function studyFiles<Plan, Document extends StudyDocument>(
  study: Pick<Study<Plan, Document>, 'name' | 'report'>,
  document: Document,
): Record<string, string> {
  return {
    [`${study.name}.json`]: `${visibleJson(document)}\n`,
    ...reportFiles(reportOf(study, document)),
  }
}
