/** What the options for metrics out of a running run demand, before anything is started. */
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { prometheusAddress } from './address.ts'

/** Throws UserError with every mistake. */
export async function demandTelemetry(options: RunOptions): Promise<void> {
  const mistakes = [...inVirtualTime(options), ...unreadable(options)]
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** Hours of virtual time pass in a second: nobody could scrape them, or place them in time. */
function inVirtualTime(options: RunOptions): Mistake[] {
  if (engineOf(options).kind !== 'virtual') return []
  if (options.prometheus === undefined) return []
  const problem =
    'cannot be used with --engine virtual, whose hours pass in a moment: its metrics are in ' +
    'result.json; to watch a run, use --engine node or k6'
  return [{ source: '--prometheus', path: '', problem }]
}

function unreadable({ prometheus }: RunOptions): Mistake[] {
  if (prometheus === undefined) return []
  const address = prometheusAddress(prometheus)
  return 'problem' in address ? [address] : []
}
