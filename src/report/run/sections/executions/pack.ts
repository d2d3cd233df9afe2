/**
 * The executions of a page as columns of numbers, and back: a third of the bytes of rows. Texts of
 * a target are shortened, and made visible, on the way.
 */
import { isVisible } from '../../../../base/visible.ts'
import { OUTCOMES } from '../../../../scenario/outcomes.ts'
import type { SampleExecution } from '../../../../result/document.ts'
import type { ExecutionRow, SampledExecutions } from '../../../../result/execution-row.ts'
import { plainText } from '../../../text/format.ts'

/** One array a column, one entry a row; -1 stands for null where no number is negative. */
interface Columns {
  index: number[]
  /** Null for none, and for one that a page cannot show. */
  id: (string | null)[]
  /** Positions in `OUTCOMES`. */
  outcome: number[]
  /** Positions in `texts`, or -1. */
  reason: number[]
  failedIn: number[]
  tags: number[][]
  warmUp: number[]
  intended: number[]
  accepted: (number | null)[]
  total: number[]
  polls: number[]
  retries: number[]
  /** Accepted, started, ended, lane; null without a row. */
  ledger: ((number | null)[] | null)[]
}

/** What the page carries. */
export interface PackedExecutions {
  runId: string
  /** Of a status answer, with `{id}` in it; null if nobody can ask for one. */
  statusUrl: string | null
  total: number
  failed: number
  texts: string[]
  columns: Columns
  details: SampleExecution[]
}

/** Before they are deflated; the whole page stays below 1.2 MB. */
const DETAILS_CHARACTERS = 180_000
const TEXTS_CHARACTERS = 120_000
const LONGEST = { id: 64, reason: 120, tag: 60 }
const MOST_TAGS = 8

export function packed(
  { runId, total, failed, rows, details }: SampledExecutions,
  statusUrl: string | null,
): PackedExecutions {
  const texts = new Texts()
  const optional = (text: string | null): number =>
    text === null ? -1 : texts.at(plainText(text, LONGEST.reason))
  return {
    runId,
    statusUrl,
    total,
    failed,
    columns: {
      index: rows.map(({ index }) => index),
      id: rows.map(({ kickoffId }) => shown(kickoffId)),
      outcome: rows.map(({ outcome }) => OUTCOMES.indexOf(outcome)),
      reason: rows.map(({ reason }) => optional(reason)),
      failedIn: rows.map(({ failedIn }) => optional(failedIn)),
      tags: rows.map(({ tags }) =>
        tags.slice(0, MOST_TAGS).map((tag) => texts.at(plainText(tag, LONGEST.tag))),
      ),
      warmUp: rows.map(({ warmUp }) => (warmUp ? 1 : 0)),
      intended: rows.map(({ intendedMs }) => intendedMs),
      accepted: rows.map(({ acceptedMs }) => acceptedMs),
      total: rows.map(({ totalMs }) => totalMs),
      polls: rows.map(({ polls }) => polls),
      retries: rows.map(({ retries }) => retries),
      ledger: rows.map(
        ({ ledger: truth }) =>
          truth && [truth.acceptedMs, truth.startedMs, truth.endedMs, truth.lane],
      ),
    },
    texts: texts.all,
    details: asManyAsFit(details),
  }
}

/** An id is shown whole or not at all. */
function shown(id: string | null): string | null {
  return id !== null && id.length <= LONGEST.id && isVisible(id) ? id : null
}

/** Each text once. When they take too much room, the others are only named as such. */
class Texts {
  readonly all: string[] = []
  readonly #places = new Map<string, number>()
  #left = TEXTS_CHARACTERS

  at(text: string): number {
    const known = this.#places.get(text)
    if (known !== undefined) return known
    if (text.length > this.#left && text !== OTHERS) return this.at(OTHERS)
    this.#left -= text.length
    this.#places.set(text, this.all.length)
    return this.all.push(text) - 1
  }
}

const OTHERS = '(in the journal)'

function asManyAsFit(details: readonly SampleExecution[]): SampleExecution[] {
  let left = DETAILS_CHARACTERS
  return details.map(withoutTexts).filter((detail) => {
    const { length } = JSON.stringify(detail)
    if (length > left) return false
    left -= length
    return true
  })
}

function brief(text: string): string {
  return plainText(text, LONGEST.reason)
}

function named<T extends { task_id: string }>(of: T): T {
  return { ...of, task_id: brief(of.task_id) }
}

/** Nothing that the strip does not show, and no text of any length. */
function withoutTexts(sample: SampleExecution): SampleExecution {
  const { record, ledger } = sample
  const reason =
    record.reason !== null && 'text' in record.reason
      ? { ...record.reason, text: brief(record.reason.text) }
      : record.reason
  const changes = record.changes.map((change) => ({
    ...change,
    task: change.task === null ? null : brief(change.task),
  }))
  const kickoffId = shown(record.kickoffId)
  const empty = { tags: {}, checks: {}, violations: [], output: null, kickoffId }
  const reported = { ...record.reported, tasks: [] }
  return {
    ...sample,
    record: { ...record, ...empty, reason, changes, reported },
    ledger: ledger && {
      kickoff_id: '',
      ordinal: ledger.ordinal,
      correlation: null,
      accepted_ms: ledger.accepted_ms,
      started_ms: ledger.started_ms,
      ended_ms: ledger.ended_ms,
      outcome: ledger.outcome,
      tasks: ledger.tasks.map(named),
      ...(ledger.asked && { asked: ledger.asked.map(named) }),
      output_hash: null,
    },
  }
}

export function unpacked({ columns, texts }: PackedExecutions): ExecutionRow[] {
  const optional = (at: number): string | null => texts[at] ?? null
  return columns.index.map((index, at): ExecutionRow => {
    const truth = columns.ledger[at] ?? null
    return {
      index,
      kickoffId: columns.id[at] ?? null,
      outcome: OUTCOMES[columns.outcome[at]!]!,
      reason: optional(columns.reason[at]!),
      failedIn: optional(columns.failedIn[at]!),
      tags: columns.tags[at]!.flatMap((tag) => texts[tag] ?? []),
      warmUp: columns.warmUp[at] === 1,
      intendedMs: columns.intended[at]!,
      acceptedMs: columns.accepted[at] ?? null,
      totalMs: columns.total[at]!,
      polls: columns.polls[at]!,
      retries: columns.retries[at]!,
      ledger: truth && {
        acceptedMs: truth[0]!,
        startedMs: truth[1] ?? null,
        endedMs: truth[2] ?? null,
        lane: truth[3] ?? null,
      },
    }
  })
}
