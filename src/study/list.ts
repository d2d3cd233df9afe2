/**
 * Every study: a line each. `crewload schema` and `crewload report` find them here;
 * `conduct/resumable.ts` says which can be gone on with.
 */
import { agreement } from './agreement/study.ts'
import type { StudyDocument } from './frame/envelope.ts'
import type { Study } from './frame/study.ts'
import { recovery } from './recovery/study.ts'
import { saturation } from './saturation/study.ts'

/** One whose plan and document nobody needs to know closely. */
export type AnyStudy = Study<unknown, StudyDocument>

export const STUDIES: readonly AnyStudy[] = [saturation, recovery, agreement]
