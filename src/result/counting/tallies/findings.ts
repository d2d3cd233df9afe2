/**
 * Counts what was observed outside the times of any execution: broken rules, reasons, clock steps,
 * journal errors and notes.
 */
import type { ReasonCount } from '../../document.ts'
import type { Observations, RuleObservation, ScenarioErrors } from '../../observations.ts'
import type {
  FindingLine,
  ResumedLine,
  TargetProbed,
} from '../../../execution/record/journal-lines.ts'
import type { RunNote } from '../../../execution/record/notes.ts'
import type { EndReason } from '../../../execution/record/reason.ts'
import type { ExecutionRecord, Outcome, Violation } from '../../../execution/record/record.ts'
import type { MissingInputs } from '../../../crew/inputs/words.ts'
import { NONE_MISSING } from '../../../crew/inputs/words.ts'
import { unreachable } from '../../../base/assert.ts'
import type { TargetLoss } from '../../../scenario/target-loss.ts'
import type { Micros } from '../../../base/units.ts'
import { ID_UNIQUE } from '../../../crew/contract/kickoff.ts'
import { BoundedByText, FirstOnes } from './bounded-stores.ts'
import { excerptOf } from '../../../crew/excerpt.ts'
import { longHashText } from '../../../base/random.ts'
import { HashedNumbers } from '../../../base/collections/hashed-numbers.ts'

/**
 * Counts failures of the scenario's own functions, warm-up included: inputs and tags that could not
 * be made, checks that threw.
 */
export class ScenarioErrorsTally {
  #arrivals = 0
  readonly #unmade = new Map<string, { count: number; first: Example }>()
  readonly #checks = new Map<string, { calls: number; count: number; first: Example | null }>()

  record(record: ExecutionRecord): void {
    this.#arrivals++
    const { reason, checks } = record
    if (reason?.code === 'author-error') this.#unmadeFor(record.index, reason)
    for (const name in checks) this.#checked(record.index, name, checks[name]!)
  }

  /** Failures by the name of the function. */
  get errors(): ScenarioErrors[] {
    const unmade = [...this.#unmade].map(([part, { count, first }]): ScenarioErrors => ({
      part,
      count,
      calls: this.#arrivals,
      first,
    }))
    const checks = [...this.#checks].flatMap(([name, { calls, count, first }]): ScenarioErrors[] =>
      first === null ? [] : [{ part: `checks.${name}`, count, calls, first }],
    )
    return [...unmade, ...checks].sort((a, b) => (a.part < b.part ? -1 : 1))
  }

  #unmadeFor(index: number, { part, text }: AuthorError): void {
    const known = this.#unmade.get(part)
    const first = earlier(known?.first ?? null, { index, message: text })
    this.#unmade.set(part, { count: (known?.count ?? 0) + 1, first })
  }

  #checked(index: number, name: string, result: boolean | string): void {
    let known = this.#checks.get(name)
    if (known === undefined) {
      known = { calls: 0, count: 0, first: null }
      this.#checks.set(name, known)
    }
    known.calls++
    if (typeof result !== 'string') return
    known.count++
    known.first = earlier(known.first, { index, message: result })
  }
}

type AuthorError = Extract<EndReason, { code: 'author-error' }>
type Example = ScenarioErrors['first']

function earlier(known: Example | null, found: Example): Example {
  return known === null || found.index < known.index ? found : known
}

/**
 * About 8 MB. In a run with more ids only a share is watched, half of them, a quarter and so on:
 * those with the lowest hashes, so the same ids are watched in whatever order they come, and every
 * occurrence of a watched id is seen.
 */
const MOST_IDS = 262_144
const HASHES = 2 ** 53

interface Repeated {
  kickoffId: string
  indexes: Set<number>
}

/**
 * Ids are identified by a hash of 53 bits: among all watched ids, two collide with a probability of
 * 4 in a million.
 */
export class KickoffIds {
  readonly #most: number
  /** The execution that received the id. */
  readonly #indexes = new HashedNumbers()
  readonly #repeated = new Map<number, Repeated>()
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
  get broken(): RuleObservation | null {
    let count = 0
    let example: RuleObservation['example'] | null = null
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

interface SeenAt {
  atMicros: Micros
  index: number
  kickoffId: string | null
}

export class FindingsTally {
  clockSteps = 0
  journalErrors = 0
  /** The error of the first line that could not be written; null if no instance reports one. */
  journalTrouble: string | null = null
  readonly #rules = new Map<string, RuleObservation>()
  readonly #ids = new KickoffIds()
  #hasAccepted = false
  #missing: MissingInputs = NONE_MISSING
  readonly #resumed = new Set<number>()
  #cutMicros: Micros | null = null
  #wasCut = false
  readonly #reasons = new Map<Outcome, BoundedByText<CountedReason>>()
  readonly #warmUp: Partial<Record<Outcome, number>> = {}
  readonly #losses: TargetLoss[] = []
  readonly #probes = new Map<number, TargetProbed & { atMicros: Micros }>()
  readonly #notes = new FirstOnes<{ atMicros: Micros; note: RunNote }>(
    NOTES_KEPT,
    (a, b) => a.atMicros - b.atMicros || (sortedText(a.note) < sortedText(b.note) ? -1 : 1),
  )

  line({ finding, atMicros, index, instance }: FindingLine): void {
    switch (finding.kind) {
      case 'violation':
        this.violation(finding.violation, { atMicros, index: index ?? -1, kickoffId: null })
        break
      case 'confirmation':
      case 'requests-reserved':
      case 'time-reserved':
      case 'inputs-refused':
        break
      case 'target-lost':
        this.#losses.push(finding.loss)
        break
      case 'target-probed':
        this.#probed(instance, { ...finding, atMicros })
        break
      case 'clock-step':
        this.clockSteps++
        break
      case 'journal-error':
        this.journalErrors++
        this.journalTrouble ??= finding.message
        break
      case 'inputs-missing':
        if (this.#missing.names.length === 0) this.#missing = finding
        break
      case 'note':
        this.#notes.offer({ atMicros, note: finding.note })
        break
      default:
        unreachable(finding)
    }
  }

  violation({ rule, example }: Violation, place: SeenAt): void {
    const known = this.#rules.get(rule)
    const seen = { ...place, seen: example }
    if (known === undefined) {
      this.#rules.set(rule, { count: 1, example: seen })
      return
    }
    known.count++
    if (isBefore(seen, known.example)) known.example = seen
  }

  /** A kickoff received this id. */
  accepted(kickoffId: string, index: number): void {
    this.#hasAccepted = true
    this.#ids.note(kickoffId, index)
  }

  /** The number of violations of each rule. */
  get rules(): ReadonlyMap<string, RuleObservation> {
    const { broken } = this.#ids
    return broken === null ? this.#rules : new Map([...this.#rules, [ID_UNIQUE.name, broken]])
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
    this.#warmUp[outcome] = (this.#warmUp[outcome] ?? 0) + 1
  }

  /** The losses of the target, at most one for each instance, in order of time. */
  get losses(): TargetLoss[] {
    return this.#losses.toSorted((a, b) => a.sinceMicros - b.sinceMicros)
  }

  /**
   * The findings of each instance at its end. A resumed instance ended twice; the later end counts.
   */
  get probes(): Observations['probes'] {
    return [...this.#probes]
      .sort(([a], [b]) => a - b)
      .map(([instance, { usable, probes, last }]) => ({ instance, usable, probes, last }))
  }

  #probed(instance: number, found: TargetProbed & { atMicros: Micros }): void {
    const known = this.#probes.get(instance)
    if (known !== undefined && known.atMicros >= found.atMicros) return
    this.#probes.set(instance, found)
  }

  resumed({ cutMicros, indexes, waiting = 0 }: ResumedLine): void {
    if (waiting === 0 || waiting < indexes.length) this.#wasCut = true
    this.#cutMicros = Math.min(this.#cutMicros ?? Infinity, cutMicros)
    for (const index of indexes) this.#resumed.add(index)
  }

  get resumption(): Pick<Observations, 'resumed' | 'cutMicros' | 'wasCut'> {
    return { resumed: this.#resumed.size, cutMicros: this.#cutMicros, wasCut: this.#wasCut }
  }

  get ofWarmUp(): Pick<Observations, 'warmUpArrivals' | 'warmUpAborted' | 'warmUpOutcomes'> {
    const warmUpArrivals = Object.values(this.#warmUp).reduce((sum, count) => sum + count, 0)
    const warmUpAborted = this.#warmUp.aborted ?? 0
    return { warmUpArrivals, warmUpAborted, warmUpOutcomes: this.#warmUp }
  }

  get notes(): Pick<Observations, 'notes' | 'missingInputs'> {
    return {
      notes: this.#notes.items.map(({ note }) => note),
      missingInputs: { ...this.#missing, hasAccepted: this.#hasAccepted },
    }
  }

  /** The most frequent first; all after the first twenty are summed up under null. */
  reasons(outcomes: Record<Outcome, number>): Observations['reasons'] {
    return Object.fromEntries(
      [...this.#reasons]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([outcome, kept]) => [outcome, ranked(kept.values, outcomes[outcome])]),
    )
  }
}

/** The order of instances, and of files to merge, changes nothing in the result. */
function sortedText(note: RunNote): string {
  return JSON.stringify(note)
}

function isBefore(a: RuleObservation['example'], b: RuleObservation['example']): boolean {
  if (a.atMicros !== b.atMicros) return a.atMicros < b.atMicros
  return a.index !== b.index ? a.index < b.index : a.seen < b.seen
}

function ranked(counts: ReadonlyMap<string, CountedReason>, total: number): ReasonCount[] {
  const shown = [...counts]
    .sort(([a, { count: ofA }], [b, { count: ofB }]) => ofB - ofA || (a < b ? -1 : 1))
    .slice(0, REASONS_SHOWN)
    .map(([, counted]) => counted)
  const other = total - shown.reduce((sum, { count }) => sum + count, 0)
  return other > 0 ? [...shown, { reason: null, count: other }] : shown
}
