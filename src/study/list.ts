/**
 * Every study, one line each, with what conducts it. `crewload schema`, `report` and `resume` use
 * this list.
 */
import { capacity } from './capacity/study.ts'
import { comparison } from './comparing/comparison/study.ts'
import type { Conducting, StudyOptions, StudyOutcome } from './frame/conduct/conducting.ts'
import type { StudyRecipe } from './frame/conduct/recipe.ts'
import type { ResumeStudyOptions } from './frame/conduct/resume.ts'
import type { StudyDocument } from './frame/envelope.ts'
import type { AnyStudy, Study } from './frame/study.ts'
import { gate } from './comparing/gate/study.ts'
import { history } from './comparing/history/study.ts'
import { limits } from './limits/study.ts'
import { polling } from './polling/study.ts'
import { recovery } from './recovery/study.ts'
import { saturation } from './saturation/study.ts'
import { twin } from './twin/study.ts'

interface ListedStudy {
  study: AnyStudy
  resume: (
    folder: string,
    recipe: StudyRecipe,
    given: ResumeStudyOptions,
  ) => Promise<StudyOutcome<StudyDocument>>
}

/** What conducts it is loaded when it is resumed. */
function listed<Options extends StudyOptions<Plan>, Design, Plan, Document extends StudyDocument>(
  study: Study<Plan, Document>,
  load: () => Promise<{ conducting: Conducting<Options, Design, Plan, Document> }>,
): ListedStudy {
  return {
    study,
    resume: async (...asked) => {
      const { resumeStudy } = await import('./frame/conduct/resume.ts')
      const { conducting } = await load()
      return resumeStudy(conducting, ...asked)
    },
  }
}

export const LISTED: readonly ListedStudy[] = [
  listed(saturation, async () => import('./saturation/conduct/conduct.ts')),
  listed(recovery, async () => import('./recovery/conduct/conduct.ts')),
  listed(limits, async () => import('./limits/conduct/conduct.ts')),
  listed(polling, async () => import('./polling/conduct/conduct.ts')),
  listed(capacity, async () => import('./capacity/conduct/conduct.ts')),
  listed(comparison, async () => import('./comparing/comparison/conduct.ts')),
  listed(gate, async () => import('./comparing/gate/conduct/conduct.ts')),
  listed(history, async () => import('./comparing/history/conduct.ts')),
  listed(twin, async () => import('./twin/conduct/conduct.ts')),
]

export const STUDIES: readonly AnyStudy[] = LISTED.map(({ study }) => study)
