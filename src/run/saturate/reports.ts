/** What a saturation leaves in its folder. */
import type { SaturationDocument } from '../../analysis/saturation-document.ts'
import { renderSaturationHtml, renderSaturationMarkdown } from '../../report/saturation/index.ts'
import { writeArtefacts } from '../../result/index.ts'
import { REPORT_FILE } from '../reports.ts'
import { visibleJson } from '../../visible.ts'

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
