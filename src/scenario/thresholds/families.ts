/** Every family of metrics, and what such a family is. */
import type { Outcome } from '../outcomes.ts'
import type { DocumentedOperation } from '../../crew/answer.ts'
import { OUTCOMES } from '../outcomes.ts'

/**
 * `micros` are integer microseconds; a `share` runs from 0 to 1; `perSecond` is a rate over the
 * measured window; `money` is counted in millionths of the currency; a `flag` is 1 or 0.
 */
export type MetricUnit = 'micros' | 'share' | 'count' | 'perSecond' | 'money' | 'flag'

export interface MetricFamily {
  /** The name of the family in code. */
  kind: string
  /**
   * The names in the family: `<operation>.error` has three. The part in angle brackets is a word of
   * `Words`, or one of the words listed there.
   */
  pattern: string
  unit: MetricUnit
  /**
   * `crew`: its time runs `speed` times as fast in a time-lapse, so a bound is divided (a rate
   * multiplied); `real`: it does not.
   */
  time: 'crew' | 'real'
  /** One or more sentences for the documentation and for `crewload schema metrics`. */
  meaning: string
  /** The meaning of each word listed in `pattern`, when `meaning` does not explain it. */
  each?: Readonly<Record<string, string>>
  /** What one observation is; null for a metric that is not a count of observations. */
  observation: 'execution' | 'request' | null
  /**
   * The parts of a result that contain it: only the whole run, or also the arrivals of each tag.
   */
  of: 'run' | 'tags'
  /**
   * What a run must have for it to be measured: a door for pushes, questions to people, executions
   * that report tokens, or these and their prices; null for nothing.
   */
  needs: 'pushes' | 'people' | 'tokens' | 'prices' | null
  /** What to look at first when a threshold on it is missed. */
  hint: string
}

/**
 * `p95` is `{ kind: 'quantile', q: 0.95 }`; any `p<number>` with 0 < number < 100 is a quantile.
 */
export type Statistic =
  | { kind: 'quantile'; q: number }
  | { kind: 'min' }
  | { kind: 'max' }
  | { kind: 'mean' }

type StatisticName = 'min' | 'max' | 'mean' | `p${number}`

/** The words that a pattern can contain: as written, and as parsed. */
interface Words {
  operation: { written: DocumentedOperation; read: DocumentedOperation }
  statistic: { written: StatisticName; read: Statistic }
  outcome: { written: Outcome; read: Outcome }
  /** Any text: the name of one of the scenario's checks. */
  name: { written: string; read: string }
}

/** Every name of a pattern, which an editor can complete. */
export type NameIn<Pattern> = Pattern extends `${infer Head}<${infer Slot}>${infer Tail}`
  ? `${Head}${Written<Slot>}${NameIn<Tail>}`
  : Pattern & string

/** The meaning of a name of the family: the family, and a field for each slot of its pattern. */
export type ReferenceTo<Family> = Family extends { kind: infer Kind; pattern: infer Pattern }
  ? {
      [Field in FieldOf<SlotIn<Pattern>> | 'kind']: Field extends 'kind'
        ? Kind
        : Read<Field, Pattern>
    }
  : never

type SlotIn<Pattern> = Pattern extends `${string}<${infer Slot}>${infer Tail}`
  ? Slot | SlotIn<Tail>
  : never

/** Words listed in the pattern itself are in the field `which`. */
type FieldOf<Slot> = Slot extends keyof Words ? Slot : Slot extends string ? 'which' : never

type Read<Field, Pattern> = Field extends keyof Words
  ? Words[Field]['read']
  : OneOf<Exclude<SlotIn<Pattern>, keyof Words>>

type Written<Slot> = Slot extends keyof Words ? Words[Slot]['written'] : OneOf<Slot>

type OneOf<Slot> = Slot extends `${infer First}|${infer Rest}` ? First | OneOf<Rest> : Slot & string

/** Families that have the fields of `common`, each with its own. */
function alike<const Common, const Rows extends readonly object[]>(
  common: Common,
  rows: Rows & { [I in keyof Rows]: Omit<MetricFamily, keyof Common> },
): { [I in keyof Rows]: Common & Rows[I] } {
  return rows.map((row) => ({ ...common, ...row })) as { [I in keyof Rows]: Common & Rows[I] }
}

const SHORTEN_THE_LONGEST = 'shorten what takes most of it, or allow more'
const FIX_THE_REASON = 'fix the most frequent reason first'

export const EXECUTION_METRICS = alike(
  { time: 'crew', observation: 'execution', of: 'tags', needs: null },
  [
    {
      kind: 'execution',
      pattern: 'execution.<statistic>',
      unit: 'micros',
      meaning:
        'From the intended start to the moment the client knew the end, over all arrivals that ' +
        'were due. Never for those rejected, unknown, lost or unreadable; right-censored for ' +
        "those paused, stuck or aborted (Kaplan and Meier's curve). Waits for people are part of it " +
        'and also in `people.waited`.',
      hint: SHORTEN_THE_LONGEST,
    },
    {
      kind: 'completedExecution',
      pattern: 'execution.completed.<statistic>',
      unit: 'micros',
      meaning: 'As `execution`, over completed executions only. It says nothing about the others.',
      hint: SHORTEN_THE_LONGEST,
    },
    {
      kind: 'detectionDelay',
      pattern: 'detectionDelay.<statistic>',
      unit: 'micros',
      meaning:
        'From the true end of an execution to the moment the client learned of it: the delay that ' +
        'polling adds. On a fake crew the ledger gives the true end. Elsewhere it is an upper ' +
        'bound, from the last poll that saw no end to the first that saw one. Never for executions ' +
        'that were lost or unreadable.',
      hint: 'poll more often towards the end',
    },
    {
      kind: 'failedShare',
      pattern: 'execution.failed',
      unit: 'share',
      meaning:
        'Share of failed executions among those that completed or failed, as the crew ' +
        'itself reports them. Executions that were ' +
        'rejected, lost, stuck, unknown or unreadable are in `outcome.unserved`.',
      hint: FIX_THE_REASON,
    },
    {
      kind: 'unserved',
      pattern: 'outcome.unserved',
      unit: 'share',
      meaning:
        'Share of arrivals that got neither a result nor a reported failure: rejected, unknown, ' +
        'lost, stuck or unreadable. It is of all that were due, not aborted, and not paused. Aborted ' +
        'and paused ones widen its interval: nobody knows whether they would have been served.',
      hint: FIX_THE_REASON,
    },
    {
      kind: 'outcome',
      pattern: 'outcome.<outcome>',
      unit: 'share',
      meaning:
        `Share of arrivals with this outcome: ${OUTCOMES.join(', ')}. \`dropped\`, \`notReached\` ` +
        `and \`aborted\` are shares of all arrivals; the others exclude these three.`,
      hint: FIX_THE_REASON,
    },
    {
      kind: 'check',
      pattern: 'checks.<name>',
      unit: 'share',
      meaning:
        'Share of completed executions that passed the check of that name, out of those for which ' +
        'it returned a result. An exception in a check makes the run INVALID.',
      hint: 'fix what its first example shows',
    },
  ],
)

const COMPARE = 'compare response with service time: a gap is queueing before the target'

export const REQUEST_METRICS = alike({ of: 'run', needs: null }, [
  {
    kind: 'kickoffResponse',
    pattern: 'kickoff.response.<statistic>',
    unit: 'micros',
    time: 'real',
    meaning:
      'How long a user waits from the intended start until the kickoff is accepted, over all ' +
      'arrivals that were due. Retries and pauses count. Never for those rejected or unknown.',
    observation: 'execution',
    hint: COMPARE,
  },
  {
    kind: 'request',
    pattern: '<operation>.<service|response|attempt|refused|socketWait>.<statistic>',
    unit: 'micros',
    time: 'real',
    meaning: 'Time of the requests of one operation: inputs, kickoff or status.',
    each: {
      response:
        'From the intended time of a request to the last byte of a usable answer, free of ' +
        'coordinated omission.',
      service: 'From the first byte sent to the last byte received of a usable answer.',
      attempt: 'As `response`, for each single request; retries count separately.',
      refused: 'Service time of answers that refused the request or were unusable.',
      socketWait: 'From handing the request over to its first byte on a socket.',
    },
    observation: 'request',
    hint: COMPARE,
  },
  {
    kind: 'requestError',
    pattern: '<operation>.error',
    unit: 'share',
    time: 'real',
    meaning: 'Share of requests without a usable answer, including retries.',
    observation: 'request',
    hint: FIX_THE_REASON,
  },
  {
    kind: 'lateness',
    pattern: 'lateness.<statistic>',
    unit: 'micros',
    time: 'real',
    meaning: 'From intended to sent: the delay caused by the generator, never by the target.',
    observation: 'request',
    hint: 'lower the rate, or run the generator on a separate machine',
  },
  {
    kind: 'handshakeShare',
    pattern: 'connections.handshakeShare',
    unit: 'share',
    time: 'real',
    meaning: 'Share of requests that had to open a connection.',
    observation: null,
    hint: "poll within the target's keep-alive time, or raise it",
  },
  {
    kind: 'retryRatio',
    pattern: 'retries.ratio',
    unit: 'share',
    time: 'crew',
    meaning:
      'Retries per first attempt, kickoffs and polls together; 0.1 is ten per cent more requests.',
    observation: null,
    hint: 'poll less often',
  },
])

const POLL_LESS = 'poll less often'

export const POLLING_METRICS = alike(
  { time: 'crew', observation: null, of: 'tags', needs: null, hint: POLL_LESS },
  [
    {
      kind: 'polls',
      pattern: 'polls.<perExecution|wasted>',
      unit: 'count',
      meaning: 'Mean number of polls per accepted execution.',
      each: {
        perExecution: 'All polls.',
        wasted: 'Polls that saw no change.',
      },
    },
    {
      kind: 'wastedShare',
      pattern: 'polls.wastedShare',
      unit: 'share',
      meaning: 'Share of polls that saw no change.',
    },
  ],
)

const DELIVERY = 'look up what was sent in the ledger of a fake crew, or poll as a net'

export const PUSH_METRICS = alike({ time: 'crew', of: 'run', needs: 'pushes' }, [
  {
    kind: 'pushDelay',
    pattern: 'pushes.delay.<statistic>',
    unit: 'micros',
    meaning:
      'From the true end of an execution to the first push that reported it. An end that none ' +
      'reported counts as never. Known only with a ledger.',
    observation: 'execution',
    hint: DELIVERY,
  },
  {
    kind: 'pushShare',
    pattern: 'pushes.<missed|early>',
    unit: 'share',
    meaning: 'Share of the executions that polls saw end.',
    each: {
      missed: 'No push reported the end.',
      early: 'A push reported the end too early: before it, or before a poll that saw it at work.',
    },
    observation: 'execution',
    hint: DELIVERY,
  },
  {
    kind: 'pushRepeats',
    pattern: 'pushes.repeated',
    unit: 'share',
    meaning: 'Share of the pushes that reported what an earlier one had reported.',
    observation: null,
    hint: DELIVERY,
  },
  {
    kind: 'pushRefusals',
    pattern: 'pushes.refused',
    unit: 'count',
    meaning: 'Pushes that could not be read, were not authentic, or named an unknown execution.',
    observation: null,
    hint: 'look at what else sends to this address, and at the key of signatures',
  },
])

const ANSWER_SOONER = 'answer sooner, or let fewer people be asked'

export const PEOPLE_METRICS = alike(
  { time: 'crew', of: 'run', needs: 'people', hint: ANSWER_SOONER },
  [
    {
      kind: 'peopleWaited',
      pattern: 'people.waited.<statistic>',
      unit: 'micros',
      meaning:
        'From the poll that saw a question to the accepted answer, or to the poll that no longer saw ' +
        'it. Right-censored if nobody answered. One for each question.',
      observation: null,
    },
    {
      kind: 'peopleAsked',
      pattern: 'people.asked',
      unit: 'share',
      meaning: 'Share of accepted executions that asked a person, as polls saw it.',
      observation: 'execution',
    },
  ],
)

const LESS_WORK = 'look at what the most expensive executions asked, and at their retries'
const UNREPORTED = 'What is not reported may be any number: it widens the interval.'
const PRICED = 'Known where the scenario has `prices`.'

export const USAGE_METRICS = [
  {
    kind: 'tokens',
    pattern: 'tokens.<input|output|cached|total>.<statistic>',
    unit: 'count',
    time: 'real',
    meaning: `Tokens of an execution, as answers or pushes report them. ${UNREPORTED}`,
    each: {
      input: 'What was sent to models.',
      output: 'What models answered.',
      cached: 'The part of the input that came from a cache.',
      total: 'Input and output.',
    },
    observation: 'execution',
    of: 'tags',
    needs: 'tokens',
    hint: LESS_WORK,
  },
  {
    kind: 'tokensUnreported',
    pattern: 'tokens.unreported',
    unit: 'share',
    time: 'real',
    meaning: 'Share of the executions that cost, or may have, and report no tokens.',
    observation: 'execution',
    of: 'tags',
    needs: 'tokens',
    hint: 'let the crew report usage_metrics',
  },
  {
    kind: 'cost',
    pattern: 'cost.execution.<statistic>',
    unit: 'money',
    time: 'real',
    meaning: `Cost of an execution by its tokens. ${UNREPORTED} ${PRICED}`,
    observation: 'execution',
    of: 'tags',
    needs: 'prices',
    hint: LESS_WORK,
  },
  {
    kind: 'costSum',
    pattern: 'cost.<total|completed|failed|stuck|retried>',
    unit: 'money',
    time: 'real',
    meaning:
      'Cost of these executions together. If some report no tokens, only a lower bound is known. ' +
      PRICED,
    each: {
      total: 'All of them.',
      completed: 'Completed ones.',
      failed: 'Failed ones.',
      stuck: 'Stuck ones.',
      retried: 'Those whose kickoff was retried.',
    },
    observation: null,
    of: 'tags',
    needs: 'prices',
    hint: LESS_WORK,
  },
] as const satisfies readonly MetricFamily[]

const OTHER_RATE = 'change the rate, or the bound'

export const TARGET_METRICS = alike({ observation: null, needs: null }, [
  {
    kind: 'throughput',
    pattern: 'throughput.<accepted|completed>',
    unit: 'perSecond',
    time: 'crew',
    meaning:
      'Executions per second between the end of the warm-up and the end of the arrivals, or ' +
      'their cut. Unknown if a number of iterations ends the run.',
    of: 'tags',
    hint: OTHER_RATE,
  },
  {
    kind: 'maxInFlight',
    pattern: 'inFlight.max',
    unit: 'count',
    time: 'crew',
    meaning: 'The most executions accepted and not yet ended at one moment.',
    of: 'run',
    hint: OTHER_RATE,
  },
  {
    kind: 'contract',
    pattern: 'contract.<violations|documented>',
    unit: 'count',
    time: 'crew',
    meaning: 'Violations of the interface.',
    each: {
      violations: 'By all rules.',
      documented: 'By the documented rules only.',
    },
    of: 'run',
    hint: 'fix what its first example shows',
  },
  {
    kind: 'ledgerWrong',
    pattern: 'ledger.wrong',
    unit: 'count',
    time: 'crew',
    meaning:
      "Executions on which the fake crew's ledger contradicts the answers: mixed up, duplicated, " +
      'denied or otherwise disagreeing. Known only with a ledger.',
    of: 'run',
    hint: 'look them up in ledger.ndjson',
  },
  {
    kind: 'targetAlive',
    pattern: 'target.alive',
    unit: 'flag',
    time: 'real',
    meaning:
      '1 if the target gave a usable answer at the end, or to one of three later probes; ' +
      '0 otherwise.',
    of: 'run',
    hint: 'check the deployment: its logs, memory and restarts',
  },
])
