/** The answer: what to poll by, what that keeps, and what pushes change. */
import { formatMs, formatPercent, plural, threeDigits } from '../../../base/numbers.ts'
import { lowered } from '../../../base/text.ts'
import { allText } from '../../../report/frame/report.ts'
import { verdictText } from '../../frame/envelope.ts'
import { goalTexts, minimised } from '../analyse/choice/goal.ts'
import { FAMILIES } from '../analyse/families/list.ts'
import type { PollingDocument, PollingVerdict, Strategy, PollingGoal } from '../document.ts'
import { boundWords } from './reasons.ts'

type PollingFigures = Pick<
  PollingDocument,
  'recommended' | 'current' | 'runnerUp' | 'pushes' | 'goal'
>
type PollingText = Pick<PollingVerdict, 'sentence' | 'more'>

export function answerText(
  { outcome, moreExecutions }: Pick<PollingVerdict, 'outcome' | 'moreExecutions'>,
  answer: PollingFigures,
): PollingText {
  if (outcome === 'inconclusive' || outcome === 'invalid') return verdictText(UNANSWERED[outcome])
  const { recommended, current, runnerUp, goal } = answer
  const beside = pushWords(answer)
  if (recommended === null) return verdictText(UNANSWERED.impossible, beside)
  const { detectionDelayMs: delay } = recommended
  const late =
    delay === null
      ? ''
      : ` and shows the end ${formatMs(delay.mean)} late (p95 ${formatMs(delay.p95)})`
  const polls = threeDigits(recommended.pollsPerExecution.value)
  return verdictText(
    `Poll ${namedWords(recommended)}. That takes ${polls} polls per ` +
      `execution${late}${against(recommended, current)}.`,
    ...keptWords(goal),
    runnerUp?.ties === true ? tieWords(runnerUp, moreExecutions, goal) : '',
    beside,
  )
}

/** A target that is gone has not spoilt what it answered before. */
export function lossText(text: PollingText): PollingText {
  return verdictText('The target was lost.', `What was recorded before: ${lowered(allText(text))}`)
}

/** What pushes change, with a poll as a net. */
function pushWords({ pushes, goal }: PollingFigures): string {
  if (pushes === undefined) return ''
  const { net, better } = pushes
  if (net?.detectionDelayMs == null) {
    const bounds = goalTexts(goal)
    const what = bounds.length > 0 ? 'stay within' : 'see the end of'
    return `Pushes with a poll as a net do not surely ${what} ${boundWords(bounds)}.`
  }
  const polls = threeDigits(net.pollsPerExecution.value)
  const figures = `${polls} polls, and the end known ${formatMs(net.detectionDelayMs.mean)} late`
  return better === 'net'
    ? `With pushes, poll ${net.words} as a net: ${figures}.`
    : `Pushes with a poll ${net.words} as a net are no better: ${figures}.`
}

/** `every 5 s (fixed)`. */
function namedWords({ family, words }: Strategy): string {
  return `${words} (${family === 'retry-after' ? family : FAMILIES[family].words})`
}

/** The best is the cheaper of two of which neither is known to be better. */
function tieWords(
  other: NonNullable<PollingDocument['runnerUp']>,
  moreExecutions: number | null,
  goal: PollingGoal,
): string {
  const share = formatPercent(Math.ceil(100 * (other.mayBeBetterBy ?? 0)) / 100)
  return (
    `It ties with polling ${namedWords(other)}, which may take up to ${share} less ` +
    `${minimised(goal)}. About ${plural(moreExecutions ?? 0, 'more execution')} would settle it.`
  )
}

/** What is held of a bound: a quota by most windows (`fitsQuota`), a promise by the whole band. */
function keptWords({ quota, promise }: PollingGoal): string[] {
  return [
    quota === null
      ? ''
      : `The mean of the polls and two standard deviations fit into ${quota.text}. With random ` +
        'arrivals, at most a few windows in 100 exceed it.',
    promise === null ? '' : `The 95 % band of the delay keeps ${promise.text}.`,
  ]
}

const UNANSWERED = {
  inconclusive: 'It is not known yet which strategy is best.',
  impossible: 'No polling strategy stays within what was asked for.',
  invalid: 'What was recorded cannot be trusted.',
}

function against(
  recommended: NonNullable<PollingDocument['recommended']>,
  current: PollingDocument['current'],
): string {
  if (current === null) return ''
  const polls = `${threeDigits(current.pollsPerExecution.value)} polls`
  if (current.detectionDelayMs === null) return `. Today it takes ${polls}, which miss ends`
  const same = JSON.stringify(recommended.polling) === JSON.stringify(current.polling)
  return same
    ? ', as today'
    : `. Today it takes ${polls} and ${formatMs(current.detectionDelayMs.mean)}`
}
