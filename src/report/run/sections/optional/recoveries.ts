/**
 * When users were served as before after each disturbance by faults; absent when no fault had a
 * schedule.
 */
import { unreachable } from '../../../../base/assert.ts'
import type { RecoveryResult } from '../../../../result/disturbances.schema.ts'
import {
  formatCount,
  formatMs,
  formatOptionalMs,
  formatSpan,
  formatValue,
  plural,
} from '../../../../base/numbers.ts'
import { plainText } from '../../../text/format.ts'
import type { Block } from '../../../frame/report.ts'
import { columnsOf, pageTable } from '../../../text/table.ts'
import type { RunSection } from '../section.ts'

export const RECOVERIES: RunSection = {
  chapter: 'Over time',
  title: 'After the faults',
  blocks: ({ recoveries }) => {
    if (recoveries.length === 0) return []
    const clear = recoveries.filter(({ state }) => state !== 'too-few')
    const few = recoveries.length - clear.length
    const sentences = clear.map((recovery): Block => {
      return { kind: 'prose', text: recoverySentence(recovery), on: ['page'] }
    })
    const text = few === 0 ? '' : fewSentence(few)
    return [
      ...sentences,
      { kind: 'prose', as: 'muted', text, on: ['page'] },
      { kind: 'fold', title: 'Recovery figures', blocks: [recoveryTable(recoveries)] },
    ]
  },
}

/**
 * For example `After outage (600 to 660 s) arrivals 12.0 s after its end, or later, were
 * served as before. Before it 99.2 % of 250 arrivals were served.`
 */
export function recoverySentence(recovery: RecoveryResult): string {
  const { former } = recovery
  const share = former.wanted === 0 ? 0 : former.served / former.wanted
  const before = `Before it ${formatValue(share, 'share')} of ${plural(former.wanted, 'arrival was', 'arrivals were')} served`
  return `After ${names(recovery)} (${formatSpan(recovery)}) ${stateWords(recovery)}. ${before}.`
}

function stateWords({ state, afterMs, windowMs, untilMs }: RecoveryResult): string {
  switch (state) {
    case 'recovered': {
      const resolution = windowMs === null ? '' : `, to within ${formatMs(windowMs)}`
      return afterMs === null || afterMs === 0
        ? `arrivals were served as before immediately${resolution}`
        : `arrivals ${formatMs(afterMs)} after its end, or later, were served ` +
            `as before${resolution}`
    }
    case 'not-recovered':
      return (
        'goodput stayed below 95 % of its former level for the observed time ' +
        `(${formatMs(untilMs)})`
      )
    case 'overloaded':
      return 'no conclusion: goodput was already reduced before it'
    case 'unsteady':
      return 'no conclusion: goodput was already changing before it'
    case 'too-few':
      return 'no conclusion: too few executions'
    default:
      return unreachable(state)
  }
}

function fewSentence(count: number): string {
  return `After ${plural(count, 'disturbance')} there were too few arrivals to say when goodput recovered.`
}

function names({ faults }: RecoveryResult): string {
  return plainText(faults.join(' and '), 80)
}

const STATE_WORDS: Readonly<Record<RecoveryResult['state'], string>> = {
  recovered: 'recovered',
  'not-recovered': 'not recovered',
  'too-few': 'too few',
  unsteady: 'unsteady',
  overloaded: 'overloaded',
}

function recoveryTable(recoveries: readonly RecoveryResult[]): Block {
  return pageTable(
    columnsOf(
      ['disturbance'],
      ['from', 'to', 'served before', 'recovery time', 'resolution'],
      ['result'],
    ),
    recoveries.map((recovery) => [
      names(recovery),
      formatMs(recovery.fromMs),
      formatMs(recovery.toMs),
      `${formatCount(recovery.former.served)} of ${formatCount(recovery.former.wanted)}`,
      formatOptionalMs(recovery.afterMs),
      formatOptionalMs(recovery.windowMs),
      recovery.needed === null
        ? STATE_WORDS[recovery.state]
        : `too few: a window needs ${formatCount(recovery.needed)}`,
    ]),
  )
}
