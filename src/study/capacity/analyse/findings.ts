/** Findings about the crew that are not part of the queue for workers. */
import { sumBy } from '../../../result/statistics/moments.ts'
import { formatShare, formatCount, formatMs, plural } from '../../../base/numbers.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { FindingRule } from '../../frame/findings.ts'
import { findingsBy } from '../../frame/findings.ts'
import { lapseNote } from '../../frame/time-lapse.ts'
import type { CapacityDocument, CapacityPlan } from '../document.ts'
import { FINDINGS } from './reasons.ts'
import { coldStartMicros, slowTasksOf } from './learn/besides-queue.ts'
import type { Learned } from './learn/learn.ts'
import { isDecided, slowdownOf } from './learn/slowdown.ts'
import type { CapacitySearch } from './search/search.ts'

const RULES: readonly FindingRule<typeof FINDINGS, Learned>[] = [
  ['polls-refused', pollsRefused],
  ['quota-texts', quotaTexts],
  ['never-ended', never],
  ['slow-task', slowTask],
  ['limit-unknown', limitUnknown],
  ['cold-start', coldStart],
]

export function findingsOf(learned: Learned): CapacityDocument['findings'] {
  return findingsBy(FINDINGS, RULES, learned)
}

interface Runs {
  search: CapacitySearch
  plan: CapacityPlan
}

const RUN_RULES: readonly FindingRule<typeof FINDINGS, Runs>[] = [
  ['different-crews', otherCrews],
  ['time-lapse', ({ plan }) => lapseNote(plan.speed)],
]

export function runFindings(runs: Runs): CapacityDocument['findings'] {
  return findingsBy(FINDINGS, RUN_RULES, runs)
}

/** Past runs that were made with another crew than this one would teach a wrong model. */
function otherCrews({ search: { recorded }, plan }: Runs): string | null {
  const { engine, target, profile } = plan
  const searched = recorded.length === 0 || engine === 'none' ? [] : [profile ?? target]
  const crews = new Set([...searched, ...recorded.map((run) => run.profile ?? run.target)])
  if (crews.size < 2) return null
  return `The past runs count as runs of one crew, but name several: ${[...crews].join(', ')}`
}

function pollsRefused({ loads }: Learned): string | null {
  const refused = sumBy(loads, ({ seen }) => seen.polls.refused)
  const all = sumBy(loads, ({ seen }) => seen.polls.all)
  if (refused === 0) return null
  return `${plural(refused, 'poll')} of ${all} were answered with 429, so clients learn late of ends`
}

/** The words that providers of language models use when they refuse a call. */
const SPEAKS_OF_QUOTA =
  /\b429\b|\brate[ _-]?limit|too many requests|\bquota|resource[ _]exhausted|(tokens|requests) per (minute|day)/i

/** What the crew says of failed executions, which is no fact. */
function quotaTexts({ loads }: Learned): string | null {
  const failed = loads
    .flatMap(({ seen }) => seen.executions)
    .filter(({ outcome }) => outcome === 'failed')
  const texts = failed.flatMap(({ failure = '' }) => (SPEAKS_OF_QUOTA.test(failure) ? failure : []))
  if (texts.length === 0) return null
  return (
    `${formatCount(texts.length)} of ${plural(failed.length, 'failed execution')} mention a quota ` +
    `in their error text: "${mostFrequent(texts)}". This is only a hint: crewload measured no such quota`
  )
}

/** Texts that differ only in numbers and ids count as one; the first of them is returned. */
function mostFrequent(texts: readonly string[]): string {
  const groups = new Map<string, string[]>()
  for (const text of texts) {
    const shape = text.replaceAll(/\S+/g, (word) => (/\d/.test(word) ? '#' : word))
    groups.set(shape, [...(groups.get(shape) ?? []), text])
  }
  return [...groups.values()].toSorted((a, b) => b.length - a.length)[0]![0]!
}

function never({ neverShare }: Learned): string | null {
  if (neverShare === 0) return null
  return (
    `${formatShare(neverShare)} of the executions that began were not seen to end; if they ` +
    'keep their workers, the crew will run out of workers'
  )
}

function slowTask(learned: Learned): string | null {
  const [worst, ...others] = slowTasksOf(learned)
  if (worst === undefined) return null
  const { task, idleMicros, fullMicros } = worst
  const more = others.length === 0 ? '' : `; ${plural(others.length, 'other task')} slow down too`
  const [idle, full] = [idleMicros, fullMicros].map((micros) => formatMs(micros / MICROS_PER_MS))
  return (
    `Task "${task}" takes ${formatShare(fullMicros / idleMicros - 1)} longer while every worker ` +
    `is busy: ${full} on average, and ${idle} while at most half of them are${more}`
  )
}

function limitUnknown(learned: Learned): string | null {
  const slowdown = slowdownOf(learned)
  if (slowdown === null || isDecided(slowdown)) return null
  const [low, high] = [slowdown.low, slowdown.high].map((times) => times.toFixed(2))
  return (
    'What limits the crew is not known: while every worker is busy, executions take between ' +
    `${low} and ${high} times as long as alone`
  )
}

function coldStart(learned: Learned): string | null {
  const micros = coldStartMicros(learned)
  if (micros === null) return null
  return (
    `A crew that was idle takes up to ${formatMs(micros / MICROS_PER_MS)} to begin its first ` +
    'executions; the capacity holds for a crew that is awake'
  )
}
