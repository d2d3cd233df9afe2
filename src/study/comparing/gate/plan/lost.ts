/** Says that a baseline is gone of which the history still tells. */
import { plural } from '../../../../result/metrics/format.ts'

/** Empty if the history tells of no gate before: then there was no baseline yet. */
export function lostWords({ gates }: { gates: number }): string {
  if (gates === 0) return ''
  return `; its history has ${plural(gates, 'gate')}, so a baseline was removed, or lost from a cache`
}
