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

/** A crew that leaves the processors idle while it is saturated. Its executions take half a second. */
export const PACED = `name: paced
inputs: [topic]
tasks: [{ id: work, agent: Worker, duration: 500ms, output: 100B }]
capacity: { workers: unlimited }
http: { latency: { inputs: 20ms, status: 20ms } }
`
