/** A study of limits as people read it: what is safe first, then what was found, and why. */
import type { NumberWording } from '../../../base/numbers.ts'
import { excerpt } from '../../../crew/excerpt.ts'
import {
  formatCount,
  formatEstimate,
  formatMs,
  formatValue,
  NOTHING,
  plural,
} from '../../../base/numbers.ts'
import type { Block, Report, Section } from '../../../report/frame/report.ts'
import type { TableCell, Table } from '../../../report/text/table.ts'
import { tableOf } from '../../../report/text/table.ts'
import { knownFacts, reasonText } from '../../../report/frame/report.ts'
import type { ReportBody, VerdictMark } from '../../frame/study.ts'
import { INCONCLUSIVE, INVALID, originOf, studyReportFiles } from '../../frame/study.ts'
import type {
  LimitedOperation,
  LimitsDocument,
  OperationLimit,
  ParameterEstimate,
  SafeSettings,
} from '../document.ts'
import { LIMITED_OPERATIONS } from '../../frame/limiter-kinds.ts'
import { reasonsFor } from '../analyse/limits.ts'
import { isSettled, LIKELY } from '../document.ts'
import { lieWords } from '../sentences/findings.ts'
import { kindWords, perSecond } from '../sentences/reasons.ts'
import { limitWords, settingsWords, whole } from '../sentences/verdict.ts'
import { evidenceChart } from './chart.ts'
import { listed } from '../../../base/text.ts'

const LIMITS_VERDICTS: Record<LimitsDocument['verdict']['outcome'], VerdictMark> = {
  answered: { word: 'ANSWERED', sign: '✓', tone: 'good', exit: 'passed' },
  'answered-in-part': { ...INCONCLUSIVE, word: 'ANSWERED IN PART' },
  'cannot-tell': { ...INCONCLUSIVE, word: 'CANNOT TELL' },
  'target-lost': { word: 'TARGET LOST', sign: '✗', tone: 'bad', exit: 'unreachable' },
  invalid: INVALID,
}

/** What headers claim is no answer of the target. */
function isClaimed(limit: OperationLimit): boolean {
  return isSettled(limit) && limit.kind !== 'none' && limit.headers?.usedUp === false
}

/** Amber where an answer rests on headers alone. */
export function limitsMark(document: LimitsDocument): VerdictMark {
  const mark = LIMITS_VERDICTS[document.verdict.outcome]
  const limits = probed(document).map(([, limit]) => limit)
  if (mark.tone !== 'good' || !limits.some(isClaimed)) return mark
  const areAll = limits.every((limit) => limit.kind === 'none' || isClaimed(limit))
  return { ...mark, sign: '~', tone: 'doubt', ...(areAll && { word: 'CLAIMED' }) }
}

export function limitsBody(document: LimitsDocument): ReportBody {
  const { verdict, settings } = document
  const isRecorded = document.plan.from.length > 0
  return {
    facts: facts(document),
    sections: [
      ...(settings === null ? [] : [settingsSection(settings, verdict.outcome !== 'target-lost')]),
      { title: 'What was found', blocks: [limitTable(document)] },
      ...probed(document).map(([name, limit]) => evidenceSection(name, limit, isRecorded)),
    ],
    files: studyReportFiles('limits', {
      document: 'every number shown here, and every request',
      cases: 'a test case per operation, for a CI server',
    }),
    origin: originOf(document, { engine: document.plan.engine }),
    asked: null,
    cases: document.plan.operations.map((name) => ({
      name: `limits of ${name}`,
      result: caseOf(document, name),
    })),
  }
}

function caseOf(
  document: LimitsDocument,
  name: LimitedOperation,
): Report['cases'][number]['result'] {
  const { operations, verdict } = document
  if (isSettled(operations[name])) return { kind: 'passed' }
  const message = reasonsFor(name, operations).map(reasonText).join(' ')
  return { kind: verdict.outcome === 'target-lost' ? 'error' : 'skipped', message }
}

function probed({ operations }: LimitsDocument): [LimitedOperation, OperationLimit][] {
  return LIMITED_OPERATIONS.flatMap((name) => {
    const limit = operations[name]
    return limit === null ? [] : [[name, limit] as [LimitedOperation, OperationLimit]]
  })
}

function facts(document: LimitsDocument): Report['facts'] {
  const { settings, requests, kickoffs, budget } = document
  const sent =
    `${formatCount(requests)} of at most ${plural(budget.requests ?? 0, 'request')}, ` +
    `${plural(kickoffs, 'kickoff')}, in ${formatMs(document.durationMs)}`
  return knownFacts(
    ['Recommended', settings === null ? 'no rate of polls is known to be safe' : null],
    ['Extent', document.plan.from.length > 0 ? recordedWords(document) : sent],
  )
}

function recordedWords(document: LimitsDocument): string {
  const read = probed(document).reduce((sum, [, { requests }]) => sum + requests, 0)
  const runs = plural(document.plan.from.length, 'run')
  return `${plural(read, 'recorded request')} of ${runs}; nothing was sent`
}

function exampleWords({ example, each: isForEach }: SafeSettings): string {
  const { executions, intervalMs } = example
  if (isForEach) return `each execution every ${formatMs(intervalMs)}, however many are in flight`
  const each = executions === 1 ? 'the execution' : `each of ${formatCount(executions)} executions`
  return `${each} in flight every ${formatMs(intervalMs)}, rounded up`
}

const PROMISED: Block = {
  kind: 'prose',
  text: 'The limit is the one that headers promise. It was not used up, so it is not checked.',
}

const OTHER_NUMBERS: Block = {
  kind: 'prose',
  text:
    'With more in flight, poll each more seldom: the rate is for all of them together. ' +
    '--in-flight N gives the settings for N.',
}

/** `isTold`: the rate stands in the head, large. */
function settingsSection(settings: SafeSettings, isTold: boolean): Section {
  const rate = `Send at most ${settingsWords(settings)}`
  return {
    title: 'How to poll',
    blocks: [
      {
        kind: 'prose',
        as: 'heading',
        text: isTold ? `Poll ${exampleWords(settings)}` : `${rate}: poll ${exampleWords(settings)}`,
      },
      {
        kind: 'prose',
        text:
          'The recommended rate is nine tenths of the safe rate, which one client may send whose polls are ' +
          'spread evenly. The rest is left to retries. If executions start together, begin the first poll of ' +
          'each at a random time within the interval.',
        as: 'muted',
      },
      ...(settings.each ? [] : [OTHER_NUMBERS]),
      ...(settings.basis === 'measured' ? [] : [PROMISED]),
      tableOf(
        [
          { title: 'polling interval', kind: 'unit' },
          { title: 'executions in flight, at most', kind: 'number' },
        ],
        settings.inFlight.map(({ intervalMs, executions }) => [
          formatMs(intervalMs),
          formatCount(executions),
        ]),
      ),
      { kind: 'prose', text: 'In a scenario:', on: ['page'] },
      { kind: 'verbatim', text: settings.scenario },
      {
        kind: 'prose',
        text: `In a scenario: ${settings.scenario.trim().replaceAll('\n', ' ')}`,
        on: ['terminal', 'markdown'],
      },
      {
        kind: 'fold',
        title: 'TypeScript',
        blocks: [{ kind: 'verbatim', text: settings.typescript }],
      },
      { kind: 'fold', title: 'Python', blocks: [{ kind: 'verbatim', text: settings.python }] },
    ],
  }
}

function limitTable(document: LimitsDocument): Table {
  return {
    kind: 'table',
    columns: [
      { title: 'operation' },
      { title: 'limit' },
      { title: 'certainty', kind: 'number' },
      { title: 'safe rate', kind: 'unit' },
      { title: 'requests', kind: 'number' },
    ],
    rows: probed(document).map(([name, limit]): TableCell[] => [
      name,
      limitWords(limit),
      certaintyWords(limit),
      limit.safePerSecond === null ? NOTHING : perSecond(limit.safePerSecond),
      formatCount(limit.requests),
    ]),
    empty: 'No operation was probed.',
    stacks: true,
  }
}

/** More is not said: the kinds that are known are not all that exist. */
const MOST_CERTAIN = 0.999

function certaintyWords(limit: OperationLimit): TableCell {
  const { kind, probability } = limit
  if (kind === 'unknown' || kind === 'none') return NOTHING
  if (isClaimed(limit)) return { text: 'claimed by headers, not tested', tone: 'doubt' }
  if (!isSettled(limit) && probability >= LIKELY) return 'not confirmed'
  if (probability <= MOST_CERTAIN) return formatValue(probability, 'share')
  return 'over 99.9 %'
}

function evidenceSection(
  name: LimitedOperation,
  limit: OperationLimit,
  isRecorded: boolean,
): Section {
  const figure = { kind: 'figure' as const, chart: evidenceChart(name, limit, isRecorded) }
  const facts = operationFacts(name, limit, isRecorded)
  const blocks: Block[] = [
    ...(limit.evidence.length === 0 ? [] : [figure]),
    { kind: 'facts', facts },
  ]
  return { title: `Why: ${name}`, blocks }
}

function operationFacts(
  name: LimitedOperation,
  limit: OperationLimit,
  isRecorded: boolean,
): Report['facts'] {
  return knownFacts(
    ['Parameters', intervalWords(limit)],
    ['Also possible', twinWords(limit)],
    [limit.kind === 'unknown' ? 'Nearest' : 'Otherwise', rivalWords(limit)],
    ['Refused', countedWords(limit)],
    ['Refusal', refusalWords(limit, isRecorded)],
    ['Failures', failureWords(limit)],
    ['Headers', headerWords(limit)],
    ['To test it', isClaimed(limit) ? 'crewload limits --ignore-headers, until it refuses' : null],
    ['Shared', sharedWords(name, limit)],
    ['Round trips', tripWords(limit)],
    ['Tried', `at most ${plural(limit.triedPerSecond, 'request')} in one second`],
  )
}

function twinWords({ sameAs, headers }: OperationLimit): string | null {
  if (sameAs.length === 0) return null
  const isPromised = headers?.usedUp === false
  const why = isPromised ? 'no refusal was provoked' : 'no client can distinguish them'
  return `${sameAs.map(kindWords).join(', ')}; ${why}`
}

/** Of a limit of no known kind, what comes nearest is not likely. */
function rivalWords({ kind, runnerUp }: OperationLimit): string | null {
  if (runnerUp === null || runnerUp.probability < 0.001) return null
  const name = kindWords(runnerUp.kind)
  return kind === 'unknown'
    ? `${name}, which the answers do not establish`
    : `${name}, ${formatValue(runnerUp.probability, 'share')}`
}

/** `500 for 7 of 33 requests; no answer to 2`. */
function failureWords({ failures, requests }: OperationLimit): string | null {
  if (failures.length === 0) return null
  return failures
    .map(({ status, requests: failed }, i) => {
      const of =
        i === 0 ? `${formatCount(failed)} of ${plural(requests, 'request')}` : formatCount(failed)
      return status === null ? `no answer to ${of}` : `${status} for ${of}`
    })
    .join('; ')
}

function tripWords({ roundTripMs }: OperationLimit): string | null {
  if (roundTripMs === null) return null
  const { p50, p90, max } = roundTripMs
  return (
    `half within ${formatMs(p50)}, nine of ten within ${formatMs(p90)}, the longest ` +
    `${formatMs(max)}. No time is known more exactly than that`
  )
}

function countedWords({ countsRefused, kind }: OperationLimit): string | null {
  if (kind === 'none' || kind === 'unknown') return null
  if (countsRefused === null) return 'unknown whether refusals count; irrelevant if you wait'
  return countsRefused
    ? 'refused requests count as well: retry late, or it never ends'
    : 'refused requests do not count'
}

function refusalWords({ refusal }: OperationLimit, isRecorded: boolean): string | null {
  if (refusal === null) return null
  const { status, retryAfterMs, waitMs, headers, body } = refusal
  const asked =
    retryAfterMs !== null
      ? `${isRecorded ? 'asked to wait' : 'Retry-After'} ${formatMs(retryAfterMs)}`
      : headers['retry-after'] === undefined
        ? 'without Retry-After'
        : 'with a Retry-After that cannot be read'
  const waited =
    waitMs === null
      ? ''
      : `. After at most ${formatMs(waitMs)} without a request the next one is accepted`
  return `status ${status}, ${asked}${waited}${bodyWords(body)}`
}

const BODY_SHOWN = 80

/** In the limiter's own words: they often name the limit. */
function bodyWords(body: string): string {
  if (body === '') return ''
  const said = excerpt(body, BODY_SHOWN)
  // A client that reads JSON alone fails on anything else.
  const isJson = /^\s*[{[]/.test(body)
  return isJson ? `; it says ${said}` : `; it says ${JSON.stringify(said)}, which is no JSON`
}

function headerWords({ headers }: OperationLimit): string | null {
  if (headers === null) return null
  const { dialect, truthful, usedUp, lies } = headers
  if (truthful === true) return `${dialect}: checked, and true`
  if (truthful === false) return `${dialect}: checked, and false: ${lies.map(lieWords).join('; ')}`
  return usedUp ? `${dialect}: not checked` : `${dialect}: promised, not used up`
}

function sharedWords(
  operation: LimitedOperation,
  { scope: { token, path, tried, sharedWith }, kind }: OperationLimit,
): string | null {
  if (kind === 'none' && sharedWith === null) return null
  const shared = sharedWith ?? []
  const apart = tried.filter((each) => !shared.includes(each))
  const words = [
    token === null ? null : token ? 'each token has its own limit' : 'all tokens share it',
    path === null ? null : path ? 'each execution has its own' : 'all executions share it',
    shared.length === 0 ? null : `together with ${listed(shared)}`,
    apart.length === 0 ? null : `apart from ${listed(apart)}`,
  ].filter((each) => each !== null)
  const known = new Set([operation, ...tried, ...shared])
  const others = LIMITED_OPERATIONS.filter((each) => !known.has(each))
  const isPathOpen = operation === 'status' && path === null
  const open = [
    ...others,
    ...(token === null ? ['another token'] : []),
    ...(isPathOpen ? ['another execution'] : []),
    'another address',
  ]
  return [...words, `not tried: ${listed(open)}`].join('; ')
}

function intervalWords(limit: OperationLimit): string | null {
  const words = [
    range('rate', limit.ratePerSecond, 'perSecond'),
    range('capacity', limit.capacity, whole),
    range('limit', limit.limit, whole),
    range('window', limit.windowMs, 'ms'),
    range('in flight', limit.concurrency, whole),
    range('block', limit.blockMs, 'ms'),
  ].filter((each) => each !== null)
  return words.length === 0 ? null : words.join('; ')
}

/** `window 60.0 s (59.8 to 60.1 s)`. */
function range(
  name: string,
  estimate: ParameterEstimate | null,
  wording: NumberWording,
): string | null {
  return estimate === null ? null : `${name} ${formatEstimate(estimate, wording)}`
}
