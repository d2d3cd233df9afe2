/** Compares the client's account of the executions with the fake crew's ledger. */
import type { LedgerRow } from '../../crew/ledger.ts'
import type { Outcome } from '../../execution/record/record.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { formatDuration } from '../../base/numbers.ts'
import type { ClockMapping } from '../clock.ts'
import { toRunClock } from '../clock.ts'
import type { FaultAccount } from './faults.ts'
import { arrivalOf } from './faults.ts'
import type { LedgerDisagreement, LedgerResult } from '../document.ts'
import { DISAGREEMENTS } from '../document-parts.schema.ts'
import type { Sample } from '../statistics/sample.ts'
import type { OwnTimes } from './shared-waits.ts'
import { ownTimesOf } from './shared-waits.ts'

export interface Ledger {
  rows: readonly LedgerRow[]
  clock: ClockMapping
  /** Missing if the crew does not report it. */
  faults?: FaultAccount
}

/** One accepted or answered execution as the client saw it, to be compared with the ledger. */
export interface Claim {
  index: number
  instance: number
  kickoffId: string | null
  outcome: Outcome
  outputHash: string | null
  /** Each as `name=value`. */
  tags: readonly string[]
  warmUp: boolean
  /** The true end lies in (after, by]; null if no poll saw it. */
  endedAfterMicros: Micros | null
  endedByMicros: Micros | null
  /**
   * The first of the consecutive answers that did not find it, until it was considered lost; null
   * for any other outcome.
   */
  missingByMicros: Micros | null
  /** When the client stopped following it, because it ended or was given up. */
  endedMicros: Micros
}

/** The largest error of an instance's times on the run's clock, caused by its anchor. */
export type AnchorError = (instance: number) => Micros

/** The facts that only the ledger knows. */
export interface Reconciliation {
  result: LedgerResult
  rowById: ReadonlyMap<string, LedgerRow>
  /** The detection delays of the measured window, by index: true end to when the client knew. */
  detection: readonly DetectedEnd[]
  /**
   * Kickoffs of the measured window that got no id but ran to an end, of which the client never
   * learned.
   */
  unlearned: number
  /**
   * Times of executions in the measured window, according to the ledger: from acceptance to the
   * start by a worker, and from there to the end.
   */
  queueMicros: readonly Micros[]
  runningMicros: readonly Micros[]
  /** Of those that completed; empty where executions share nothing but workers. */
  ownTimes: readonly OwnTimes[]
}

/**
 * The ledger with the result of comparing the claims with it; its times are samples of the measured
 * window.
 */
export interface LedgerEvidence {
  ledger: Ledger
  reconciliation: Reconciliation
  queue: Sample
  running: Sample
  /** The kinds of which `running` consists; null where executions share nothing but workers. */
  shared: Readonly<Record<'quota' | 'slowed' | 'own', Sample>> | null
}

export interface DetectedEnd {
  index: number
  micros: Micros
  /** Each as `name=value`. */
  tags: readonly string[]
}

type DisagreementKind = LedgerDisagreement['kind']
const EXAMPLES = 5

/**
 * Compares each claim with the ledger's row of the same kickoff id. Rows of other runs, recognised
 * by their correlation `<run id>/<index>`, are ignored. A claim whose id is not that of a row of
 * its own arrival, although there is one, was given a wrong id. Another row of this run that no
 * claim names is a `duplicate` if its arrival has a row that is named. It is explained if the
 * client left the kickoff unanswered (`unknown` or `aborted`: it may have started, and did) or the
 * arrival is one of `open`, by index: started, and left without a record by a crash. Otherwise it
 * is `unrecorded`. The claims use the clock that the ledger is mapped to; an end may lie outside
 * its interval by the error of the mapping and of the instance. What the client could not learn
 * contradicts nothing; nor does what the ledger may have dropped: if its first row is not that of
 * the first execution, the crew keeps only the latest.
 */
export function reconcile(
  claims: readonly Claim[],
  ledger: Ledger,
  runId: string,
  anchorError: AnchorError = () => 0,
  open: ReadonlySet<number> = new Set(),
): Reconciliation {
  const byIndex = claims.toSorted((a, b) => a.index - b.index)
  const rowById = new Map(ledger.rows.map((row) => [row.kickoff_id, row]))
  const account = new LedgerAccount(ledger.clock, anchorError)
  const unclaimed = unclaimedRows(byIndex, ledger.rows, runId)
  const isCut = (ledger.rows[0]?.ordinal ?? 0) > 0
  for (const claim of byIndex) {
    if (claim.kickoffId === null) continue
    const row = rowById.get(claim.kickoffId)
    const other = row === undefined ? null : arrivalOf(row.correlation, runId)
    const isOther = other !== null && other !== claim.index
    const own = row === undefined || isOther ? unclaimed.get(claim.index)?.shift() : undefined
    if (row === undefined && own === undefined && isCut) continue
    if (own === undefined && !isOther) account.compare(claim, row)
    else account.add('wrong-id', claim.index, claim.kickoffId, wrongId(own, other))
  }
  findUnclaimed(byIndex, unclaimed, open, account)
  return {
    result: {
      rows: ownRows(byIndex, ledger.rows, runId),
      clockErrorMs: account.errorMicros / MICROS_PER_MS,
      agreed: account.agreed,
      disagreements: account.disagreements(),
      endIntervals: account.endIntervals,
      starts: account.starts,
    },
    rowById,
    detection: account.detection,
    unlearned: account.unlearned,
    queueMicros: account.queueMicros,
    runningMicros: account.runningMicros,
    ownTimes: account.ownTimes,
  }
}

/**
 * An end outside its interval points to a clock, an execution forgotten after its end to the
 * retention, and one that was hidden while a person was asked to the scenario: none makes the
 * ledger wrong.
 */
const NOT_WRONG: ReadonlySet<DisagreementKind> = new Set([
  'end-outside-interval',
  'forgotten',
  'asked',
])

/** Claims that the ledger contradicts. */
export function wrongInLedger({ rows, disagreements }: LedgerResult): {
  wrong: number
  rows: number
} {
  const wrong = disagreements.filter(({ kind }) => !NOT_WRONG.has(kind))
  return { wrong: wrong.reduce((sum, { count }) => sum + count, 0), rows }
}

class LedgerAccount {
  agreed = 0
  /** The largest tolerance of any claim. */
  errorMicros: Micros
  readonly endIntervals = { checked: 0, contained: 0 }
  readonly starts = { started: 0, givenUp: 0 }
  readonly detection: DetectedEnd[] = []
  unlearned = 0
  readonly queueMicros: Micros[] = []
  readonly runningMicros: Micros[] = []
  readonly ownTimes: OwnTimes[] = []
  readonly #clock: ClockMapping
  readonly #anchorError: AnchorError
  readonly #found = new Map<DisagreementKind, LedgerDisagreement>()

  constructor(clock: ClockMapping, anchorError: AnchorError) {
    this.#clock = clock
    this.#anchorError = anchorError
    this.errorMicros = clock.errorMicros
  }

  compare(claim: Claim, row: LedgerRow | undefined): void {
    const found =
      row === undefined ? lost(claim) : (this.#contradiction(claim, row) ?? this.#end(claim, row))
    if (row !== undefined && !claim.warmUp) this.#collectStages(claim, row)
    if (found === null) this.agreed++
    else this.add(found.kind, claim.index, claim.kickoffId ?? '', found.detail)
  }

  add(kind: DisagreementKind, index: number, kickoffId: string, detail: string): void {
    const entry = this.#found.get(kind) ?? { kind, count: 0, examples: [] }
    entry.count++
    if (entry.examples.length < EXAMPLES) entry.examples.push({ index, kickoffId, detail })
    this.#found.set(kind, entry)
  }

  disagreements(): LedgerDisagreement[] {
    return DISAGREEMENTS.flatMap((kind) => this.#found.get(kind) ?? [])
  }

  #collectStages(claim: Claim, row: LedgerRow): void {
    const { accepted_ms, started_ms, ended_ms } = row
    if (started_ms === null) return
    this.starts.started++
    const allowed = this.#clock.errorMicros + this.#anchorError(claim.instance)
    const lateMicros = toRunClock(started_ms, this.#clock) - claim.endedMicros
    if (GIVEN_UP.has(claim.outcome) && lateMicros > allowed) this.starts.givenUp++
    this.queueMicros.push(Math.round((started_ms - accepted_ms) * MICROS_PER_MS))
    if (ended_ms !== null) {
      this.runningMicros.push(Math.round((ended_ms - started_ms) * MICROS_PER_MS))
    }
    const own = ownTimesOf(row)
    if (own !== null) this.ownTimes.push(own)
  }

  #contradiction(claim: Claim, row: LedgerRow): Disagreed | null {
    const found = contradiction(claim, row)
    if (found?.kind === 'not-asked') {
      return this.#isAsked(claim, row, [claim.endedAfterMicros, Infinity]) ? null : found
    }
    if (found?.kind !== 'not-found') return found
    const span = [claim.endedAfterMicros, claim.missingByMicros] as const
    if (this.#isAsked(claim, row, span)) return { ...found, kind: 'asked' }
    return this.#isForgotten(claim, row) ? { ...found, kind: 'forgotten' } : found
  }

  /** Whether a person was being asked at some time of that span of the run's clock. */
  #isAsked(
    { instance }: Claim,
    { asked = [] }: LedgerRow,
    [fromMicros, toMicros]: readonly [Micros | null, Micros | null],
  ): boolean {
    if (fromMicros === null || toMicros === null) return false
    const allowed = this.#clock.errorMicros + this.#anchorError(instance)
    return asked.some(
      ({ from_ms: from, to_ms: to }) =>
        toRunClock(from, this.#clock) <= toMicros + allowed &&
        (to === null || toRunClock(to, this.#clock) >= fromMicros - allowed),
    )
  }

  /**
   * It had ended when it could not be found any more, and no fault changed the answers about it.
   */
  #isForgotten(
    { instance, missingByMicros }: Claim,
    { ended_ms, faults = [] }: LedgerRow,
  ): boolean {
    if (ended_ms === null || missingByMicros === null || faults.length > 0) return false
    const allowed = this.#clock.errorMicros + this.#anchorError(instance)
    return toRunClock(ended_ms, this.#clock) <= missingByMicros + allowed
  }

  /** If the client saw no end, its interval begins after its last poll. */
  #end(claim: Claim, row: LedgerRow): Disagreed | null {
    const { endedAfterMicros: after, endedByMicros: by } = claim
    if (row.ended_ms === null || after === null) return null
    const end = toRunClock(row.ended_ms, this.#clock)
    if (by !== null && !claim.warmUp) {
      const { index, tags } = claim
      this.detection.push({ index, micros: Math.max(0, by - end), tags })
    }
    this.endIntervals.checked += by === null ? 0 : 1
    const outside = Math.max(after - end, end - (by ?? end))
    const allowed = this.#clock.errorMicros + this.#anchorError(claim.instance)
    this.errorMicros = Math.max(this.errorMicros, allowed)
    if (outside > allowed) {
      const side = end < after ? 'before' : 'after'
      const detail = `the ledger's end is ${formatDuration(outside)} ${side} the client's interval`
      return { kind: 'end-outside-interval', detail }
    }
    this.endIntervals.contained += by === null ? 0 : 1
    return null
  }
}

/** The client stopped following these, and learned of no end. */
const GIVEN_UP: ReadonlySet<string> = new Set(['stuck', 'unreadable', 'aborted'])

interface Disagreed {
  kind: DisagreementKind
  detail: string
}

function lost(claim: Claim): Disagreed {
  return { kind: 'lost', detail: `${claim.outcome} for the client, unknown to the ledger` }
}

/**
 * Says where outcome or output differ; null if they agree, or the client learned nothing to
 * compare.
 */
function contradiction(claim: Claim, row: LedgerRow): Disagreed | null {
  const kind = kindOfContradiction(claim, row)
  if (kind === null) return null
  const detail =
    `client: ${endingText(claim.outcome, claim.outputHash)}; ledger: ` +
    endingText(row.outcome, row.output_hash)
  return { kind, detail }
}

function kindOfContradiction(claim: Claim, row: LedgerRow): DisagreementKind | null {
  if (claim.outcome === 'lost') return row.outcome === 'lost' ? null : 'not-found'
  if (claim.outcome === 'paused') return 'not-asked'
  if (claim.outcome !== 'completed' && claim.outcome !== 'failed') return null
  if (row.ended_ms === null) return 'never-ended'
  const otherOutput =
    row.output_hash !== null && claim.outputHash !== null && row.output_hash !== claim.outputHash
  return row.outcome !== claim.outcome || otherOutput ? 'wrong-result' : null
}

function endingText(outcome: string, hash: string | null): string {
  return hash === null ? outcome : `${outcome}, output ${hash}`
}

/**
 * `own`: the execution started for the arrival; `other`: the arrival whose id was given, null for
 * none.
 */
function wrongId(own: LedgerRow | undefined, other: number | null): string {
  const given = other === null ? 'an unknown id' : `the id of arrival ${other}`
  return `the client was given ${given}; the ledger has ${own?.kickoff_id ?? 'none'} for it`
}

function hasEnded({ ended_ms, outcome }: LedgerRow): boolean {
  return ended_ms !== null && outcome !== 'lost'
}

/** The number of rows of this run: others may use the crew, as do other parts of a mix. */
function ownRows(claims: readonly Claim[], rows: readonly LedgerRow[], runId: string): number {
  const claimed = new Set(claims.map(({ kickoffId }) => kickoffId))
  return rows.filter(
    (row) => claimed.has(row.kickoff_id) || arrivalOf(row.correlation, runId) !== null,
  ).length
}

/** Rows of this run that their own arrival's claim does not name, by arrival. */
function unclaimedRows(
  claims: readonly Claim[],
  rows: readonly LedgerRow[],
  runId: string,
): Map<number, LedgerRow[]> {
  const idByIndex = new Map(claims.map(({ index, kickoffId }) => [index, kickoffId]))
  const unclaimed = new Map<number, LedgerRow[]>()
  for (const row of rows) {
    const index = arrivalOf(row.correlation, runId)
    if (index === null || idByIndex.get(index) === row.kickoff_id) continue
    const others = unclaimed.get(index)
    if (others === undefined) unclaimed.set(index, [row])
    else others.push(row)
  }
  return unclaimed
}

function findUnclaimed(
  claims: readonly Claim[],
  unclaimed: ReadonlyMap<number, readonly LedgerRow[]>,
  open: ReadonlySet<number>,
  account: LedgerAccount,
): void {
  const byIndex = new Map(claims.map((claim) => [claim.index, claim]))
  for (const [index, rows] of unclaimed) {
    const claim = byIndex.get(index)
    const mayHaveStarted =
      claim === undefined
        ? open.has(index)
        : claim.outcome === 'unknown' || claim.outcome === 'aborted'
    let other = claim?.kickoffId ?? null
    if (claim?.outcome === 'unknown' && !claim.warmUp && rows.some(hasEnded)) account.unlearned++
    for (const { kickoff_id } of rows) {
      if (other !== null) {
        account.add('duplicate', index, kickoff_id, `the same arrival also started ${other}`)
      } else if (mayHaveStarted) {
        other = kickoff_id
      } else {
        const detail = `the client has ${claim?.outcome ?? 'no record of it'}`
        account.add('unrecorded', index, kickoff_id, detail)
      }
    }
  }
}
