/** Compares runs that a reader chose, by the study that `crewload compare` conducts. */
import { renderPage } from '../report/frame/render/page.ts'
import { conducting } from '../study/comparing/comparison/conduct.ts'
import { conductStudy } from '../study/frame/conduct/conduct.ts'
import { reportOf } from '../study/frame/study.ts'

/** The page of the comparison; nothing is written. Rejects with a UserError. */
export async function comparisonPage(
  base: readonly string[],
  next: readonly string[],
): Promise<string> {
  const { document } = await conductStudy(conducting, { base, new: next, out: false })
  return renderPage(reportOf(conducting.study, document))
}
