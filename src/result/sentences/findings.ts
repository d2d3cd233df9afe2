/**
 * The findings of a run beyond its numbers: a code, its severity and facts, and the sentence that
 * they make, which names the remedy.
 */
import { z } from 'zod'
import { unreachable } from '../../base/assert.ts'
import {
  formatCount,
  formatInterval,
  formatMs,
  formatPercent,
  formatShare,
  formatTimes,
  inNumber,
  plural,
} from '../../base/numbers.ts'
import { notGivenWords } from '../../crew/inputs/sentences.ts'
import { telemetryLost } from '../../execution/record/notes.ts'
import { CREW_ENDED, k6EndText } from '../../execution/record/reason.ts'
import { answerCode, k6End } from '../../execution/record/reason.schema.ts'
import { outcome } from '../../execution/record/shapes.schema.ts'
import type { ShapeFacts, FindingOf } from '../coded.ts'
import { finding } from '../coded.ts'
import { recovery, stall } from '../disturbances.schema.ts'
import type { LedgerDisagreement, SharedWaits } from '../document-parts.schema.ts'
import { count, disagreement, ms, sharedWaits } from '../document-parts.schema.ts'
import { openFacts, openWords } from './ends.ts'
import { lossCause } from './target-loss.ts'

const executions = count

const paused = {
  executions,
  isAskedAgain: z.boolean().describe('`crewload resume` can ask again about them'),
}

/** The true time is between the two. */
const bracket = z.object({ afterMs: ms, byMs: ms }).nullable()
type BracketFacts = NonNullable<z.infer<typeof bracket>>

const forgetting = {
  executions: count,
  moment: bracket.describe('On the clock of the run; null if no single one explains them'),
  age: bracket.describe('Since acceptance; null if none explains them all'),
  isAskedPossible: z
    .boolean()
    .describe('The crew may hide them while it asks people: there is no ledger that would say it'),
}

const warmUp = {
  outcomes: z
    .array(z.object({ outcome, count }))
    .describe('Of the warm-up’s executions, by their order'),
}

const brokenRule = {
  rule: z.string(),
  source: z.string().describe('Section of the interface document, or why we assume it'),
  count: count.describe('Answers that broke it'),
  seen: z.string().describe('By the first of them'),
}

const withoutOutput = { completed: count, withoutOutput: count }

const refusal = {
  status: count.describe('The code of the answers'),
  refused: count,
  requests: count.describe('Of that operation'),
  admittedPerMinute: count.describe('At most, in a minute with refusals'),
}

const earlyRequests = { early: count, waits: count.describe('That the target asked for') }

const pushes = { ends: executions, received: count, missed: count, early: count }

export const FINDINGS = {
  /** The client's account and the ledger differ. */
  'ledger-differs': finding(
    'problem',
    {
      kind: disagreement.shape.kind,
      executions,
      first: z.string().nullable().describe('The kickoff_id of one; null if it is not known'),
    },
    ({ kind, executions: many, first }) =>
      `${plural(many, 'execution')} ${DIFFERENCES[kind].meaning}; first ${first ?? 'unknown'}`,
    ({ kind, executions: many }) => {
      const { noun, brief } = DIFFERENCES[kind]
      return `${plural(many, noun)} ${brief}`
    },
  ),
  'ledger-missing': finding(
    'warning',
    { error: z.string() },
    ({ error }) =>
      `the ledger of the fake crew could not be fetched (${error}): nothing of this run was ` +
      'compared with it',
  ),
  'marks-missing': finding(
    'warning',
    { marks: count, untilMs: ms },
    ({ marks, untilMs }) =>
      `the fake crew no longer has its oldest ${formatCount(marks)} marks: what its faults ` +
      `touched in the first ${formatMs(untilMs)} of the run is missing from the counts of ` +
      'touched answers',
  ),
  /** The load is named as the cause only where the crew cannot do the arriving work. */
  stall: finding(
    'problem',
    {
      ...stall.shape,
      overload: z
        .object({
          workers: count,
          load: z.number(),
          isShared: z.boolean().describe('More workers would wait for what they share too'),
        })
        .nullable(),
    },
    ({ sinceMs, untilMs, accepted, overload }) =>
      `nothing completed after ${formatMs(sinceMs)}: ${plural(accepted, 'execution was', 'executions were')} ` +
      `accepted in the next ${formatMs(untilMs - sinceMs)}, and none of them completed; ` +
      (overload === null
        ? 'look at the crew at that time'
        : `the crew is overloaded: lower the rate${overload.isShared ? '' : ', or add workers'}`),
    ({ sinceMs }) => `nothing completed after ${formatMs(sinceMs)}`,
  ),
  'started-after-given-up': finding(
    'warning',
    { started: executions, givenUp: executions },
    ({ started, givenUp }) =>
      `${formatCount(givenUp)} of ${plural(started, 'execution')} that started, started after ` +
      'their client had given up: nobody reads their results; lower the rate, raise the ' +
      'deadline, or let the crew refuse kickoffs when its queue is long',
  ),
  'shared-waits': finding('warning', sharedWaits.shape, sharedWaitWords),
  /** The target stopped finding executions that it had reported. */
  forgotten: finding(
    'problem',
    forgetting,
    forgottenWords,
    'the target forgot executions that it had reported',
  ),
  /** Only errors from some time on. */
  'no-use-at-end': finding(
    'problem',
    {
      of: z.enum(['request', 'kickoff', 'poll']),
      answer: answerCode,
      fromMs: ms,
      lastUsableMs: ms,
      failed: count.describe('Since then'),
    },
    ({ of, answer, fromMs, lastUsableMs, failed }) => {
      const { happened, remedy } = lossCause(answer)
      return (
        `${happened} from ${formatMs(fromMs)} on (${answer}): the last usable answer` +
        `${of === 'request' ? '' : ` to a ${of}`} came at ${formatMs(lastUsableMs)}, and none of ` +
        `the ${plural(failed, of)} after it succeeded; ${remedy}`
      )
    },
    'the target gave only errors at the end',
  ),
  'not-recovered': finding(
    'problem',
    recovery.pick({ faults: true, toMs: true, untilMs: true, former: true }).shape,
    ({ faults, toMs, untilMs, former }) =>
      `service did not recover after ${faults.join(', ')} ended at ${formatMs(toMs)}: until ` +
      `${formatMs(untilMs)} it stayed below 95 % of its former level ` +
      `(${formatCount(former.served)} of ${plural(former.wanted, 'execution')} served); find ` +
      'the tipping point with crewload recovery',
    'service did not recover after a fault',
  ),
  /**
   * A problem, because these people were not served, and no default promise counts them: whether
   * the crew would have served them depends on an answer that it never got.
   */
  paused: finding(
    'problem',
    paused,
    pausedWords,
    ({ executions: many }) => `${plural(many, 'execution')} waited for a person`,
  ),
  /** A threshold of the scenario judges those that were paused. */
  'paused-judged': finding('warning', paused, pausedWords),
  'left-in-flight': finding(
    'problem',
    { executions, first: z.string().describe('The kickoff_id of one') },
    ({ executions: many, first }) =>
      `${plural(many, 'execution')} accepted but not ended, first ${first}: continue with ` +
      "crewload resume; the journal's accepted lines have the ids",
    'executions were left in flight',
  ),
  'left-unanswered': finding(
    'problem',
    { kickoffs: count },
    ({ kickoffs }) =>
      `${plural(kickoffs, 'kickoff')} sent but not answered before the cut: each may have ` +
      "started an execution; the journal's started lines name their arrivals",
    'kickoffs were left unanswered',
  ),
  'left-with-crew': finding(
    'info',
    openFacts,
    (open) => `${openWords(open)} when the run was cut: ${CREW_ENDED}: nothing is left to continue`,
  ),
  /** They were given up, but the target may still work on them. */
  'aborted-left': finding(
    'warning',
    { executions },
    ({ executions: many }) =>
      `${plural(many, 'aborted execution')} may still be running on the target and costing money`,
  ),
  resumed: finding(
    'info',
    { executions, wasCut: z.boolean() },
    ({ executions: many, wasCut }) =>
      `${plural(many, 'execution')} continued after ${wasCut ? 'a cut' : 'the end'}: their polls ` +
      'before it are missing, and how long those took that ended in between is unknown',
  ),
  'warm-up-left': finding(
    'problem',
    warmUp,
    (facts) =>
      `${warmUpWords(facts)}; aborted ones may still be running on the target and costing money`,
    'executions of the warm-up were left',
  ),
  'warm-up-cut': finding('info', warmUp, warmUpWords),
  'late-for-requests': finding(
    'info',
    { p99Ms: ms },
    ({ p99Ms }) =>
      `requests were sent up to ${formatMs(p99Ms)} late (p99): little compared with ` +
      'executions, but much compared with single requests; use their service times, not their ' +
      'response times',
  ),
  /** A large share of executions broke a rule of the contract. */
  'contract-habit': finding(
    'problem',
    {
      ...brokenRule,
      basis: z.enum(['documented', 'assumed']),
      occasions: count.describe('To break it'),
      per: z.enum(['execution', 'poll-after-end']).describe('An occasion'),
    },
    ({ count: times, occasions, per, ...facts }) => {
      const word = per === 'execution' ? 'executions' : 'polls after the end'
      const often = `${formatCount(times)} of ${formatCount(occasions)} ${word}`
      return violation(facts, `in ${often} (${formatShare(times / occasions)}), first`)
    },
    'many answers break the contract',
  ),
  'contract-documented': finding('warning', brokenRule, (facts) =>
    violation({ ...facts, basis: 'documented' }, timesWords(facts)),
  ),
  'contract-assumed': finding('info', brokenRule, (facts) =>
    violation({ ...facts, basis: 'assumed' }, timesWords(facts)),
  ),
  /** Success was reported for no result, as a habit, or nothing else was seen. */
  'no-output-habit': finding(
    'problem',
    withoutOutput,
    withoutOutputWords,
    'many results are empty',
  ),
  'no-output': finding('warning', withoutOutput, withoutOutputWords),
  'kickoffs-unknown': finding(
    'warning',
    { kickoffs: count },
    ({ kickoffs }) =>
      `${plural(kickoffs, 'kickoff')} got no usable answer and may have started: look for their ` +
      "correlation header in the target's logs",
  ),
  'polls-refused': finding(
    'warning',
    { ...refusal, inFlight: executions.describe('At once, at most; 0 if that is not known') },
    pollsRefusedWords,
  ),
  'kickoffs-refused': finding(
    'warning',
    refusal,
    (facts) =>
      `${refusalWords(facts, 'kickoff')}: lower the arrival rate, or make clients retry later` +
      admittedWords(facts),
  ),
  'waits-not-honoured': finding(
    'problem',
    earlyRequests,
    (facts) => `${earlyWords(facts)}, but the plan honours them: report it as a bug`,
    'waits that the target asked for were not honoured',
  ),
  /** The scenario says not to honour them. */
  'waits-ignored': finding(
    'warning',
    earlyRequests,
    (facts) => `${earlyWords(facts)}: honourRetryAfter is off in the scenario`,
  ),
  'waits-hinted': finding(
    'warning',
    { answers: count, longestMs: ms, isObeyed: z.boolean() },
    ({ answers, longestMs, isObeyed }) =>
      `${plural(answers, 'answer')} asked clients to wait, for ${formatMs(longestMs)} at most; ` +
      'they refused nothing, and the quota was not used up (Retry-After): ' +
      (isObeyed
        ? "these waits took the place of the scenario's interval (polling.hint is 'obey')"
        : "the scenario's interval was kept; clients that obey it learn of an end later " +
          "(polling.hint: 'obey' measures that)"),
  ),
  'retry-budget': finding(
    'warning',
    {},
    () =>
      'the retry budget was exhausted at times, and requests that failed then were not retried: ' +
      'raise retry.budget only if the target can take more load',
  ),
  'connections-reopened': finding(
    'warning',
    { polls: count, opened: count.describe('New connections of polls'), meanServiceMs: ms },
    ({ polls, opened, meanServiceMs }) =>
      `${formatShare(opened / polls)} of the polls opened a new connection (mean service time ` +
      `${formatMs(meanServiceMs)}): idle connections are closed before the next poll; raise the ` +
      "target's keep-alive time and connections.keepAlive above the poll interval (Node closes " +
      'idle connections after 5 s by default)',
  ),
  'samples-clamped': finding(
    'warning',
    { samples: count },
    ({ samples }) => `${plural(samples, 'sample')} over 24 h: counted as 24 h`,
  ),
  /** The scenario has prices, and none for these. */
  unpriced: finding(
    'warning',
    { executions, model: z.string().nullable().describe('Null if they name none') },
    ({ executions: many, model }) =>
      model === null
        ? `${unpriced(many, 'name')} no model, and \`prices\` has no price of every model: set its ` +
          'input and output'
        : `${unpriced(many, 'use')} ${model}, which has no price: add it to \`prices.models\``,
  ),
  /** Most ends that were to be reported were not, or nothing came at all. */
  'pushes-missing': finding(
    'problem',
    pushes,
    pushesMissingWords,
    'pushes to webhooks are missing',
  ),
  /** A threshold judges it. */
  'pushes-missing-judged': finding('warning', pushes, pushesMissingWords),
  'inputs-missing': finding(
    'info',
    {
      names: z.array(z.string()).readonly().describe('The first of them, shortened'),
      more: count.describe('Further ones'),
      hasAccepted: z
        .boolean()
        .nullable()
        .describe('Whether the crew accepted kickoffs without them; null if it got none'),
    },
    (facts) => notGivenWords(facts, facts.hasAccepted),
  ),
  'telemetry-lost': finding('info', telemetryLost, telemetryLostWords),
  'telemetry-failed': finding(
    'info',
    { error: z.string() },
    ({ error }) => `the export of the run's metrics failed, which is a bug: ${error}`,
  ),
  'k6-ended': finding('info', k6End, k6EndText),
}

export type RunFinding = FindingOf<typeof FINDINGS>

interface LedgerDifference {
  noun: 'execution' | 'arrival' | 'kickoff'
  /** For a headline. */
  brief: string
  meaning: string
}

const DIFFERENCES: Record<LedgerDisagreement['kind'], LedgerDifference> = {
  lost: {
    noun: 'execution',
    brief: 'unknown to the ledger',
    meaning: 'accepted by the target but missing from the ledger: the target lost them',
  },
  duplicate: {
    noun: 'arrival',
    brief: 'started more than once',
    meaning: 'started more than once for one arrival: a retried kickoff runs, and costs, again',
  },
  'wrong-id': {
    noun: 'kickoff',
    brief: 'answered with the id of another',
    meaning: 'answered with the wrong id: the client polls another execution, or none',
  },
  'not-found': {
    noun: 'execution',
    brief: 'not found, though in the ledger',
    meaning:
      'in the ledger but not found by the client: the target denies executions that it accepted',
  },
  forgotten: {
    noun: 'execution',
    brief: 'forgotten after the end',
    meaning:
      'forgotten by the target before the client learned of their end: results are ' +
      'not kept long enough for this polling',
  },
  asked: {
    noun: 'execution',
    brief: 'not found while a person was asked',
    meaning:
      'hidden while the crew asked a person: say so with human: true in the scenario, and they ' +
      'are followed to their end',
  },
  'not-asked': {
    noun: 'execution',
    brief: 'paused, though nobody was asked',
    meaning:
      'paused for the client, though the crew asked nobody then: it lost or hides them for ' +
      'another reason',
  },
  'never-ended': {
    noun: 'execution',
    brief: 'completed without an end in the ledger',
    meaning: 'ended for the client but not in the ledger: the target reported the end too early',
  },
  'wrong-result': {
    noun: 'execution',
    brief: 'with another result in the ledger',
    meaning: 'with an outcome or output different from the ledger: results are mixed up',
  },
  unrecorded: {
    noun: 'execution',
    brief: 'in the ledger alone',
    meaning:
      'in the ledger but not in the journal: kickoffs that the client believes did not start',
  },
  'end-outside-interval': {
    noun: 'execution',
    brief: 'with another end in the ledger',
    meaning: "with an end outside the client's interval: a clock or the measurement is wrong",
  },
}

function sharedWaitWords({ executions: many, ownMs, quotaMs, slowedMs }: SharedWaits): string {
  const share = (part: number): string => formatPercent(part / ownMs)
  const both = quotaMs > 0 && slowedMs > 0
  const part = (partMs: number, words: string): string =>
    partMs === 0 ? '' : both ? `${share(partMs)} ${words}` : words
  const why = [part(quotaMs, 'waiting for a quota'), part(slowedMs, 'slowed by each other')]
  return (
    `executions took ${share(quotaMs + slowedMs)} longer than their work alone takes: ` +
    `${why.filter((each) => each !== '').join(', ')} (mean of ${plural(many, 'execution')}, by ` +
    'the ledger); lower the rate, or raise what they share: more workers would wait for it too'
  )
}

function pausedWords({ executions: many, isAskedAgain }: ShapeFacts<typeof paused>): string {
  const later = isAskedAgain ? '; crewload resume asks again about those that waited' : ''
  return (
    `${plural(many, 'execution')} still waited for a person at the deadline: the crew may go on ` +
    `once somebody answers. Let somebody answer in time, or raise the deadline${later}`
  )
}

function warmUpWords({ outcomes }: ShapeFacts<typeof warmUp>): string {
  const total = outcomes.reduce((sum, each) => sum + each.count, 0)
  const parts = outcomes.map((each) => `${formatCount(each.count)} ${each.outcome}`).join(', ')
  return `${plural(total, 'warm-up execution')}, not counted in any metric: ${parts}`
}

function violation(
  { rule, basis, source, seen }: { rule: string; basis: string; source: string; seen: string },
  often: string,
): string {
  return `the contract's rule ${rule} (${basis}: ${source}) was violated ${often}: ${seen}`
}

function timesWords({ count: times }: { count: number }): string {
  return times === 1 ? formatTimes(times) : `${formatTimes(times)}, first`
}

function withoutOutputWords(facts: ShapeFacts<typeof withoutOutput>): string {
  const all = plural(facts.completed, 'completed execution')
  return (
    `${formatCount(facts.withoutOutput)} of ${all} came without any result: the final output is ` +
    'missing or empty; look at one in the log of the crew, and add a check of the output to the ' +
    'scenario'
  )
}

type RefusalFacts = ShapeFacts<typeof refusal>

const MS_PER_MINUTE = 60_000

function pollsRefusedWords({ inFlight, ...facts }: RefusalFacts & { inFlight: number }): string {
  const { admittedPerMinute } = facts
  const refused = `${refusalWords(facts, 'poll')}: poll less often, or with a growing interval`
  if (admittedPerMinute === 0 || inFlight === 0) return refused
  const every = formatMs((inFlight * MS_PER_MINUTE) / admittedPerMinute)
  return (
    `${refused}${admittedWords(facts)}, which is one poll of each of ` +
    `${plural(inFlight, 'execution')} in flight every ${every}`
  )
}

function refusalWords({ status, refused, requests }: RefusalFacts, noun: string): string {
  return `${formatCount(refused)} of ${plural(requests, noun)} ${inNumber(refused, 'was', 'were')} refused with ${status}`
}

function admittedWords({ admittedPerMinute: most }: RefusalFacts): string {
  return most === 0 ? '' : `; the target admitted at most ${formatCount(most)} per minute`
}

function unpriced(executions: number, verb: string): string {
  return plural(
    executions,
    `execution of unknown cost ${verb}s`,
    `executions of unknown cost ${verb}`,
  )
}

function earlyWords({ early, waits }: ShapeFacts<typeof earlyRequests>): string {
  const verb = inNumber(early, 'was', 'were')
  return `${formatCount(early)} of ${plural(waits, 'wait')} that the target asked for ${verb} not honoured`
}

function pushesMissingWords({ ends, received, missed, early }: ShapeFacts<typeof pushes>): string {
  const found =
    received === 0
      ? `no push came about ${plural(ends, 'execution')} that ended`
      : `no push in time reported ${formatCount(missed)} of ${plural(ends, 'end')}, and ` +
        `${formatCount(early)} had one that came too early`
  return `${found}: look whether the crew sends to the webhooks of its kickoffs, and can reach them`
}

/** Either a moment or an age may explain them, or both, or none is clear. */
function forgottenWords(facts: ShapeFacts<typeof forgetting>): string {
  return `${forgottenBy(facts)}${facts.isAskedPossible ? OR_ASKED : ''}`
}

function forgottenBy({ executions, moment, age }: ShapeFacts<typeof forgetting>): string {
  const stopped = `the target stopped finding ${plural(executions, 'execution')}`
  const before = `${stopped} that it had reported before`
  if (moment === null) {
    return age === null ? `${before}: it may have lost them` : `${stopped}: ${keptWords(age)}`
  }
  const restarted = `at ${bracketWords(moment)} ${before}: it may have restarted or lost its data`
  return age === null ? restarted : `${restarted}, or ${keptWords(age)}`
}

/**
 * What else explains them if nothing but their answers is known: live deployments answer "not
 * found" while they wait for a person.
 */
const OR_ASKED =
  '. Or the crew hides them while it asks a person: if it asks people, set human: true in the ' +
  'scenario'

function keptWords(age: BracketFacts): string {
  return (
    `it may keep results only for ${bracketWords(age)} after acceptance: raise the retention, or ` +
    'poll more often towards the end'
  )
}

/** `6.10 to 8.02 s`. */
function bracketWords({ afterMs, byMs }: BracketFacts): string {
  return formatInterval({ low: afterMs, high: byMs }, 'ms')!
}

type TelemetryLost = ShapeFacts<typeof telemetryLost>

const ITEMS = { metrics: 'batches of metrics', spans: 'spans' }

function telemetryLostWords({ items, lost, of, why }: TelemetryLost): string {
  return `OTLP: ${lost} of ${of} ${ITEMS[items]} were lost: ${lossWords(why)}`
}

function lossWords(why: TelemetryLost['why']): string {
  switch (why.code) {
    case 'answered':
      return `it answered ${why.status}`
    case 'error':
      return why.error
    case 'busy':
      return 'it kept answering 429, 502, 503 or 504'
    case 'failed':
      return 'the request failed'
    case 'no-answer':
      return 'no answer in time'
    case 'not-otlp':
      return 'the answer is not one of OTLP'
    case 'queue-full':
      return 'the queue was full'
    case 'rejected':
      return 'it rejected them (partial success)'
    default:
      return unreachable(why)
  }
}
