/** One instance of a run in a worker thread, with its own engine on its own Node host. */
import type { MissingInputs } from '../../crew/inputs/words.ts'
import type { Answer, Operation } from '../../crew/answer.ts'
import type { Engine } from '../../engine/engine.ts'
import { createEngine } from '../../engine/engine.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import type { SharedZero } from '../../host/node/clock.ts'
import type { NodeHost } from '../../host/node/index.ts'
import { createNodeHost } from '../../host/node/index.ts'
import { sharedBudget } from '../../host/node/shared-budget.ts'
import type { Journal } from '../../journal/writer.ts'
import { joinJournal } from '../../journal/writer.ts'
import type { Plan } from '../../scenario/plan.ts'
import { shareOfConnections } from '../connections.ts'
import { requestsOfPreflight } from '../target/preflight.ts'
import { runLine } from '../run-line.ts'
import { version } from '../environment/version.ts'
import type { Assignment, Order, Report, ServedColumns } from './messages.ts'
import { PULSE_EVERY_MS } from './messages.ts'

/**
 * Opens the connections and creates the engine. Throws UserError for a proxy or certificate that
 * cannot be used.
 */
export async function openInstance(
  plan: Plan,
  assignment: Assignment,
  { journal: journalPath, missingInputs }: Omit<Extract<Order, { kind: 'open' }>, 'kind'>,
  say: (report: Report) => void,
): Promise<Instance> {
  const journal = joinJournal(journalPath)
  const served = new Served()
  const keep = (line: JournalLine): void => {
    if (journal.write(line)) return
    const why = String(journal.errors.first)
    say({ kind: 'unwritten', line, why })
    throw new Error(`the journal cannot be written: ${why}`)
  }
  const host = await createNodeHost({
    target: assignment.target,
    tokens: assignment.tokens,
    http: shareOfConnections(plan.http, assignment),
    emit: keep,
    budget: sharedBudget(assignment.budget),
    instance: assignment.instance,
    tellsMemory: assignment.instance === 0,
    userAgent: `crewload/${version()}`,
    traces: assignment.traces,
    proxies: assignment.proxies,
    tls: assignment.tls,
    onAnswer: (operation, answer) => served.saw(operation, answer),
  })
  return new Instance(plan, assignment, { host, journal, served, missingInputs, say })
}

interface Parts {
  host: NodeHost
  journal: Journal
  served: Served
  missingInputs: MissingInputs
  say: (report: Report) => void
}

export class Instance {
  readonly #plan: Plan
  readonly #assignment: Assignment
  readonly #parts: Parts
  readonly #engine: Engine
  #pulse: NodeJS.Timeout | undefined

  constructor(plan: Plan, assignment: Assignment, parts: Parts) {
    const { runId, instance, instances } = assignment
    this.#plan = plan
    this.#assignment = assignment
    this.#parts = parts
    this.#engine = createEngine(plan, parts.host, {
      runId,
      instance,
      instances,
      missingInputs: parts.missingInputs,
      requestsSpent: instance === 0 ? requestsOfPreflight(assignment) : 0,
      onDone: () => void this.#end(),
    })
  }

  begin(zero: SharedZero): void {
    const { runId, instance, instances, target, ownCrew } = this.#assignment
    const { host } = this.#parts
    const { anchorUnixMs } = zero
    const origin = { runId, instance, instances, target, ownCrew, anchorUnixMs }
    host.startClockAt(zero)
    host.emit(runLine(this.#plan, { ...origin, engine: 'node' }))
    this.#pulse = setInterval(() => this.#tellPulse(), PULSE_EVERY_MS)
    this.#engine.start()
  }

  stop(how: 'drain' | 'now', reason: string | undefined): void {
    this.#engine.stop(how, reason)
  }

  #tellPulse(): void {
    const { say, served } = this.#parts
    say({ kind: 'pulse', queued: this.#engine.stats().queued, ...served.take() })
  }

  async #end(): Promise<void> {
    clearInterval(this.#pulse)
    const { host, journal, say } = this.#parts
    this.#tellPulse()
    await host.close()
    journal.close()
    say({ kind: 'ended' })
  }
}

/** Requests since the last pulse. */
class Served {
  #kickoffs = noColumns()
  #polls = noColumns()

  saw(operation: Operation, answer: Answer): void {
    if (operation === 'inputs') return
    const { micros, answer: told, sent } = operation === 'kickoff' ? this.#kickoffs : this.#polls
    const { releasedMicros, sentMicros, doneMicros } = answer.timing
    micros.push(doneMicros - (sentMicros ?? releasedMicros))
    told.push(answer.kind === 'answer' ? answer.status : answer.class)
    sent.push(sentMicros !== null)
  }

  take(): { kickoffs: ServedColumns; polls: ServedColumns } {
    const taken = { kickoffs: this.#kickoffs, polls: this.#polls }
    this.#kickoffs = noColumns()
    this.#polls = noColumns()
    return taken
  }
}

function noColumns(): ServedColumns {
  return { micros: [], answer: [], sent: [] }
}
