/** A host for each instance that is gone on with, with one journal and one budget between them. */
import { env as processEnv } from 'node:process'
import type { JournalLine } from '../../execution/journal.ts'
import { ownBudget } from '../../host/budget.ts'
import type { NodeHost } from '../../host/node/index.ts'
import { createNodeHost } from '../../host/node/index.ts'
import { UserError } from '../../mistakes.ts'
import type { Journal } from '../../result/index.ts'
import type { InstanceRemains } from '../../result/remains.ts'
import type { Plan } from '../../scenario/plan.ts'
import { shareOfConnections } from '../connections.ts'
import type { Meters } from '../meters.ts'
import { version } from '../version.ts'
import type { ResumeOptions } from './options.ts'
import { wholeFinished } from './rescue.ts'
import type { Survey } from './survey.ts'
import type { Whereabouts } from './whereabouts.ts'

interface Parts {
  crew: Whereabouts
  journal: Journal
  meters: Meters
}

/** In the order of `survey.instances`. Throws UserError, with nothing left open, for a proxy, header or certificate that cannot be used. */
export async function hostsFor(
  survey: Survey,
  plan: Plan,
  options: ResumeOptions,
  { crew, journal, meters }: Parts,
): Promise<NodeHost[]> {
  const budget = ownBudget({ kickoffs: 0, requests: requestsLeft(survey, plan, options) })
  const hosts: NodeHost[] = []
  try {
    for (const own of survey.instances) {
      const host = await createNodeHost({
        target: crew.target,
        tokens: crew.place?.tokens ?? [],
        http: { ...shareOfConnections(plan.http, own.run), preOpenConnections: 0 },
        emit: (line) => keep(journal, line, own),
        budget,
        instance: own.run.instance,
        tellsMemory: hosts.length === 0,
        userAgent: `crewload/${version()}`,
        proxies: options.env ?? processEnv,
        tls: options.tls ?? {},
        onAnswer: (operation, answer) => meters.answered(operation, answer),
      })
      hosts.push(host)
    }
    return hosts
  } catch (error) {
    for (const host of hosts) await host.close()
    throw error
  }
}

function keep(journal: Journal, line: JournalLine, own: InstanceRemains): void {
  const told = line.type === 'finished' ? wholeFinished(line, own) : line
  if (!journal.write(told))
    throw new Error(`the journal cannot be written: ${journal.errors.first}`)
}

/**
 * Polls stand in the journal when their execution ends: what was sent for those in flight nobody knows, so that a budget of requests cannot be kept
 * to the last one without a new word. Null without a budget.
 */
function requestsLeft(
  { requests: sent, folder, inFlight }: Survey,
  { budget: { requests } }: Plan,
  { maxRequests }: ResumeOptions,
): number | null {
  if (requests === null) return maxRequests ?? null
  const most = Math.max(0, requests - sent)
  if (maxRequests !== undefined) return Math.min(maxRequests, most)
  if (inFlight === 0) return 0
  throw new UserError({
    source: folder,
    path: '',
    problem: `had a budget of ${requests} requests, of which ${sent} at least are spent, and how many more for the executions in flight its journal does not know: say with --max-requests how many may follow`,
  })
}
