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
import { CREW_ENDED, k6EndText } from './end-reasons.ts'
import { answerCode, k6End } from '../../execution/record/reason.schema.ts'
import { outcome } from '../../execution/record/shapes.schema.ts'
import type { ShapeFacts, FindingOf } from '../sentence-tables.ts'
import { finding } from '../sentence-tables.ts'
import { recovery, stall } from '../disturbances.schema.ts'
import { count, disagreement, ms, sharedWaits } from '../document-parts.schema.ts'
import { openFacts, openWords } from './early-ends.ts'
import { DIFFERENCES, differenceWords } from './ledger-differences.ts'
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

const OUTPUT_REMEDY =
  'look at one in the log of the crew, and add a check of the output to the scenario'

const PUSH_REMEDY =
  'look whether the crew sends to the webhooks of its kickoffs, and can reach them'

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
      `${differenceWords(kind, many)}${first === null ? '' : `, first ${first}`}`,
    ({ kind }) => DIFFERENCES[kind].remedy,
    ({ kind, executions: many }) => differenceWords(kind, many),
  ),
  'ledger-missing': finding(
    'warning',
    { error: z.string() },
    ({ error }) => `nothing was compared with the ledger, which could not be fetched (${error})`,
  ),
  'marks-missing': finding(
    'warning',
    { marks: count, untilMs: ms },
    ({ marks, untilMs }) =>
      `counts of touched answers miss the first ${formatMs(untilMs)}: the fake crew dropped its ` +
      `oldest ${plural(marks, 'mark')}`,
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
    ({ sinceMs, untilMs, accepted }) =>
      `nothing completed after ${formatMs(sinceMs)}, though the crew accepted ` +
      `${plural(accepted, 'execution')} in the next ${formatMs(untilMs - sinceMs)}`,
    ({ overload }) =>
      overload === null
        ? 'look at the crew at that time'
        : `lower the rate${overload.isShared ? '' : ', or add workers'}: the crew is overloaded`,
    ({ sinceMs }) => `nothing completed after ${formatMs(sinceMs)}`,
  ),
  'started-after-given-up': finding(
    'warning',
    { started: executions, givenUp: executions },
    ({ started, givenUp }) =>
      `${formatCount(givenUp)} of ${plural(started, 'execution')} started after their client had given up`,
    'lower the rate, raise the deadline, or let the crew refuse kickoffs when its queue is long',
  ),
  'shared-waits': finding(
    'warning',
    sharedWaits.shape,
    ({ ownMs, quotaMs, slowedMs }) => {
      const share = (partMs: number): string => formatPercent(partMs / ownMs)
      return (
        `by the ledger, executions took ${share(quotaMs + slowedMs)} longer than alone: ` +
        `${share(quotaMs)} waiting for a quota, ${share(slowedMs)} slowed by each other`
      )
    },
    'lower the rate, or raise what they share: more workers would wait for it too',
  ),
  /** The target stopped finding executions that it had reported. */
  forgotten: finding(
    'problem',
    forgetting,
    ({ executions: many, moment }) => {
      const at = moment === null ? '' : `at ${bracketWords(moment)} `
      return `${at}the target stopped finding ${plural(many, 'execution')} that it had reported before`
    },
    forgottenRemedy,
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
    ({ of, answer, fromMs, failed }) =>
      `${lossCause(answer).happened} from ${formatMs(fromMs)} on (${answer}): none of ` +
      `${plural(failed, of)} succeeded`,
    ({ answer }) => lossCause(answer).remedy,
    'the target gave only errors at the end',
  ),
  'not-recovered': finding(
    'problem',
    recovery.pick({ faults: true, toMs: true, untilMs: true, former: true }).shape,
    ({ faults, toMs, untilMs }) =>
      `after ${faults.join(', ')} ended at ${formatMs(toMs)}, service stayed below 95 % of its ` +
      `former level until ${formatMs(untilMs)}`,
    'find the tipping point with crewload recovery',
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
    pausedRemedy,
    ({ executions: many }) => `${plural(many, 'execution')} waited for a person`,
  ),
  /** A threshold of the scenario judges those that were paused. */
  'paused-judged': finding('warning', paused, pausedWords, pausedRemedy),
  'left-in-flight': finding(
    'problem',
    { executions, first: z.string().describe('The kickoff_id of one') },
    ({ executions: many, first }) =>
      `${plural(many, 'execution')} accepted but not ended, first ${first}`,
    'continue with crewload resume',
    'executions were left in flight',
  ),
  'left-unanswered': finding(
    'problem',
    { kickoffs: count },
    ({ kickoffs }) =>
      `${plural(kickoffs, 'kickoff')} not answered before the cut may have started executions`,
    "see their arrivals in the journal's started lines",
    'kickoffs were left unanswered',
  ),
  'left-with-crew': finding(
    'info',
    openFacts,
    (open) => `${openWords(open)} when the run was cut: ${CREW_ENDED}`,
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
      `${plural(many, 'execution')} continued after ${wasCut ? 'a cut' : 'the end'}: earlier polls ` +
      'and ends in between are not known',
  ),
  'warm-up-left': finding(
    'problem',
    warmUp,
    warmUpWords,
    'look after aborted ones, which may still be running on the target and costing money',
    'executions of the warm-up were left',
  ),
  'warm-up-cut': finding('info', warmUp, warmUpWords),
  'late-for-requests': finding(
    'info',
    { p99Ms: ms },
    ({ p99Ms }) =>
      `requests were sent up to ${formatMs(p99Ms)} late (p99), which is much for single requests`,
    'use their service times, not their response times',
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
    '',
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
    OUTPUT_REMEDY,
    'many results are empty',
  ),
  'no-output': finding('warning', withoutOutput, withoutOutputWords, OUTPUT_REMEDY),
  'kickoffs-unknown': finding(
    'warning',
    { kickoffs: count },
    ({ kickoffs }) => `${plural(kickoffs, 'kickoff')} got no usable answer and may have started`,
    "look for their correlation header in the target's logs",
  ),
  'polls-refused': finding(
    'warning',
    { ...refusal, inFlight: executions.describe('At once, at most; 0 if that is not known') },
    (facts) => refusalWords(facts, 'poll'),
    ({ inFlight, admittedPerMinute: most }) =>
      most === 0 || inFlight === 0
        ? 'poll less often, or with a growing interval'
        : `poll no execution more often than every ${formatMs((inFlight * MS_PER_MINUTE) / most)}`,
  ),
  'kickoffs-refused': finding(
    'warning',
    refusal,
    (facts) => refusalWords(facts, 'kickoff'),
    'lower the arrival rate, or make clients retry later',
  ),
  'waits-not-honoured': finding(
    'problem',
    earlyRequests,
    earlyWords,
    'report it as a bug: the plan honours them',
    'waits that the target asked for were not honoured',
  ),
  /** The scenario says not to honour them. */
  'waits-ignored': finding(
    'warning',
    earlyRequests,
    earlyWords,
    'set honourRetryAfter in the scenario, unless you mean to ignore them',
  ),
  'waits-hinted': finding(
    'warning',
    { answers: count, longestMs: ms, isObeyed: z.boolean() },
    ({ answers, longestMs, isObeyed }) =>
      `${plural(answers, 'answer')} asked clients to wait up to ${formatMs(longestMs)} without ` +
      `need, and the run ${isObeyed ? 'obeyed' : "kept the scenario's interval"}`,
    ({ isObeyed }) =>
      isObeyed
        ? ''
        : "measure clients that obey, and learn of ends later, with polling.hint: 'obey'",
  ),
  'retry-budget': finding(
    'warning',
    {},
    () => 'the retry budget was exhausted at times, and requests that failed then were not retried',
    'raise retry.budget only if the target can take more load',
  ),
  'connections-reopened': finding(
    'warning',
    { polls: count, opened: count.describe('New connections of polls'), meanServiceMs: ms },
    ({ polls, opened, meanServiceMs }) =>
      `${formatShare(opened / polls)} of the polls opened a new connection (mean service time ` +
      `${formatMs(meanServiceMs)})`,
    "raise the target's keep-alive time (5 s in Node) and connections.keepAlive above the poll interval",
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
      `${plural(many, 'execution')} of unknown cost ` +
      (model === null
        ? inNumber(many, 'names no model', 'name no model')
        : `${inNumber(many, 'uses', 'use')} ${model}, which has no price`),
    ({ model }) =>
      model === null
        ? 'set input and output in `prices`, the price of every other model'
        : 'add it to `prices.models`',
  ),
  /** Most ends that were to be reported were not, or nothing came at all. */
  'pushes-missing': finding(
    'problem',
    pushes,
    pushesMissingWords,
    PUSH_REMEDY,
    'pushes to webhooks are missing',
  ),
  /** A threshold judges it. */
  'pushes-missing-judged': finding('warning', pushes, pushesMissingWords, PUSH_REMEDY),
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

function pausedWords({ executions: many }: ShapeFacts<typeof paused>): string {
  return `${plural(many, 'execution')} still waited for a person at the deadline`
}

function pausedRemedy({ isAskedAgain }: ShapeFacts<typeof paused>): string {
  const later = isAskedAgain ? ', and ask again about them with crewload resume' : ''
  return `let somebody answer in time, or raise the deadline${later}`
}

function warmUpWords({ outcomes }: ShapeFacts<typeof warmUp>): string {
  const total = outcomes.reduce((sum, each) => sum + each.count, 0)
  const parts = outcomes.map((each) => `${formatCount(each.count)} ${each.outcome}`).join(', ')
  return `${plural(total, 'warm-up execution')}, not counted in any metric: ${parts}`
}

function violation(
  { rule, basis, seen }: { rule: string; basis: string; seen: string },
  often: string,
): string {
  return `the contract's rule ${rule} (${basis}) was violated ${often}: ${seen}`
}

function timesWords({ count: times }: { count: number }): string {
  return times === 1 ? formatTimes(times) : `${formatTimes(times)}, first`
}

function withoutOutputWords(facts: ShapeFacts<typeof withoutOutput>): string {
  const all = plural(facts.completed, 'completed execution')
  return `${formatCount(facts.withoutOutput)} of ${all} came without a final output`
}

type RefusalFacts = ShapeFacts<typeof refusal>

const MS_PER_MINUTE = 60_000

function refusalWords(facts: RefusalFacts, noun: string): string {
  const { status, refused, requests, admittedPerMinute: most } = facts
  const were = inNumber(refused, 'was', 'were')
  const admitted = most === 0 ? '' : `, and at most ${formatCount(most)} admitted per minute`
  return `${formatCount(refused)} of ${plural(requests, noun)} ${were} refused with ${status}${admitted}`
}

function earlyWords({ early, waits }: ShapeFacts<typeof earlyRequests>): string {
  const verb = inNumber(early, 'was', 'were')
  return `${formatCount(early)} of ${plural(waits, 'wait')} that the target asked for ${verb} not honoured`
}

function pushesMissingWords({ ends, missed, early }: ShapeFacts<typeof pushes>): string {
  return (
    `no push in time reported ${formatCount(missed)} of ${plural(ends, 'end')}, and ` +
    `${formatCount(early)} had one that came too early`
  )
}

/** Either a moment or an age may explain them, or both, or none is clear. */
function forgottenRemedy({ moment, age, isAskedPossible }: ShapeFacts<typeof forgetting>): string {
  const causes = [
    moment === null && age !== null ? [] : 'find whether it restarted or lost its data',
    age === null ? [] : `raise the retention, which may be ${bracketWords(age)} after acceptance`,
    isAskedPossible ? ASKED : [],
  ]
  return causes.flat().join('. Or ')
}

/** Live deployments answer "not found" while they wait for a person. */
const ASKED = 'set human: true in the scenario, if it asks people'

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
