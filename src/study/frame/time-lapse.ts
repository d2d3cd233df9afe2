/** Recorded runs of a time-lapse: their times are read together only at one speed. */
import { UserError } from '../../base/mistakes.ts'
import { z } from 'zod'
import { lapseWords } from '../../base/numbers.ts'
import type { FindingRow } from '../../result/sentence-tables.ts'
import { finding } from '../../result/sentence-tables.ts'

interface Lapsed {
  folder: string
  reader: { speed: number }
}

/** Throws UserError for runs at several speeds. `source`: the flag that names them. */
export function oneSpeed(runs: readonly Lapsed[], source: string): number {
  const [speed = 1, ...others] = new Set(runs.map(({ reader }) => reader.speed))
  if (others.length === 0) return speed
  const found = runs.map(({ folder, reader }) => `${folder}: ${reader.speed}`).join('; ')
  const problem = `expected runs at one speed, for their times are wall times (found ${found})`
  throw new UserError({ source, problem })
}

const WALL_TIMES = 'All times here are wall times'

/** Says once what a second stands for, and which `times` are shown; null at real speed. */
export function lapseNote(speed: number, times = WALL_TIMES): string | null {
  const words = lapseWords(speed)
  return words === null ? null : `The runs were a time-lapse: ${words}. ${times}`
}

const lapse = { speed: z.number().describe('By which all times were divided') }

/** The finding of a study of a time-lapse. `times`: which times it shows. */
export function timeLapse(times = WALL_TIMES): FindingRow<typeof lapse> {
  return finding(
    'info',
    lapse,
    ({ speed }) => `The runs were a time-lapse: ${lapseWords(speed)}. ${times}`,
  )
}

/** Null at real speed. */
export function lapseOf(speed: number): { speed: number } | null {
  return speed === 1 ? null : { speed }
}
