/**
 * `crewload resume`: polls the executions that a run left in flight until they end, and writes the
 * same artefacts. It sends no kickoffs.
 */
import { endsWithRun, targetOf } from '../../execution/record/crew-place.ts'
import type { CrewPlace } from '../../execution/record/crew-place.ts'
import { UserError } from '../../base/mistakes.ts'
import { plural } from '../../base/numbers.ts'
import type { Plan } from '../../scenario/plan.ts'
import { describePlan, planHash } from '../../scenario/plan-data.ts'
import type { RunOutcome } from '../carry.ts'
import { carried } from '../carry.ts'
import { inFolder } from '../folder/stop.ts'
import { journalIn } from '../folder/stored.ts'
import type { ResumeOptions, RunOptions } from '../options.ts'
import { planOf } from '../plan/prepare.ts'
import { runOptionsAgain } from '../plan/recipe.ts'
import { loaded } from '../scenario/load.ts'
import type { Survey } from './survey.ts'
import { surveyRun } from './survey.ts'
import { env as processEnv } from 'node:process'
import { NONE_MISSING } from '../../crew/inputs/sentences.ts'
import { shareOf } from '../../engine/interface.ts'
import type { IncidentLine } from '../../execution/record/journal-lines.ts'
import type { StopReason } from '../../execution/record/reason.schema.ts'
import { CREW_ENDED } from '../../result/sentences/end-reasons.ts'
import type { Spent } from '../../engine/sending-budget.ts'
import { SendingBudget, NO_LIMITS } from '../../engine/sending-budget.ts'
import type { NodeHost } from '../../host/node/index.ts'
import { createNodeHost } from '../../host/node/index.ts'
import type { UnfinishedInstance } from '../../journal/unfinished.ts'
import type { Ledger } from '../../result/ledger/reconcile.ts'
import type { Body } from '../bodies/body.ts'
import { drive } from '../drive.ts'
import { version } from '../environment/package.ts'
import { linkClocks } from '../fake/clock-link.ts'
import type { LineSink } from '../line-sink.ts'
import type { Listening } from '../bodies/listening.ts'
import { listening } from '../bodies/listening.ts'
import { parseTarget, placeFacts } from '../target/chosen-place.ts'
import { placeNotes } from '../target/place-notes.ts'
import type { OpenPlace } from '../target/open-place.ts'
import { openPlace } from '../target/open-place.ts'
import { preflight, requestsOfPreflight } from '../target/preflight.ts'
import { ResumedLoad, wholeFinished } from './resumed-load.ts'

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
  return inFolder(folder, options, async (given) => {
    const survey = await surveyRun(folder)
    const plan = await planAgain(survey, given)
    if (survey.waiting > 0) given.onNote?.(waitingNote(survey.waiting))
    const body = await openResumedBody(survey, plan, given)
    const order = { options: runOptions(survey, given, body), reports: true }
    try {
      const { ledger: _, ...outcome } = await carried(body, order, { path: folder, journal })
      return { ...outcome, unheard: survey.unheard }
    } finally {
      await body.close()
    }
  })
}

/** As the run had them, at the crew that is polled now; none where nothing is. */
function runOptions(
  { recipe }: Survey,
  given: ResumeOptions,
  { polls, target }: { polls: boolean; target: string },
): RunOptions {
  const { scenario: _, target: __, ...options } = given
  const costPerKickoff = recipe?.options.costPerKickoff
  const command = recipe?.command ?? null
  return {
    ...options,
    ...(polls ? { target } : {}),
    ...(command === null ? {} : { command }),
    ...(costPerKickoff === undefined ? {} : { costPerKickoff }),
  }
}

function waitingNote(waiting: number): string {
  const words = plural(waiting, 'execution')
  return `${words} waited for a person at the deadline: each is asked about once more at least`
}

/** Throws UserError when the scenario cannot be found, or has changed. */
async function planAgain(survey: Survey, options: PlanAgain): Promise<Plan> {
  const found = scenarioAgain(survey, options)
  const { recipe, run, folder } = survey
  const again = runOptionsAgain(recipe, options, folder)
  const made = await planOf(await loaded(found), { seed: run.seed, ...again }, 'measured')
  const source = typeof found === 'string' ? found : 'scenario'
  return samePlan({ ...made, ...recipe?.amended }, run, source)
}

type PlanAgain = Pick<ResumeOptions, 'scenario' | 'headers' | 'set'>

/** Throws UserError when it is not known. */
export function scenarioAgain(
  { recipe, folder }: Pick<Survey, 'recipe' | 'folder'>,
  { scenario }: Pick<ResumeOptions, 'scenario'>,
): string | object {
  const found = scenario ?? recipe?.scenario ?? null
  if (found !== null) return found
  const problem = 'does not say which scenario was run: give it with --scenario FILE'
  throw new UserError({ source: folder, problem })
}

/** Throws UserError for another plan than the one that was run. */
export function samePlan(plan: Plan, run: Survey['run'], source: string): Plan {
  const hash = planHash(describePlan(plan))
  if (hash === run.planHash) return plan
  throw new UserError({
    source,
    found: `plan ${hash}`,
    problem:
      `is not the plan that was run (plan ${run.planHash}): resume needs the scenario ` +
      'unchanged; give another copy with --scenario FILE',
  })
}

/** `sharedBudget`: what all parts of a mix have left together. */
type ResumedOptions = ResumeOptions & Pick<RunOptions, 'sharedBudget'>

interface FoundCrew {
  target: URL
  crew: CrewPlace
  /** Null when there is nothing to poll. */
  place: OpenPlace | null
  /** Why what is in flight cannot be polled; null when it can. */
  unreachable: StopReason | null
}

/** Finds the crew. Sends nothing to a deployment. Throws UserError for what is no base URL. */
export async function openResumedBody(
  survey: Survey,
  plan: Plan,
  options: ResumedOptions,
): Promise<ResumedBody> {
  return new ResumedBody(survey, plan, options, await findCrew(survey, plan, options))
}

async function findCrew(
  { recipe, run, inFlight }: Survey,
  plan: Plan,
  options: ResumeOptions,
): Promise<FoundCrew> {
  const own = recipe?.profile ?? null
  const { place: crew } = run
  const target = parseTarget(options.target ?? targetOf(crew) ?? '')
  if (inFlight === 0) return { target, crew, place: null, unreachable: null }
  if ((endsWithRun(crew) || own !== null) && options.target === undefined) {
    options.onNote?.(
      `${CREW_ENDED}: there is nothing to poll, and what was in flight ends as aborted; ` +
        '--target URL polls another crew',
    )
    return { target, crew, place: null, unreachable: { code: 'crew-ended' } }
  }
  const there = { target: target.href, tokens: options.tokens ?? [] }
  const env = options.env ?? processEnv
  for (const note of placeNotes(placeFacts({ ...there, env }, plan.http.headers)))
    options.onNote?.(note)
  const place = await openPlace(there, plan, env)
  return { target, crew: place.crew, place, unreachable: null }
}

/** The body of a run that is resumed: an engine for each instance that was cut, at its crew. */
class ResumedBody implements Body {
  readonly continues = true
  readonly hasLedger = false
  readonly ownCrew: boolean
  readonly runId: string
  readonly target: string
  /** Whether there is anything to poll. */
  readonly polls: boolean
  readonly #survey: Survey
  readonly #plan: Plan
  readonly #options: ResumedOptions
  readonly #crew: FoundCrew

  constructor(survey: Survey, plan: Plan, options: ResumedOptions, crew: FoundCrew) {
    this.runId = survey.run.runId
    this.target = crew.target.href
    this.polls = crew.place !== null
    this.ownCrew = crew.unreachable !== null
    this.#survey = survey
    this.#plan = plan
    this.#options = options
    this.#crew = crew
  }

  async carry(lineSink: LineSink): Promise<Ledger | null> {
    const hosts = await this.#hosts(lineSink)
    try {
      await this.#preflight(hosts, lineSink)
      const listener = await this.#listening()
      try {
        return await this.#follow(hosts, lineSink, listener)
      } finally {
        await listener?.close()
      }
    } finally {
      for (const host of hosts) await host.close()
    }
  }

  async close(): Promise<void> {
    await this.#crew.place?.close()
  }

  /**
   * A host for each instance, in the order of the survey; they share one journal and one budget.
   * Leaves nothing open where it throws.
   */
  async #hosts(lineSink: LineSink): Promise<NodeHost[]> {
    const { http } = this.#plan
    const { env = processEnv, tls = {}, sharedBudget, tokenSource } = this.#options
    const spent = spentBefore(this.#survey, this.#plan)
    const limits = { kickoffs: 0, requests: this.#plan.budget.requests }
    const whole = new SendingBudget(limits, { spent, whole: sharedBudget })
    const hosts: NodeHost[] = []
    try {
      for (const own of this.#survey.instances) {
        const maxConnections = shareOf(http.maxConnections, own.run)
        const host = await createNodeHost({
          target: this.#crew.target,
          tokens: this.#crew.place?.tokens ?? [],
          ...(tokenSource === undefined ? {} : { tokenSource }),
          http: { ...http, maxConnections, preOpenConnections: 0 },
          emit: (line) => lineSink.keep(line.type === 'finished' ? wholeFinished(line, own) : line),
          budget: new SendingBudget(NO_LIMITS, {
            whole,
            spent: { kickoffs: 0, requests: own.requestsReserved },
          }),
          instance: own.run.instance,
          tellsMemory: hosts.length === 0,
          userAgent: `crewload/${version()}`,
          proxies: env,
          tls,
          onAnswer: (operation, answer) => lineSink.answered(operation, answer),
        })
        hosts.push(host)
      }
      return hosts
    } catch (error) {
      for (const host of hosts) await host.close()
      throw error
    }
  }

  /** It is charged to an instance that is in the journal, if there is one. */
  async #preflight(hosts: readonly NodeHost[], lineSink: LineSink): Promise<void> {
    const { place } = this.#crew
    if (place === null) return
    const { instances } = this.#survey
    const payer = Math.max(
      0,
      instances.findIndex(({ begun }) => begun),
    )
    if (this.#plan.budget.requests !== null) {
      reserveRequests(requestsOfPreflight(place), instances[payer]!, this.#survey, lineSink)
    }
    const { tokenSource, tokensFrom, onNote } = this.#options
    const asked = { ...place, tokenSource, tokensFrom }
    await preflight(hosts[payer]!, this.#plan, asked, this.runId, onNote)
  }

  /** Null, with a note, where the pushes of the run that was cut cannot reach this process. */
  async #listening(): Promise<Listening | null> {
    const { webhooks } = this.#plan
    if (webhooks === undefined || this.#crew.place === null) return null
    const note = (why: string): null => {
      this.#options.onNote?.(`pushes are not received, and not judged from the cut on: ${why}`)
      return null
    }
    if (webhooks.port === 0) {
      return note("the port of the run was the system's choice; webhooks.listen can name one")
    }
    return listening(this.#plan, this.#options, true).catch((error: unknown) => {
      if (error instanceof UserError) return note(error.mistakes[0]!.problem)
      throw error
    })
  }

  /** Follows the executions until the last one ends, then fetches the ledger when there is one. */
  async #follow(
    hosts: readonly NodeHost[],
    { meters }: LineSink,
    listener: Listening | null,
  ): Promise<Ledger | null> {
    const { crew, place, unreachable } = this.#crew
    const host = hosts[0]!
    const tell = (line: IncidentLine): void => host.emit(line)
    const clocks = place === null || place.fake === null ? null : await linkClocks(place.fake)
    const { begun, instances } = this.#survey
    const onBegun = (): void => {
      clocks?.started(host)
      listener?.receive(host, load)
    }
    const plan = listener?.plan ?? this.#plan
    const listens = listener !== null
    const load = new ResumedLoad(plan, { hosts, instances, begun, unreachable, listens, onBegun })
    await drive(plan, load, {
      place: crew,
      lineSink: { meters, refusedInputs: null, recorder: null },
      missingInputs: NONE_MISSING,
      died: null,
      hooks: this.#options,
      abortReason: () => null,
      tell,
    })
    await listener?.linger(null)
    return clocks === null ? null : clocks.finish(this.runId, host.now(), tell)
  }
}

/**
 * What the run may have spent: a cut loses what was reserved but not used. Throws UserError where
 * the journal does not say it, and there is a budget.
 */
function spentBefore(
  { requestsSpent, folder, inFlight }: Survey,
  { budget: { requests } }: Plan,
): Spent {
  if (requests === null || requestsSpent > 0 || inFlight === 0) {
    return { kickoffs: 0, requests: requestsSpent }
  }
  const problem =
    `had a budget of ${plural(requests, 'request')}; its journal does not say how many were spent, ` +
    'so the budget cannot be kept'
  throw new UserError({ source: folder, problem })
}

/**
 * Writes before the preflight what it will have spent. Throws UserError when that cannot be
 * written: after another cut nobody would know of it.
 */
function reserveRequests(
  requests: number,
  { begun, requestsReserved, run: { instance }, lastMicros }: UnfinishedInstance,
  { folder }: Survey,
  lineSink: LineSink,
): void {
  if (!begun) return
  const total = requestsReserved + requests
  try {
    const place = { instance, atMicros: lastMicros, index: null }
    lineSink.keep({ type: 'incident', ...place, incident: { kind: 'requests-reserved', total } })
  } catch (error) {
    const problem = `${(error as Error).message}; without it the budget of requests cannot be kept`
    throw new UserError({ source: folder, problem })
  }
}
