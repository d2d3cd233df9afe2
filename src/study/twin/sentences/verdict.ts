/**
 * What a twin says: its findings, the reasons of its verdict, and the sentences about how it agrees
 * with the crew.
 */
import { crewText } from '../../../report/frame/place-text.ts'
import { knownCrew } from '../../../execution/record/crew-place.ts'
import { z } from 'zod'
import {
  formatCount,
  formatInterval,
  formatMs,
  formatShare,
  plural,
  threeDigits,
  toDigits,
} from '../../../base/numbers.ts'
import { capital, listed } from '../../../base/text.ts'
import { finding, reason } from '../../../result/sentence-tables.ts'
import { cutWords } from '../../../result/sentences/early-ends.ts'
import { count, verdictText } from '../../frame/envelope.ts'
import { timeLapse } from '../../frame/time-lapse.ts'
import { learnedPart } from './parts.ts'

/** What of runs and replays is compared. */
export const COMPARED = [
  'stay-mean',
  'stay-p50',
  'stay-p95',
  'wait-mean',
  'wait-p95',
  'quota-mean',
  'slowed-mean',
  'completed',
  'failed',
  'rejected',
  'polls',
] as const

export const comparison = z.object({
  figure: z.enum(COMPARED),
  name: z.string(),
  unit: z.enum(['ms', 'share', 'polls']),
  observed: z.number(),
  twin: z.number().describe('Mean of the replays'),
  low: z.number().describe('A further replay lies within it with a probability of 99.7 %'),
  high: z.number(),
  agrees: z.boolean(),
})

export type Comparison = z.infer<typeof comparison>

/** What `--speed` divides again when the profile is loaded. */
export const CREW_TIMES =
  'Times of parts and profile are the crew’s, which --speed divides. ' +
  'Latencies and all other times are as measured'

export const FINDINGS = {
  'different-crews': finding(
    'warning',
    { crews: z.array(knownCrew) },
    ({ crews }) =>
      `The runs are of ${plural(crews.length, 'crew')}, ${listed(crews.map(crewText))}: a twin of all resembles none`,
    'learn one of each',
  ),
  'run-cut': finding(
    'warning',
    { run: z.string(), open: count.describe('Executions without an end in its journal') },
    ({ run, open }) => `${run} is used, though ${cutWords({ open })}`,
    'learn from runs that ended: this twin may be too fast',
  ),
  'time-lapse': timeLapse(CREW_TIMES),
}

const ofPart = { part: z.string().describe('Its name'), learned: learnedPart }

type PartSaid = z.infer<z.ZodObject<typeof ofPart>>

export const REASONS = {
  'too-few': reason(ofPart, partWords, partRemedy),
  disagrees: reason(
    { comparison },
    ({ comparison: own }) => offWords(own),
    'the crew does something that a profile cannot describe',
  ),
  'not-identified': reason(ofPart, partWords, partRemedy),
  /** Replays that share no figure with the runs prove nothing of the twin. */
  'not-compared': reason(
    {},
    () => 'the runs and the replays have no figure in common',
    'learn from runs with more executions that ended',
  ),
}

function partWords({ part, learned }: PartSaid): string {
  return `${part}: ${learned.message}`
}

function partRemedy({ learned: { remedy } }: PartSaid): string {
  return remedy === '' ? '' : `to know it takes ${remedy}`
}

interface AgreementSaid {
  comparisons: readonly Comparison[]
  replays: number
}

interface TwinSaid {
  agreement: AgreementSaid | null
  source: { ended: number; executions: number }
  estimate: { value: number; low: number; high: number | null } | null
}

export function tooFewSentence({ ended, executions }: TwinSaid['source']): string {
  return (
    `No twin: of ${plural(executions, 'execution')}, ${formatCount(ended)} ended, and too few ` +
    'completed their tasks to learn from.'
  )
}

/** `estimate`: of the workers; null where they are not known. */
export function twinText({ agreement, source, estimate }: TwinSaid) {
  const crew = `A twin of ${plural(source.ended, 'execution')}: ${workersWords(estimate)}.`
  if (agreement === null || agreement.comparisons.length === 0) {
    return verdictText(crew, 'It was not compared with the crew.')
  }
  const first = agreement.comparisons.find(({ agrees }) => !agrees)
  if (first !== undefined) {
    return verdictText(crew, `The twin does not behave like the crew. ${capital(offWords(first))}.`)
  }
  const all = agreement.comparisons.length
  return verdictText(
    crew,
    `The same arrivals, replayed on it ${plural(agreement.replays, 'time')}, agree with the runs ` +
      `in all ${all} comparisons.`,
  )
}

function workersWords(estimate: TwinSaid['estimate']): string {
  if (estimate === null) return 'its workers are not known'
  const { value, low, high } = estimate
  if (high === null) return `at least ${plural(low, 'worker')}, because the load never filled them`
  return low === high
    ? plural(value, 'worker')
    : `${plural(value, 'worker')} (${formatInterval(estimate, 'count')})`
}

function offWords({ name, unit, observed, twin, low, high }: Comparison): string {
  const text = (value: number): string => valueWords(value, unit)
  const interval = formatInterval({ value: twin, low, high }, unit === 'ms' ? unit : text)
  return `${name} was ${text(observed)}, and is ${text(twin)} on the twin (${interval})`
}

export function valueWords(value: number, unit: Comparison['unit']): string {
  if (unit === 'ms') return formatMs(value)
  return unit === 'share' ? formatShare(toDigits(value, 3)) : threeDigits(value)
}

/** `comparisons` of `replays` with the runs. */
export function agreementWords({ comparisons, replays }: AgreementSaid): string {
  const compared = comparisons.map(
    ({ name, unit, observed, twin, agrees }) =>
      `${name} ${valueWords(observed, unit)} (twin ` +
      `${valueWords(twin, unit)}${agrees ? '' : ', DISAGREES'})`,
  )
  return `The same arrivals, replayed ${plural(replays, 'time')}: ${compared.join('; ')}.`
}
