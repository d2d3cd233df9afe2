/** A host for each resumed instance; they share one journal and one budget. */
import { plural } from '../../result/metrics/format.ts'
import { env as processEnv } from 'node:process'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { ownBudget } from '../../host/budget.ts'
import type { NodeHost } from '../../host/node/index.ts'
import { createNodeHost } from '../../host/node/index.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Journal } from '../../journal/writer.ts'
import type { UnfinishedInstance } from '../../journal/unfinished.ts'
import type { Plan } from '../../scenario/plan.ts'
import { shareOf } from '../../engine/instance-share.ts'
import type { Meters } from '../progress.ts'
import { version } from '../environment/package.ts'
import type { ResumeOptions } from './options.ts'
import { wholeFinished } from './resumed-load.ts'
import type { Survey } from './survey.ts'
import type { FoundCrew } from './find-crew.ts'

interface HostParts {
  crew: FoundCrew
  journal: Journal
  meters: Meters
}

/**
 * The hosts are in the order of `survey.instances`. Throws UserError, and leaves nothing open, for
 * a proxy, header or certificate that cannot be used.
 */
export async function hostsFor(
  survey: Survey,
  plan: Plan,
  options: ResumeOptions,
  { crew, journal, meters }: HostParts,
): Promise<NodeHost[]> {
  const budget = ownBudget({ kickoffs: 0, requests: requestsLeft(survey, plan) })
  const hosts: NodeHost[] = []
  try {
    for (const own of survey.instances) {
      const host = await createNodeHost({
        target: crew.target,
        tokens: crew.place?.tokens ?? [],
        http: {
          ...plan.http,
          maxConnections: shareOf(plan.http.maxConnections, own.run),
          preOpenConnections: 0,
        },
        emit: (line) => keep(journal, line, own, options.onTrouble),
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

function keep(
  journal: Journal,
  line: JournalLine,
  own: UnfinishedInstance,
  onTrouble: ResumeOptions['onTrouble'],
): void {
  const told = line.type === 'finished' ? wholeFinished(line, own) : line
  const isFirst = journal.errors.count === 0
  if (journal.write(told)) return
  const trouble = `the journal cannot be written: ${journal.errors.first}`
  if (isFirst) onTrouble?.(`${trouble}; the run is INVALID, and may be resumed again`)
  throw new Error(trouble)
}

/**
 * The budget of the run minus what it may have spent: a cut loses what was reserved but not used.
 * Null without a budget.
 */
function requestsLeft(
  { requestsSpent, folder, inFlight }: Survey,
  { budget: { requests } }: Plan,
): number | null {
  if (requests === null) return null
  if (requestsSpent > 0 || inFlight === 0) return Math.max(0, requests - requestsSpent)
  const problem =
    `had a budget of ${plural(requests, 'request')}, but its journal does not say how many were spent, ` +
    'so the budget cannot be kept'
  throw new UserError({ source: folder, path: '', problem })
}
