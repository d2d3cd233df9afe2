/** A run whose journal ends before it did, as those who learn from it tell it. */
import { plural } from '../metrics/format.ts'

export interface Cut {
  /** Executions that were started, and have no end in the journal. */
  open: number
}

export function cutWords({ open }: Cut): string {
  const verb = open === 1 ? 'has' : 'have'
  return (
    `it was cut before its end: ${plural(open, 'execution')} ${verb} no end in its journal, most ` +
    'likely those that take longest'
  )
}
