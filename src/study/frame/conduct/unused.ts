/** Tells what a run's folder has that a study does not use. */
import { formatMistake } from '../../../base/mistakes.ts'
import type { StoredRun } from '../../../run/folder/stored.ts'
import type { StudyOptions } from './conducting.ts'

export type Notices = Pick<StudyOptions<never>, 'onNote'>

export function tellUnused({ unused }: StoredRun, { onNote }: Notices): void {
  for (const mistake of unused) onNote?.(formatMistake(mistake))
}
