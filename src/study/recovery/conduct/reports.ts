/** What a recovery test leaves in its folder. */
import type { RecoveryDocument } from '../document.ts'
import { renderRecoveryHtml } from '../report/html.ts'
import { renderRecoveryMarkdown } from '../report/markdown.ts'
import { writeArtefacts } from '../../../run/folder/folder.ts'
import { REPORT_FILE } from '../../../run/reports.ts'
import { visibleJson } from '../../../base/visible.ts'

const RECOVERY_FILE = 'recovery.json'

/** A full disk must not take the verdict with it: what was said of the failure, or null. */
export async function writeRecovery(
  folder: string,
  document: RecoveryDocument,
): Promise<string | null> {
  try {
    await writeArtefacts(folder, {
      [RECOVERY_FILE]: `${visibleJson(document)}\n`,
      [REPORT_FILE]: renderRecoveryHtml(document),
      'summary.md': renderRecoveryMarkdown(document),
    })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
