/**
 * Counts what was observed outside the times of any execution: broken rules, reasons, clock steps,
 * journal errors and notes.
 */
import { unreachable } from '../../../base/assert.ts'
import { HashedNumbers } from '../../../base/collections/hashed-numbers.ts'
import { longHashText } from '../../../base/random.ts'
import type { Micros } from '../../../base/units.ts'
import { ID_UNIQUE } from '../../../crew/contract/kickoff.ts'
import { excerptOf } from '../../../crew/excerpt.ts'
import type { MissingInputs } from '../../../crew/inputs/sentences.ts'
import { NONE_MISSING } from '../../../crew/inputs/sentences.ts'
import type {
  IncidentLine,
  ResumedLine,
  TargetProbed,
} from '../../../execution/record/journal-lines.ts'
import type { RunNote } from '../../../execution/record/notes.ts'
import type { EndReason } from '../../../execution/record/reason.schema.ts'
import type { ExecutionRecord, Outcome, Violation } from '../../../execution/record/record.ts'
import type { TargetLoss } from '../../../scenario/target-loss.ts'
import type { EndReasonCount } from '../../document.ts'
import type { ScenarioErrors } from '../../document-parts.schema.ts'
import { BoundedByText, FirstOnes } from '../../../base/collections/bounded-stores.ts'

/**
 * Counts failures of the scenario's own functions, warm-up included: inputs and tags that could not
 * be made, checks that threw.
 */
export class ScenarioErrorsTally {
  #arrivals = 0
  readonly #calls = new Map<string, number>()
  readonly #failed = new Map<string, Pick<ScenarioErrors, 'count' | 'first'>>()

  record({ index, reason, checks }: ExecutionRecord): void {
    this.#arrivals++
    if (reason?.code === 'author-error') this.#fail(reason.part, index, reason.text)
    for (const name in checks) {
      const part = `checks.${name}`
      const result = checks[name]!
      this.#calls.set(part, (this.#calls.get(part) ?? 0) + 1)
      if (typeof result === 'string') this.#fail(part, index, result)
    }
  }

  /** Failures by the name of the function. */
  get errors(): ScenarioErrors[] {
    return [...this.#failed]
      .map(([part, { count, first }]) => ({
        part,
        per: this.#calls.has(part) ? ('execution' as const) : ('arrival' as const),
        count,
        first,
        calls: this.#calls.get(part) ?? this.#arrivals,
      }))
      .sort((a, b) => (a.part < b.part ? -1 : 1))
  }

  #fail(part: string, index: number, message: string): void {
    const known = this.#failed.get(part) ?? { count: 0, first: { index, message } }
    this.#failed.set(part, known)
    known.count++
    if (index < known.first.index) known.first = { index, message }
  }
}

export interface RuleCount {
  count: number
  /** The first by time, then index. */
  example: { atMicros: Micros; index: number; kickoffId: string | null; seen: string }
}

/**
 * About 8 MB. In a run with more ids only a share is watched, half of them, a quarter and so on:
 * those with the lowest hashes, so the same ids are watched in whatever order they come, and every
 * occurrence of a watched id is seen.
 */
const MOST_IDS = 262_144
const HASHES = 2 ** 53

/**
 * Detects a kickoff id that is assigned twice, over all instances and workers, in memory that does
 * not grow with the run. Ids are identified by a hash of 53 bits: among all watched ids, two
 * collide with a probability of 4 in a million.
 */
export class KickoffIds {
  readonly #most: number
  /** The execution that received the id. */
  readonly #indexes = new HashedNumbers()
  readonly #repeated = new Map<number, { kickoffId: string; indexes: Set<number> }>()
  #below = HASHES

  /** `most`: the maximum number of ids that are watched. */
  constructor(most = MOST_IDS) {
    this.#most = most
  }

  /** May be called more than once for one execution. */
  note(kickoffId: string, index: number): void {
    const hash = longHashText(kickoffId)
    if (hash >= this.#below) return
    const known = this.#indexes.getOrSet(hash, index)
    if (known === undefined) {
      while (this.#indexes.size > this.#most) this.#watchFewer()
    } else if (known !== index) {
      const repeated = this.#repeated.get(hash) ?? { kickoffId, indexes: new Set([known]) }
      this.#repeated.set(hash, repeated)
      repeated.indexes.add(index)
    }
  }

  /**
   * The number of violations, one for each execution after the first with the same id; null for
   * none.
   */
  get broken(): RuleCount | null {
    let count = 0
    let example: RuleCount['example'] | null = null
    for (const { kickoffId, indexes } of this.#repeated.values()) {
      const [first = 0, second = 0] = [...indexes].sort((a, b) => a - b)
      count += indexes.size - 1
      if (example !== null && example.index <= second) continue
      const seen = `kickoff_id: ${excerptOf(kickoffId)} again, as of execution ${first}`
      example = { atMicros: 0, index: second, kickoffId, seen }
    }
    return example === null ? null : { count, example }
  }

  #watchFewer(): void {
    this.#below /= 2
    this.#indexes.keepBelow(this.#below)
    for (const hash of this.#repeated.keys()) {
      if (hash >= this.#below) this.#repeated.delete(hash)
    }
  }
}

const REASONS_KEPT = 1_000
const REASONS_SHOWN = 20
const NOTES_KEPT = 20

interface CountedReason {
  reason: EndReason
  count: number
}

export class IncidentsTally {
  clockSteps = 0
  journalErrors = 0
  /** The error of the first line that could not be written; null if no instance reports one. */
  journalTrouble: string | null = null
  /** When the run was first cut before it was resumed; null if it was not. */
  cutMicros: Micros | null = null
  /** False where a resumption only asked again about executions that waited for people. */
  wasCut = false
  readonly resumed = new Set<number>()
  /** How often each occurred; outcomes that never occurred are missing. */
  readonly warmUpOutcomes: Partial<Record<Outcome, number>> = {}
  readonly #rules = new Map<string, RuleCount>()
  readonly #ids = new KickoffIds()
  #missing: MissingInputs = NONE_MISSING
  #hasAccepted = false
  readonly #reasons = new Map<Outcome, BoundedByText<CountedReason>>()
  readonly #losses: TargetLoss[] = []
  readonly #probes = new Map<number, TargetProbed & { atMicros: Micros }>()
  readonly #notes = new FirstOnes<{ atMicros: Micros; note: RunNote }>(
    NOTES_KEPT,
    // The order of instances, and of files to merge, changes nothing in the result.
    (a, b) => a.atMicros - b.atMicros || (JSON.stringify(a.note) < JSON.stringify(b.note) ? -1 : 1),
  )

  line({ incident, atMicros, index, instance }: IncidentLine): void {
    switch (incident.kind) {
      case 'violation':
        this.violation(incident.violation, { atMicros, index: index ?? -1, kickoffId: null })
        break
      case 'confirmation':
      case 'requests-reserved':
      case 'time-reserved':
      case 'inputs-refused':
        break
      case 'target-lost':
        this.#losses.push(incident.loss)
        break
      case 'target-probed':
        // A resumed instance ended twice; the later end counts.
        if (atMicros > (this.#probes.get(instance)?.atMicros ?? -Infinity)) {
          this.#probes.set(instance, { ...incident, atMicros })
        }
        break
      case 'clock-step':
        this.clockSteps++
        break
      case 'journal-error':
        this.journalErrors++
        this.journalTrouble ??= incident.message
        break
      case 'inputs-missing':
        if (this.#missing.names.length === 0) this.#missing = incident
        break
      case 'note':
        this.#notes.offer({ atMicros, note: incident.note })
        break
      default:
        unreachable(incident)
    }
  }

  violation({ rule, example }: Violation, place: Omit<RuleCount['example'], 'seen'>): void {
    const seen = { ...place, seen: example }
    const known = this.#rules.get(rule) ?? { count: 0, example: seen }
    this.#rules.set(rule, known)
    known.count++
    if (isBefore(seen, known.example)) known.example = seen
  }

  /** A kickoff received this id. */
  accepted(kickoffId: string, index: number): void {
    this.#hasAccepted = true
    this.#ids.note(kickoffId, index)
  }

  reason({ outcome, reason }: ExecutionRecord): void {
    if (reason === null) return
    const kept = this.#reasons.get(outcome) ?? new BoundedByText(REASONS_KEPT)
    this.#reasons.set(outcome, kept)
    const entry = kept.at(JSON.stringify(reason), () => ({ reason, count: 0 }))
    if (entry !== undefined) entry.count++
  }

  /** Counts the outcome of a warm-up arrival. */
  warmUp({ outcome }: ExecutionRecord): void {
    this.warmUpOutcomes[outcome] = (this.warmUpOutcomes[outcome] ?? 0) + 1
  }

  resume({ cutMicros, indexes, waiting = 0 }: ResumedLine): void {
    if (waiting === 0 || waiting < indexes.length) this.wasCut = true
    this.cutMicros = Math.min(this.cutMicros ?? Infinity, cutMicros)
    for (const index of indexes) this.resumed.add(index)
  }

  /** The violations of each rule. */
  get rules(): ReadonlyMap<string, RuleCount> {
    const { broken } = this.#ids
    return broken === null ? this.#rules : new Map([...this.#rules, [ID_UNIQUE.name, broken]])
  }

  /** The losses of the target, at most one for each instance, in order of time. */
  get losses(): TargetLoss[] {
    return this.#losses.toSorted((a, b) => a.sinceMicros - b.sinceMicros)
  }

  /** By instance. */
  get probes(): TargetProbed[] {
    return [...this.#probes].sort(([a], [b]) => a - b).map(([, probed]) => probed)
  }

  get notes(): RunNote[] {
    return this.#notes.items.map(({ note }) => note)
  }

  get missingInputs(): MissingInputs & { hasAccepted: boolean } {
    return { ...this.#missing, hasAccepted: this.#hasAccepted }
  }

  /** The most frequent first; all after the first twenty are summed up under null. */
  reasons(outcomes: Record<Outcome, number>): Partial<Record<Outcome, EndReasonCount[]>> {
    return Object.fromEntries(
      [...this.#reasons]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([outcome, kept]) => [outcome, ranked(kept.values, outcomes[outcome])]),
    )
  }
}

function isBefore(a: RuleCount['example'], b: RuleCount['example']): boolean {
  if (a.atMicros !== b.atMicros) return a.atMicros < b.atMicros
  return a.index !== b.index ? a.index < b.index : a.seen < b.seen
}

function ranked(counts: ReadonlyMap<string, CountedReason>, total: number): EndReasonCount[] {
  const shown = [...counts]
    .sort(([a, { count: ofA }], [b, { count: ofB }]) => ofB - ofA || (a < b ? -1 : 1))
    .slice(0, REASONS_SHOWN)
    .map(([, counted]) => counted)
  const other = total - shown.reduce((sum, { count }) => sum + count, 0)
  return other > 0 ? [...shown, { reason: null, count: other }] : shown
}
