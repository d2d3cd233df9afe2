/**
 * The Node body in several worker threads: each is an instance of its own; schedule, budget, clock
 * and journal are shared.
 */
import type { MissingInputs } from '../../crew/inputs/words.ts'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env as processEnv } from 'node:process'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { createNodeHost } from '../../host/node/index.ts'
import { createSharedBudget, sharedBudget } from '../../host/node/shared-budget.ts'
import type { Plan } from '../../scenario/plan.ts'
import { needsScenario, portablePlan } from '../../scenario/portable.ts'
import { linkClocks } from '../fake/clock-link.ts'
import { drive } from '../drive.ts'
import type { TemporaryFolder } from '../folder/temporary.ts'
import { temporaryFolder } from '../folder/temporary.ts'
import type { LineSink } from '../line-sink.ts'
import { earlyAbort } from '../early-abort.ts'
import { bundleScenario } from '../scenario/load.ts'
import type { RunOptions } from '../options.ts'
import type { Place } from '../target/place.ts'
import { demandBudget } from '../target/paid.ts'
import { openPlace } from '../target/place.ts'
import { preflight } from '../target/preflight.ts'
import { version } from '../environment/version.ts'
import { tracesOf } from '../telemetry/environment.ts'
import { Team } from '../workers/team.ts'
import { RunWorker } from '../workers/worker.ts'
import type { Body, Carried } from './body.ts'

export async function openWorkersBody(
  workers: number,
  plan: Plan,
  options: RunOptions,
  scenario: string | null,
): Promise<Body> {
  const place = await openPlace(options, plan, options.env ?? processEnv)
  const body = new WorkersBody(place, plan, options)
  try {
    await body.start(workers, scenario)
    return body
  } catch (error) {
    await body.close()
    throw error
  }
}

class WorkersBody implements Body {
  readonly runId = randomBytes(4).toString('hex')
  readonly #place: Place
  readonly #plan: Plan
  readonly #options: RunOptions
  readonly #budget: SharedArrayBuffer
  #workers: readonly RunWorker[] = []
  /** The folder for the journal of a run without a run folder. */
  #scratch: TemporaryFolder | null = null

  constructor(place: Place, plan: Plan, options: RunOptions) {
    this.#place = place
    this.#plan = plan
    this.#options = options
    this.#budget = createSharedBudget(plan.budget)
  }

  get target(): string {
    return this.#place.target.href
  }

  get profile(): string | null {
    return this.#place.profile
  }

  get hasLedger(): boolean {
    return this.#place.fake !== null
  }

  /** Throws UserError when the scenario does not load in a thread. */
  async start(instances: number, scenario: string | null): Promise<void> {
    const portable = portablePlan(this.#plan)
    const common = {
      runId: this.runId,
      instances,
      plan: portable,
      bundle: scenario !== null && needsScenario(portable) ? await bundleScenario(scenario) : null,
      target: this.#place.target.href,
      ownCrew: this.#place.isOwn,
      budget: this.#budget,
      traces: tracesOf(this.#options),
      ...this.#connection(),
    }
    this.#workers = Array.from(
      { length: instances },
      (_, i) => new RunWorker({ ...common, instance: i }),
    )
    await Promise.all(this.#workers.map(async (worker) => worker.loaded()))
  }

  async carry(lineSink: LineSink): Promise<Carried> {
    const missingInputs = await this.#preflight()
    const journal = lineSink.journalPath ?? (await this.#scratchJournal())
    await Promise.all(this.#workers.map(async (worker) => worker.open(journal, missingInputs)))
    const { fake } = this.#place
    const clocks = fake === null ? null : await linkClocks(fake)
    const team = new Team(this.#plan, lineSink, this.#workers, { journal, clocks })
    try {
      await this.#drive(team, lineSink, missingInputs)
      const { abandoned } = team
      const tell = (line: JournalLine): void => team.tell(line)
      const ledger = clocks === null ? null : await clocks.finish(this.runId, team.now(), tell)
      return { ledger, abandoned }
    } finally {
      team.close()
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map(async (worker) => worker.end('the run was aborted')))
    await this.#place.close()
    await this.#scratch?.remove()
  }

  async #drive(team: Team, lineSink: LineSink, missingInputs: MissingInputs): Promise<void> {
    const { target, profile, died } = this.#place
    const { signal, onStart, onProgress } = this.#options
    const lostThreshold = earlyAbort(this.#plan, lineSink.recorder)
    await drive(this.#plan, team, {
      target: target.origin,
      profile,
      lineSink,
      missingInputs,
      died,
      signal,
      onStart,
      onProgress,
      abortReason: (now) => team.lost ?? lostThreshold(now),
      tell: (line) => team.tell(line),
    })
  }

  /** Uses a connection of this thread, and the shared budget. */
  async #preflight(): Promise<MissingInputs> {
    const { http, budget } = this.#plan
    const host = await createNodeHost({
      target: this.#place.target,
      http: { ...http, preOpenConnections: 0 },
      emit: () => {},
      budget: sharedBudget(this.#budget),
      userAgent: `crewload/${version()}`,
      ...this.#connection(),
    })
    try {
      const { onNote } = this.#options
      const missing = await preflight(host, this.#plan, this.#place, this.runId, onNote)
      demandBudget(this.#place, budget)
      return missing
    } finally {
      await host.close()
    }
  }

  #connection() {
    return {
      tokens: this.#place.tokens,
      tls: this.#options.tls ?? {},
      proxies: { ...(this.#options.env ?? processEnv) },
    }
  }

  async #scratchJournal(): Promise<string> {
    this.#scratch = await temporaryFolder('journal')
    const journal = join(this.#scratch.path, 'executions.ndjson')
    await writeFile(journal, '')
    return journal
  }
}
