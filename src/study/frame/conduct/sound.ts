/** Whether a study could learn from runs, for a plan that reads none of their executions. */
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError } from '../../../base/mistakes.ts'
import { readSound } from '../../../journal/audit.ts'
import { journalIn } from '../../../run/folder/stored.ts'

/** Throws UserError with the damage of each journal. */
export async function demandSound(folders: readonly string[]): Promise<void> {
  const mistakes: Mistake[] = []
  for (const folder of folders) {
    try {
      await readSound(await journalIn(folder), () => {})
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      mistakes.push(...error.mistakes)
    }
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
}
