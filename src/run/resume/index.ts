/**
 * `crewload resume`: polls the executions that a run left in flight until they end, and writes the
 * same artefacts. It sends no kickoffs.
 */
import { plural } from '../../result/metrics/format.ts'
import { NONE_MISSING } from '../../crew/inputs/words.ts'
import { env as processEnv, versions } from 'node:process'
import type { NodeHost } from '../../host/node/index.ts'
import { lockFolder } from '../folder/lock.ts'
import type { Journal } from '../../journal/writer.ts'
import { continueJournal } from '../../journal/writer.ts'
import { mergeRuns } from '../merge.ts'
import { journalIn } from '../folder/stored.ts'
import type { Plan } from '../../scenario/plan.ts'
import { linkClocks } from '../fake/clock-link.ts'
import { drive } from '../drive.ts'
import { JournalLost } from '../errors.ts'
import { Meters } from '../progress.ts'
import { proxyWords } from '../target/chosen-place.ts'
import { preflight, requestsOfPreflight } from '../target/preflight.ts'
import { tryReports } from '../reports.ts'
import type { RunOutcome } from '../carry.ts'
import { hostsFor } from './hosts.ts'
import type { ResumeOptions } from './options.ts'
import { ResumedLoad } from './resumed-load.ts'
import type { Survey } from './survey.ts'
import { surveyRun } from './survey.ts'
import type { FoundCrew } from './find-crew.ts'
import { findCrew } from './find-crew.ts'
import { thisMachine } from '../environment/machine.ts'
import { UserError } from '../../base/mistakes.ts'
import type { UnfinishedInstance } from '../../journal/unfinished.ts'
import { describePlan, planHash } from '../../scenario/plan-data.ts'
import type { RunOptions } from '../options.ts'
import { makePlan } from '../plan/prepare.ts'
export type { ResumeOptions } from './options.ts'

export interface ResumeOutcome extends RunOutcome {
  /**
   * Correlation ids of kickoffs whose answer was never received: each may have started an execution
   * that nobody follows.
   */
  unheard: readonly string[]
}

/**
 * `folder` is the folder of a run that was killed, or stopped while executions were still running
 * on the target. Those are polled until they end, under the plan of the run and on its clock.
 * Kickoffs without an answer end as `aborted`; arrivals that were never sent count as not reached.
 * The point is to use money already spent: no kickoff is sent. Everything is appended to the run's
 * own journal, so a resumption can itself be cut and resumed any number of times.
 *
 * Throws UserError for the user's mistakes, for a folder in use, and for a run with nothing left;
 * TargetError as `run` does, with nothing changed except what the preflight took from a budget of
 * requests; JournalLost when the folder was removed meanwhile.
 */
export async function resume(folder: string, options: ResumeOptions = {}): Promise<ResumeOutcome> {
  const journal = await journalIn(folder)
  const hold = await lockFolder(folder)
  try {
    const survey = await surveyRun(folder)
    const plan = await planAgain(survey, options)
    if (survey.waiting > 0) options.onNote?.(waitingNote(survey.waiting))
    const crew = await findCrew(survey, plan, options)
    const kept = continueJournal(journal)
    try {
      const outcome = await resumeIn(survey, plan, options, { crew, journal: kept })
      return { ...outcome, unheard: survey.unheard }
    } finally {
      kept.close()
      await crew.place?.close()
    }
  } finally {
    await hold.release()
  }
}

function waitingNote(waiting: number): string {
  const words = plural(waiting, 'execution')
  return `${words} waited for a person at the deadline: each is asked about once more at least`
}

interface ResumedParts {
  crew: FoundCrew
  journal: Journal
}

async function resumeIn(
  survey: Survey,
  plan: Plan,
  options: ResumeOptions,
  { crew, journal }: ResumedParts,
): Promise<RunOutcome> {
  const { folder, run, recipe } = survey
  const meters = new Meters()
  const hosts = await hostsFor(survey, plan, options, { crew, journal, meters })
  try {
    let { instances } = survey
    if (crew.place !== null) {
      instances = reserveRequests(requestsOfPreflight(crew.place), survey, plan, journal)
      await preflight(hosts[0]!, plan, crew.place, run.runId, options.onNote)
    }
    const { begun } = survey
    const load = new ResumedLoad(plan, { hosts, instances, begun, unreachable: crew.unreachable })
    const ledger = await follow(load, plan, options, { crew, meters, hosts, runId: run.runId })
    journal.close()
    const abandoned = crew.unreachable === null ? load.abandoned : []
    const document = await mergeRuns([journal.path], {
      ledger,
      profile: crew.profile,
      command: recipe?.command ?? null,
      costPerKickoff: recipe?.options.costPerKickoff ?? null,
      node: versions.node,
      machine: thisMachine(),
      proxy:
        crew.place === null
          ? null
          : proxyWords({ target: crew.target.href, env: options.env ?? processEnv }),
    }).catch((error: unknown) => {
      const running = abandoned.map(({ kickoffId }) => kickoffId)
      throw new JournalLost(folder, error, running)
    })
    return { ...(await tryReports(folder, document, ledger)), folder, abandoned }
  } finally {
    for (const host of hosts) await host.close()
    meters.close()
  }
}

interface Stage {
  crew: FoundCrew
  meters: Meters
  hosts: readonly NodeHost[]
  runId: string
}

/** Follows the executions until the last one ends, then fetches the ledger when there is one. */
async function follow(
  load: ResumedLoad,
  plan: Plan,
  { signal, onStart, onProgress }: ResumeOptions,
  { crew, meters, hosts, runId }: Stage,
) {
  const fake = crew.place?.fake ?? null
  const clocks = fake === null ? null : await linkClocks(fake)
  await drive(
    plan,
    {
      now: () => load.now(),
      stats: () => load.stats(),
      stop: (how, reason) => load.stop(how, reason),
      begin: () => {
        load.begin()
        if (hosts[0] !== undefined) clocks?.started(hosts[0])
      },
      ended: load.ended,
    },
    {
      target: crew.target.origin,
      profile: crew.profile,
      lineSink: { meters, refusedInputs: null, recorder: null },
      missingInputs: NONE_MISSING,
      died: null,
      signal,
      onStart,
      onProgress,
      abortReason: () => null,
      tell: (line) => hosts[0]?.emit(line),
    },
  )
  const [host] = hosts
  if (clocks === null || host === undefined) return null
  return clocks.finish(runId, host.now(), (line) => host.emit(line))
}

/**
 * Returns the instances of `survey` with `requests` more charged to one that is in the journal.
 * Without a budget nothing changes. Throws UserError when the reservation cannot be written: after
 * another cut nobody would know of it.
 */
function reserveRequests(
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

/** Throws UserError when the scenario cannot be found, or has changed. */
async function planAgain(
  survey: Survey,
  { scenario, headers = {} }: Pick<ResumeOptions, 'scenario' | 'headers'>,
): Promise<Plan> {
  const { recipe, run, folder } = survey
  const found = scenario ?? recipe?.scenario ?? null
  if (found === null) {
    throw mistake(folder, 'does not say which scenario was run: give it with --scenario FILE')
  }
  const missing = (recipe?.headers ?? []).filter((name) => !Object.hasOwn(headers, name))
  if (missing.length > 0) {
    const names = missing.map((name) => `--header '${name}: ...'`).join(' ')
    throw mistake(folder, `was run with headers whose values are stored nowhere: give ${names}`)
  }
  const made = await makePlan(found, { seed: run.seed, ...optionsOf(survey), headers })
  const plan: Plan = { ...made, ...recipe?.amended }
  const hash = planHash(describePlan(plan))
  if (hash === run.planHash) return plan
  throw new UserError({
    source: typeof found === 'string' ? found : 'scenario',
    path: '',
    found: `plan ${hash}`,
    problem:
      `is not the plan that was run (plan ${run.planHash}): resume needs the scenario ` +
      'unchanged; give another copy with --scenario FILE',
  })
}

function optionsOf({ recipe }: Survey): RunOptions {
  return recipe?.options ?? {}
}

function mistake(folder: string, problem: string): UserError {
  return new UserError({ source: folder, path: '', problem })
}
