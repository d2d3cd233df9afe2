/** What one kickoff shows about a target: dialect, time, polls, contract. */
import type { ResultDocument } from '../../result/document.ts'
import { plural, formatDuration } from '../../base/numbers.ts'
import { unreachable } from '../../base/assert.ts'
import { namesWords } from '../../crew/inputs/sentences.ts'
import type { ListedInput, AnswerCode } from '../../crew/observation.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import { endText } from '../../execution/record/reason.ts'
import type { Diagnosis } from '../doctor.ts'
import { BODY_FAULTS } from '../../crew/observation.ts'
import type { Answer } from '../../crew/answer.ts'
import { readStatus } from '../../crew/read.ts'
import type { CrewPaths } from '../../crew/request.ts'
import { DOCUMENTED_PATHS } from '../../crew/request.ts'

/**
 * Diagnoses from the result of a run of one execution. `last`: the answer to one more status
 * request about it; null if none was sent.
 */
export function paidDiagnoses(document: ResultDocument, last: Answer | null): Diagnosis[] {
  return [
    executionDiagnosis(document),
    dialectDiagnosis(document, last),
    contractDiagnosis(document),
  ]
}

/** What the one kickoff carried of the inputs that the crew lists. */
export function sentInputs(sent: readonly string[], listed: readonly ListedInput[]): Diagnosis {
  const left = listed.map(({ name }) => name).filter((name) => !sent.includes(name))
  const without = left.length === 0 ? '' : `; not sent: ${namesWords(left)}`
  return {
    name: 'inputs sent',
    state: 'ok',
    found: `${namesWords(sent) || 'none'}${without}`,
    meaning: 'what the one kickoff carried: --inputs, or a sample for each name that may be needed',
    remedy: null,
  }
}

const EXECUTION = { name: 'execution', meaning: 'one kickoff, followed to its end' }

/** In place of the diagnoses of a kickoff whose inputs the crew refused. */
export function inputsRefused(): Diagnosis {
  return {
    ...EXECUTION,
    state: 'problem',
    found: 'rejected (422)',
    remedy: remedyOf(422),
  }
}

/** In place of the diagnoses of a kickoff that nobody confirmed. */
export function declined(): Diagnosis {
  return {
    ...EXECUTION,
    state: 'absent',
    found: 'no kickoff was sent: it was not confirmed',
    remedy: 'confirm it with --yes, or check without it: --no-kickoff',
  }
}

function executionDiagnosis({ samples }: ResultDocument): Diagnosis {
  const record = samples[0]?.record
  if (record === undefined) return { ...declined(), found: 'no kickoff was sent', remedy: null }
  const { state, remedy } = judged(record)
  const said = record.reported.executionTimeSeconds
  const own = said === null ? '' : `, ${formatDuration(said * 1_000_000)} as the crew reports it`
  const took = formatDuration(record.endedMicros - record.intendedMicros)
  const why = record.reason === null ? '' : ` (${endText(record.reason)})`
  const polls = plural(record.polls.answer.length, 'poll')
  return {
    ...EXECUTION,
    state,
    found: `${record.outcome}${why} after ${took}${own}, ${polls}`,
    remedy,
  }
}

function judged({ outcome, kickoff, polls }: ExecutionRecord): Pick<Diagnosis, 'state' | 'remedy'> {
  switch (outcome) {
    case 'completed':
      return { state: 'ok', remedy: null }
    case 'failed':
      return { state: 'warning', remedy: 'give it inputs that it can work with: --inputs' }
    case 'rejected':
      return { state: 'problem', remedy: remedyOf(kickoff.answer.at(-1)) }
    case 'unknown': {
      const remedy = `it may have started, and cost money; ${remedyOf(kickoff.answer.at(-1))}`
      return { state: 'problem', remedy }
    }
    case 'lost':
      return { state: 'problem', remedy: 'look in the log of the crew for what became of it' }
    case 'paused': {
      const remedy =
        'a person is asked, or the crew lost it: answer, and wait longer with --wait; a scenario ' +
        'for a crew that asks people says human: true'
      return { state: 'warning', remedy }
    }
    case 'unreadable':
      return { state: 'problem', remedy: remedyOf(polls.answer.at(-1)) }
    case 'stuck': {
      const last = polls.answer.at(-1)
      return last === undefined || last === 200
        ? { state: 'warning', remedy: 'wait longer with --wait, or look at the crew' }
        : { state: 'problem', remedy: remedyOf(last) }
    }
    case 'aborted':
    case 'dropped':
    case 'notReached':
      return { state: 'warning', remedy: null }
    default:
      return unreachable(outcome)
  }
}

/** Members of a status since 2026-10, by which that dialect is told from the older one. */
const ORIGINS = ['triggered_by', 'execution_origin']

function dialectDiagnosis({ run }: ResultDocument, last: Answer | null): Diagnosis {
  const { dialect } = run
  const body = last === null ? undefined : readStatus(last).body
  const origins = ORIGINS.filter((name) => body !== undefined && Object.hasOwn(body, name))
  if (dialect === 'platform' && origins.length > 0) {
    return {
      name: 'dialect',
      state: 'ok',
      found: `platform-2026-10: the status has ${origins.join(' and ')}`,
      meaning:
        'changed since "platform": while a person is asked, the status is NOT FOUND in place of ' +
        'PAUSED; POST /resume takes executionId and taskId; a crew that needs no input starts ' +
        'without a body',
      remedy: null,
    }
  }
  const odd = dialect === 'mixed'
  return {
    name: 'dialect',
    state: dialect === null ? 'absent' : odd ? 'warning' : 'ok',
    found: dialect ?? 'no answer shows it',
    meaning:
      'answers of the dialect "interface" have the field "status", and of "platform" the ' +
      'field "state"; both are read',
    remedy: odd ? 'most public clients read only "state": they may poll this target forever' : null,
  }
}

function contractDiagnosis({ contract }: ResultDocument): Diagnosis {
  const { answersChecked, rules } = contract
  const broken = rules.map(({ rule, basis, example }) => `${rule} (${basis}): ${example.seen}`)
  const sound =
    answersChecked === 0
      ? 'no answer to check'
      : `no rule broken in ${plural(answersChecked, 'answer')}`
  return {
    name: 'contract',
    state: answersChecked === 0 ? 'absent' : contractState(rules),
    found: broken.length === 0 ? sound : broken.join('; '),
    meaning: 'the rules of the interface (crewload schema contract lists them)',
    remedy: broken.length === 0 ? null : 'clients that rely on these rules will fail',
  }
}

function contractState(broken: ResultDocument['contract']['rules']): Diagnosis['state'] {
  if (broken.some(({ basis }) => basis === 'documented')) return 'problem'
  return broken.length > 0 ? 'warning' : 'ok'
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

/** `code`: of the last answer; undefined when there was none. */
function remedyOf(code: AnswerCode | undefined): string {
  if (code === undefined) return 'look at the log of the crew'
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

/** The shape of a crew, as its answers showed it, and how it differs from the document. */
type ProgressUnit = 'tasks' | 'steps' | null

/** `unknownId`: the answer about an execution that does not exist. */
export function shapeDiagnosis(
  { run, samples }: ResultDocument,
  paths: CrewPaths,
  unknownId: Answer,
): Diagnosis {
  const unit = unitOf(samples[0]?.record)
  const kind = run.dialect === 'platform' && unit === 'steps' ? 'flow' : run.dialect
  const differs = [
    ...(run.dialect === 'platform' ? ['states are in `state`, not in `status`'] : []),
    ...(run.dialect === 'mixed' ? ['answers carry both `state` and `status`'] : []),
    ...(unit === 'steps' ? ['progress counts steps without a total'] : []),
    ...unknownWords(unknownId),
    ...pathWords(paths),
  ]
  const progress = unit === null ? 'no progress seen' : `progress in ${unit}`
  return {
    name: 'shape',
    state: kind === null ? 'absent' : 'ok',
    found:
      `${kind ?? 'no answer shows it'}, ${progress}` +
      (differs.length === 0 ? ', as documented' : `; other than documented: ${differs.join('; ')}`),
    meaning: 'which of the known forms of the interface the crew speaks',
    remedy: null,
  }
}

function unitOf(record: ExecutionRecord | undefined): ProgressUnit {
  const counted = (record?.changes ?? []).filter(({ completed }) => completed !== null)
  if (counted.length === 0) return null
  return counted.every(({ total }) => total === null) ? 'steps' : 'tasks'
}

function unknownWords(answer: Answer): string[] {
  const isTold = readStatus(answer).phase === 'not-found'
  return isTold && answer.status === 200 ? ['an unknown id is answered 200, not 404'] : []
}

function pathWords(paths: CrewPaths): string[] {
  return (['inputs', 'kickoff', 'status'] as const)
    .filter((operation) => paths[operation] !== DOCUMENTED_PATHS[operation])
    .map((operation) => `${operation} is at ${paths[operation]}`)
}
