/** The options of a study's runs, from the options of the study. */
import type { Engine, EngineName, RunOptions } from '../../../run/options.ts'
import type { StudyOptions } from './conducting.ts'

/** With the hooks through which the study tells its caller. Nothing is written by the runs. */
export function trialOptions<Plan>(
  { run = {}, onNote, onTrouble, command }: StudyOptions<Plan>,
  engine: Engine | EngineName,
): RunOptions {
  return {
    ...run,
    ...(onNote === undefined ? {} : { onNote }),
    ...(onTrouble === undefined ? {} : { onTrouble }),
    ...(command === undefined ? {} : { command }),
    engine,
    out: false,
  }
}
