/** A run in brief: for a comment on a pull request, and for annotations. */
import type { ResultDocument, ThresholdResult, Verdict } from '../../result/document.ts'
import type { Brief } from '../ci/brief.ts'
import { formatBound, formatMeasured } from '../frame/format.ts'
import type { Table, Tone } from '../frame/report.ts'
import { reasonText } from '../frame/report.ts'
import { standingOf } from './standing.ts'
import type { Standing } from './standing.ts'
import {
  engineWords,
  lapseWords,
  otherReasons,
  startWords,
  verdictSign,
  verdictWord,
} from './summary.ts'

const TONES: Record<Verdict['outcome'], Tone> = {
  passed: 'good',
  failed: 'bad',
  invalid: 'bad',
  inconclusive: 'doubt',
  unreachable: 'bad',
}

const STATUS = {
  missed: '✗ miss',
  unmeasurable: '? not measurable',
  undecided: '? undecided',
  notJudged: '– not judged',
  within: 'within, by value',
  met: '✓ ok',
} as const satisfies Record<Standing, string>

/** The table of this brief shows the thresholds, the missed ones first. */
export function briefOf(document: ResultDocument): Brief {
  const { verdict, run, findings, crewload } = document
  const lapse = lapseWords(run.speed)
  const isDoubtful = verdict.outcome === 'passed' && verdict.problems > 0
  return {
    headline: {
      word: verdictWord(verdict),
      sign: verdictSign(verdict),
      tone: isDoubtful ? 'doubt' : TONES[verdict.outcome],
      sentence: verdict.sentence,
    },
    title: run.scenario,
    reasons: [
      ...otherReasons(document).map(reasonText),
      ...findings.filter(({ severity }) => severity !== 'info').map(({ message }) => message),
    ],
    table: thresholdTable(document),
    origin: {
      name: 'target',
      target: run.target,
      when: startWords(document),
      tool: `crewload ${crewload}, engine ${engineWords(document)}, seed ${run.seed}${lapse === null ? '' : `, time-lapse: ${lapse}`}`,
    },
    command: run.command,
  }
}

function thresholdTable({ thresholds }: ResultDocument): Table | null {
  if (thresholds.length === 0) return null
  const order = Object.keys(STATUS)
  const sorted = thresholds.toSorted(
    (a, b) => order.indexOf(standingOf(a)) - order.indexOf(standingOf(b)),
  )
  return {
    kind: 'table',
    columns: [
      { title: 'Result' },
      ...['Threshold', 'Measured', 'Bound'].map((title) => ({ title })),
    ],
    rows: sorted.map(rowOf),
    empty: null,
  }
}

function rowOf(result: ThresholdResult): Table['rows'][number] {
  const { status, metric } = result
  const mark = {
    text: STATUS[standingOf(result)],
    ...(status === 'missed' ? { tone: 'bad' as const } : {}),
  }
  return [mark, metric, formatMeasured(result), formatBound(result)]
}
