/** What a check can find: a row for each code, with its state, its sentence and its remedy. */
import { z } from 'zod'
import { DOCUMENTED_OPERATIONS, FAILURE_CLASSES } from '../../crew/answer.ts'
import type { AnswerCode } from '../../crew/observation.ts'
import { BODY_FAULTS } from '../../crew/observation.ts'
import { namesWords } from '../../crew/inputs/sentences.ts'
import { micros } from '../../base/micros.schema.ts'
import { formatDuration, plural } from '../../base/numbers.ts'
import { inSentences } from '../../base/text.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import { answerCode, endReason } from '../../execution/record/reason.schema.ts'
import { dialect as spoken, outcome } from '../../execution/record/shapes.schema.ts'
import { resultDocument } from '../../result/document.ts'
import { endReasonText } from '../../result/sentences/end-reasons.ts'
import type { ShapeFacts } from '../../result/sentence-tables.ts'
import { failureWords } from '../target/preflight.ts'
import type { DiagnosisOf, DiagnosisRow } from './diagnosis.ts'
import { rowsOf } from './diagnosis.ts'

const connection = rowsOf('connection', 'one request on a new connection')
const coldStart = rowsOf(
  'connection',
  'the crew had to start first (a cold start): the first user after a pause waits as long',
)
const keepAlive = rowsOf(
  'keep-alive',
  'a poll interval longer than the keep-alive time-out opens a connection at every poll',
)
const silence = rowsOf('keep-alive', 'the target answered once, and then no more')
const clock = rowsOf(
  'clock',
  'Retry-After dates and timestamps of the target are read against its clock',
)
const inputs = rowsOf(
  'inputs',
  'what a kickoff may carry; crews also list inputs that they do not need',
)
const unknownId = rowsOf('unknown id', 'what a client sees for an execution that does not exist')
const UNAUTHORIZED = 'a request without a valid token must get 401'
const inputsSent = rowsOf(
  'inputs sent',
  'what the one kickoff carried: --inputs, or a sample for each name that may be needed',
)
const execution = rowsOf('execution', 'one kickoff, followed to its end or for --wait')
const dialect = rowsOf(
  'dialect',
  '"interface" answers have the field "status", "platform" answers "state"; crewload reads both',
)
const newDialect = rowsOf(
  'dialect',
  inSentences(
    'since "platform", the status while a person is asked is NOT FOUND, not PAUSED',
    'POST /resume takes executionId and taskId',
    'A crew that needs no input starts without a body',
  ),
)
const contract = rowsOf(
  'contract',
  'the rules of the interface (crewload schema contract lists them)',
)
const shape = rowsOf('shape', 'which of the known forms of the interface the crew speaks')

const LOG = 'look at the log of the crew'

const RELYING = 'clients that rely on these rules will fail'

const opened = { connectMicros: micros, serviceMicros: micros }

/** The header `Keep-Alive`, shortened; null without one. */
const kept = { hint: z.string().nullable() }

const listed = {
  /** Null if they cannot be read. */
  listed: z
    .array(z.object({ name: z.string(), required: z.boolean().nullable() }))
    .readonly()
    .nullable(),
  answer: answerCode,
}

const unknownStatus = { answer: answerCode, dialect: spoken }

/** How the one execution ended. */
const followed = {
  outcome,
  reason: endReason.nullable(),
  tookMicros: micros,
  /** As the crew reports it; null if it does not. */
  executionTimeSeconds: z.number().nullable(),
  polls: z.int(),
  /** The last answer by which it is judged; null without one. */
  last: answerCode.nullable(),
}

const broken = { rules: resultDocument.shape.contract.shape.rules }

const form = {
  kind: z.enum(['interface', 'platform', 'mixed', 'flow']).nullable(),
  progress: z.enum(['tasks', 'steps']).nullable(),
  /** What is other than documented. */
  differs: z.array(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.enum(['state-field', 'both-fields', 'steps', 'unknown-id']) }),
      z.object({
        kind: z.literal('path'),
        operation: z.enum(DOCUMENTED_OPERATIONS),
        path: z.string(),
      }),
    ]),
  ),
}
type FormFacts = ShapeFacts<typeof form>

export const DIAGNOSES = {
  'connection-answered': connection('ok', opened, ({ connectMicros, serviceMicros }) => {
    return `${openedWords(connectMicros)}, answered in ${formatDuration(serviceMicros)}`
  }),
  'connection-cold': coldStart(
    'warning',
    { ...opened, nextMicros: micros },
    ({ connectMicros, serviceMicros, nextMicros }) =>
      `${openedWords(connectMicros)}, first answer after ${formatDuration(serviceMicros)}, ` +
      `the next after ${formatDuration(nextMicros)}`,
    'keep the crew warm, or give the first request of your clients a longer time-out',
  ),
  'connection-kept': keepAlive('ok', kept, ({ hint }) => hinted('connection kept', hint)),
  'connection-not-kept': keepAlive(
    'warning',
    kept,
    ({ hint }) => hinted('a new connection for each request', hint),
    'expect a handshake in every latency, and for every client of yours',
  ),
  'second-unanswered': silence(
    'problem',
    {
      failure: z.object({
        class: z.enum(FAILURE_CLASSES),
        detail: z.string(),
        isLocal: z.literal(true).exactOptional(),
      }),
    },
    ({ failure }) => `the second request was not answered: ${failureWords(failure)}`,
    `${LOG}; no kickoff is sent to it`,
  ),
  'clock-unknown': clock('absent', {}, () => 'no Date header'),
  'clock-close': clock('ok', {}, () => 'within 2 s of ours'),
  'clock-off': clock(
    'warning',
    { offsetMs: z.number() },
    ({ offsetMs }) =>
      `${formatDuration(Math.abs(offsetMs) * 1_000)} ${offsetMs < 0 ? 'behind' : 'ahead of'} ours`,
    'set the clock of one of the two machines',
  ),
  'inputs-listed': inputs('ok', listed, listedWords),
  'inputs-unreadable': inputs('warning', listed, listedWords),
  'inputs-broken': inputs(
    'warning',
    { ...listed, rule: z.string(), example: z.string() },
    listedWords,
    ({ rule, example }) => `contract: ${rule}: ${example}`,
  ),
  'unknown-id-named': unknownId('ok', unknownStatus, unknownWords),
  'unknown-id-unnamed': unknownId(
    'warning',
    unknownStatus,
    unknownWords,
    'expected 404, or the platform\'s "NOT FOUND"',
  ),
  ...authRows('no-token', 'no token'),
  ...authRows('wrong-token', 'wrong token'),
  'inputs-sent': inputsSent(
    'ok',
    { sent: z.array(z.string()).readonly(), left: z.array(z.string()).readonly() },
    ({ sent, left }) => {
      const without = left.length === 0 ? '' : `; not sent: ${namesWords(left)}`
      return `${namesWords(sent) || 'none'}${without}`
    },
  ),
  'kickoff-declined': execution(
    'absent',
    {},
    () => 'no kickoff was sent: it was not confirmed',
    'confirm it with --yes, or check without it: --no-kickoff',
  ),
  'kickoff-unsent': execution('absent', {}, () => 'no kickoff was sent'),
  'inputs-refused': execution(
    'problem',
    {},
    () => 'rejected (422)',
    () => remedyOf(422),
  ),
  'execution-completed': execution('ok', followed, followedWords),
  'execution-failed': execution(
    'warning',
    followed,
    followedWords,
    'give it inputs that it can work with: --inputs',
  ),
  'execution-rejected': execution('problem', followed, followedWords, lastRemedy),
  'execution-unknown': execution('problem', followed, followedWords, (facts) =>
    inSentences('it may have started, and cost money', lastRemedy(facts)),
  ),
  'execution-lost': execution(
    'problem',
    followed,
    followedWords,
    'look in the log of the crew for what became of it',
  ),
  'execution-paused': execution(
    'warning',
    followed,
    followedWords,
    inSentences(
      'a person is asked, or the crew lost it: answer, and wait longer with --wait',
      'A scenario for a crew that asks people says human: true',
    ),
  ),
  'execution-unreadable': execution('problem', followed, followedWords, lastRemedy),
  'execution-runs-on': execution(
    'warning',
    followed,
    (facts) => followedWords(facts, 'still running'),
    'wait longer with --wait, or look at the crew',
  ),
  'execution-stuck': execution('problem', followed, followedWords, lastRemedy),
  'execution-stopped': execution('warning', followed, followedWords),
  'dialect-unknown': dialect('absent', {}, () => 'no answer shows it'),
  'dialect-known': dialect('ok', { dialect: z.string() }, ({ dialect: name }) => name),
  'dialect-mixed': dialect(
    'warning',
    {},
    () => 'mixed',
    'most public clients read only "state": they may poll this target forever',
  ),
  'dialect-2026-10': newDialect(
    'ok',
    { members: z.array(z.string()).readonly() },
    ({ members }) => `platform-2026-10: the status has ${members.join(' and ')}`,
  ),
  'contract-unchecked': contract('absent', {}, () => 'no answer to check'),
  'contract-kept': contract(
    'ok',
    { answers: z.int() },
    ({ answers }) => `no rule broken in ${plural(answers, 'answer')}`,
  ),
  'contract-broken': contract('problem', broken, brokenWords, RELYING),
  'habits-broken': contract('warning', broken, brokenWords, RELYING),
  'shape-unknown': shape('absent', form, shapeWords),
  'shape-known': shape('ok', form, shapeWords),
}

export type CheckDiagnosis = DiagnosisOf<typeof DIAGNOSES>

/** For the answer to a request without a valid token. */
function authRows<const Token extends string>(token: Token, name: string) {
  const row = rowsOf(name, UNAUTHORIZED)
  const facts = { answer: answerCode }
  const rows = {
    [`${token}-refused`]: row('ok', facts, answerWords),
    [`${token}-unanswered`]: row('warning', facts, answerWords, LOG),
    [`${token}-misnamed`]: row(
      'warning',
      facts,
      answerWords,
      'answer 401: otherwise clients cannot tell that their token is wrong',
    ),
    [`${token}-accepted`]: row(
      'problem',
      facts,
      answerWords,
      'require a token: anybody who finds this address can spend your money',
    ),
  }
  return rows as Record<
    `${Token}-${'refused' | 'unanswered' | 'misnamed' | 'accepted'}`,
    DiagnosisRow<typeof facts>
  >
}

function answerWords({ answer }: { answer: AnswerCode }): string {
  return String(answer)
}

function openedWords(connectMicros: Micros): string {
  return `opened in ${formatDuration(connectMicros)}`
}

function hinted(found: string, hint: string | null): string {
  return hint === null ? found : `${found}, ${hint}`
}

function listedWords({ listed: names, answer }: ShapeFacts<typeof listed>): string {
  if (names === null) return `not readable (${answer})`
  const shown = names.map(({ name, required }) =>
    required === null ? name : `${name} (${required ? 'required' : 'optional'})`,
  )
  return namesWords(shown) || 'none'
}

function unknownWords(facts: ShapeFacts<typeof unknownStatus>): string {
  return `${facts.answer}${facts.dialect === null ? '' : `, dialect ${facts.dialect}`}`
}

function followedWords(facts: ShapeFacts<typeof followed>, state: string = facts.outcome): string {
  const { reason, tookMicros, executionTimeSeconds: said, polls } = facts
  const why = reason === null ? '' : ` (${endReasonText(reason)})`
  const took = `it took ${formatDuration(tookMicros)} and ${plural(polls, 'poll')}`
  const own = said === null ? '' : `the crew reports ${formatDuration(said * MICROS_PER_SECOND)}`
  return inSentences(`${state}${why}`, took, own)
}

function brokenWords({ rules }: ShapeFacts<typeof broken>): string {
  return rules.map(({ rule, basis, example }) => `${rule} (${basis}): ${example.seen}`).join('. ')
}

function shapeWords({ kind, progress, differs }: FormFacts): string {
  const what = progress === null ? 'no progress seen' : `progress in ${progress}`
  const others = differs.map(differenceWords)
  const fits = others.length === 0 ? 'as documented' : 'not as documented'
  return inSentences(`${kind ?? 'no answer shows it'}, ${what}, ${fits}`, ...others)
}

const DIFFERENCES = {
  'state-field': 'states are in `state`, not in `status`',
  'both-fields': 'answers carry both `state` and `status`',
  steps: 'progress counts steps without a total',
  'unknown-id': 'an unknown id is answered 200, not 404',
}

function differenceWords(difference: FormFacts['differs'][number]): string {
  if (difference.kind !== 'path') return DIFFERENCES[difference.kind]
  return `the path of ${difference.operation} is ${difference.path}`
}

const ADDRESS = 'check the base URL of --target: the path may be another one there'
const TOKEN = 'use a token that may start executions: a user token may have fewer rights'
const SERVER = 'look at the log of the crew: its server failed'

const OF_STATUS: ReadonlyMap<AnswerCode, string> = new Map<AnswerCode, string>([
  [400, 'the crew cannot read this kickoff: give the inputs that it expects with --inputs'],
  [401, TOKEN],
  [402, 'look at the account of the crew: it asks for a payment'],
  [403, TOKEN],
  [404, ADDRESS],
  [405, ADDRESS],
  [407, 'give the proxy its user name and password, or leave the target out of it: NO_PROXY'],
  [409, 'look at the log of the crew: it takes this kickoff for a conflict with another one'],
  [410, ADDRESS],
  [413, 'give shorter inputs with --inputs'],
  [415, `the target takes no JSON; ${ADDRESS}`],
  [422, 'give the inputs that the crew expects with --inputs'],
  [429, 'a rate limit refused it: try again later, or ask for a higher limit'],
  [501, ADDRESS],
  [503, 'the crew is overloaded or not up yet: try again later'],
])

const BODY = 'the answer is no JSON of a crew: check the base URL, or what stands in front of it'

function lastRemedy({ last }: ShapeFacts<typeof followed>): string {
  return remedyOf(last)
}

/** `code`: of the last answer; null when there was none. */
function remedyOf(code: AnswerCode | null): string {
  if (code === null) return 'look at the log of the crew'
  const known = OF_STATUS.get(code)
  if (known !== undefined) return known
  if (typeof code === 'string') return isBodyFault(code) ? BODY : 'look at the log of the crew'
  if (code < 300) return BODY
  if (code < 400) return 'give the address to which it redirects as --target'
  return code >= 500 ? SERVER : 'look at the log of the crew for why it refuses this'
}

function isBodyFault(code: string): boolean {
  return (BODY_FAULTS as readonly string[]).includes(code)
}
