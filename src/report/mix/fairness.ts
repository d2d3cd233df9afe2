/** How the parts of a mix shared a crew: who was served, and who waited for whom. */
import { formatCount, formatMs, formatShare, plural } from '../../base/numbers.ts'
import { listed } from '../../base/text.ts'
import type { Finding } from '../../result/document.ts'
import type { FairShare, Fairness } from '../../result/ledger/fairness.ts'
import { waitBehindOthers } from '../../result/ledger/fairness.ts'
import { plainText } from '../frame/format.ts'
import type { Block, Section } from '../frame/report.ts'
import { columnsOf } from '../frame/table.ts'

const CHAPTER = 'Who waits for whom'

export function fairnessSection({ parts, shares }: Fairness): Section {
  return { chapter: CHAPTER, title: null, blocks: blocksOf(parts, shares) }
}

function blocksOf(parts: readonly string[], shares: Fairness['shares']): Block[] {
  if (shares === null) {
    const names = listed(parts.map((part) => plainText(part)))
    const text = `How ${names} shared the crew is not known without a ledger.`
    return [{ kind: 'prose', text }]
  }
  const told = shares.flatMap((share) => waitSentence(share) ?? [])
  const text = told.length === 0 ? 'Nobody waited long for a worker' : told.join('; ')
  return [
    { kind: 'prose', as: 'finding', text, on: ['page'] },
    shareTable(shares),
    {
      kind: 'prose',
      as: 'muted',
      text:
        'By the ledger, over the whole run. A wait is behind a part in the measure in which it ' +
        'had the workers meanwhile.',
    },
  ]
}

function shareTable(shares: readonly FairShare[]): Block {
  const busyMs = sumOf(shares, ({ busyMs: own }) => own)
  const waitMs = sumOf(shares, ({ waitMs: own }) => own)
  return {
    kind: 'table',
    columns: columnsOf(
      ['part'],
      [
        'executions',
        'of all work',
        'of all waiting',
        'mean wait',
        'longest wait',
        ...shares.map(({ part }) => `behind ${nameOf(part)}`),
      ],
    ),
    rows: shares.map((share) => [
      nameOf(share.part),
      formatCount(share.executions),
      shareText(share.busyMs, busyMs),
      shareText(share.waitMs, waitMs),
      formatMs(meanWaitMs(share)),
      formatMs(share.longestWaitMs),
      ...share.behind.map(({ ms }) => shareText(ms, share.waitMs)),
    ]),
    empty: null,
  }
}

function nameOf(part: string | null): string {
  return part === null ? 'others' : plainText(part)
}

function sumOf<T>(list: readonly T[], of: (each: T) => number): number {
  return list.reduce((sum, each) => sum + of(each), 0)
}

function shareText(part: number, whole: number): string {
  return formatShare(whole === 0 ? 0 : part / whole)
}

function meanWaitMs({ executions, waitMs }: FairShare): number {
  return executions === 0 ? 0 : waitMs / executions
}

/** Fewer executions say nothing of their like. */
const FEWEST = 20
/** A shorter wait, as a share of the work of an execution, troubles nobody. */
const LONG_WAIT = 0.2

/** `quiet waited 4 min for a worker on average: 93 % of it behind noisy`; null for a short wait. */
function waitSentence(share: FairShare): string | null {
  const { part, executions, busyMs, waitMs, behind } = share
  if (part === null || executions < FEWEST || waitMs < LONG_WAIT * busyMs) return null
  const others = behind.filter((each) => each.part !== part && each.ms > 0)
  const most = others.sort((a, b) => b.ms - a.ms)[0]
  const mean = `${nameOf(part)} waited ${formatMs(meanWaitMs(share))} for a worker on average`
  if (most === undefined) return `${mean}, behind its own executions alone`
  return `${mean}: ${shareText(most.ms, waitMs)} of it behind ${nameOf(most.part)}`
}

/** Whoever waited long, and for others more than for itself, did not cause its own wait. */
export function fairnessFindings({ shares }: Fairness): Finding[] {
  return (shares ?? []).flatMap((share): Finding[] => {
    const sentence = waitSentence(share)
    if (sentence === null || 2 * waitBehindOthers(share) < share.waitMs) return []
    const of = plural(share.executions, 'execution')
    return [{ severity: 'warning', message: `${sentence} (mean of ${of}, by the ledger)` }]
  })
}
