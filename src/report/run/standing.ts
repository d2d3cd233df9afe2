/** How a threshold stands, as every report shows it. */
import type { ThresholdResult } from '../../result/document.ts'
import { isByValueAlone } from '../../result/verdict/judge.ts'
import type { ThresholdRow } from '../frame/report.ts'

/** `within`: met by its value, as its author asked, but not proven by its interval. */
type Standing = ThresholdResult['status'] | 'within'

export function standingOf(result: ThresholdResult): Standing {
  return isByValueAlone(result) ? 'within' : result.status
}

/** Each has a word and a sign, because colour alone is never enough; in this order in sums. */
export const STANDINGS: Readonly<Record<Standing, Pick<ThresholdRow, 'sign' | 'word' | 'tone'>>> = {
  met: { sign: '✓', word: 'met', tone: 'good' },
  within: { sign: '~', word: 'within, by value', tone: 'doubt' },
  missed: { sign: '✗', word: 'missed', tone: 'bad' },
  undecided: { sign: '?', word: 'undecided', tone: 'doubt' },
  unmeasurable: { sign: '?', word: 'not measurable', tone: 'doubt' },
  notJudged: { sign: '–', word: 'not judged', tone: 'doubt' },
}
