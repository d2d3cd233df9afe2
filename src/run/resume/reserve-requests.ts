/**
 * Reserves the requests of a resumption's preflight in a budget: like all spending, they are
 * written to the journal before they are sent.
 */
import { UserError } from '../../base/mistakes.ts'
import type { Journal } from '../../journal/writer.ts'
import type { UnfinishedInstance } from '../../journal/unfinished.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { Survey } from './survey.ts'

/**
 * Returns the instances of `survey` with `requests` more charged to one that is in the journal.
 * Without a budget nothing changes. Throws UserError when the reservation cannot be written: after
 * another cut nobody would know of it.
 */
export function reserveRequests(
  requests: number,
  { instances, folder }: Pick<Survey, 'instances' | 'folder'>,
  { budget }: Pick<Plan, 'budget'>,
  journal: Journal,
): readonly UnfinishedInstance[] {
  const payer = instances.find(({ begun }) => begun)
  if (budget.requests === null || payer === undefined) return instances
  const total = payer.requestsReserved + requests
  const written = journal.write({
    type: 'finding',
    instance: payer.run.instance,
    atMicros: payer.lastMicros,
    index: null,
    finding: { kind: 'requests-reserved', total },
  })
  if (!written) {
    const problem =
      `the journal cannot be written: ${journal.errors.first}; ` +
      'without it the budget of requests cannot be kept'
    throw new UserError({ source: folder, path: '', problem })
  }
  return instances.map((own) => (own === payer ? { ...own, requestsReserved: total } : own))
}
