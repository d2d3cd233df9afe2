/** Studies that a test stops, and goes on with. */
import type { RunControl } from '../../src/run/index.ts'
import type { Conducting, StudyOptions } from '../../src/study/frame/conduct/conducting.ts'
import { readStudyRecipe } from '../../src/study/frame/conduct/recipe.ts'
import type { ResumeStudyOptions } from '../../src/study/frame/conduct/resume.ts'
import { resumeStudy } from '../../src/study/frame/conduct/resume.ts'
import type { StudyDocument } from '../../src/study/frame/envelope.ts'

/** `onStart` is for the options of a study, which `stop` then stops. */
export function stopper() {
  let control: RunControl | null = null
  return {
    onStart: (given: RunControl): void => void (control = given),
    stop: (how: 'drain' | 'now' = 'drain'): void => control?.stop(how),
  }
}

/** The document of the study in this folder, once it has gone on. */
export async function resumed<
  Options extends StudyOptions<Plan>,
  Design,
  Plan,
  Document extends StudyDocument,
>(
  conducting: Conducting<Options, Design, Plan, Document>,
  folder: string | null,
  given: ResumeStudyOptions = {},
): Promise<Document> {
  const recipe = await readStudyRecipe(folder!)
  return (await resumeStudy(conducting, folder!, recipe!, given)).document
}
