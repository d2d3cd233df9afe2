/** What a saturation leaves in its folder. */
import type { SaturationDocument } from '../document.ts'
import { renderSaturationHtml } from '../report/html.ts'
import { renderSaturationMarkdown } from '../report/markdown.ts'
import { writeArtefacts } from '../../../run/folder/folder.ts'
import { REPORT_FILE } from '../../../run/reports.ts'
import { visibleJson } from '../../../base/visible.ts'

const SATURATION_FILE = 'saturation.json'

/** A full disk must not take the verdict with it: what was said of the failure, or null. */
export async function writeSaturation(
  folder: string,
  document: SaturationDocument,
): Promise<string | null> {
  try {
    await writeArtefacts(folder, {
      [SATURATION_FILE]: `${visibleJson(document)}\n`,
      [REPORT_FILE]: renderSaturationHtml(document),
      'summary.md': renderSaturationMarkdown(document),
    })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
