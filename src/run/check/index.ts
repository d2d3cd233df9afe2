/** Probes a target once, with at most one kickoff. */
import type { ResultDocument } from '../../result/document.ts'
import type { Micros } from '../../base/units.ts'
import {
  DURATION_HELP,
  durationText,
  MICROS_PER_SECOND,
  parseDuration,
  MICROS_PER_MS,
} from '../../base/units.ts'
import { UserError } from '../../base/mistakes.ts'
import type { InputRecord } from '../../scenario/inputs.ts'
import type { Diagnosis } from '../doctor.ts'
import type { CHECK_WAITS, RunOptions } from '../options.ts'
import type { Given } from '../../base/options/table.ts'
import { run } from '../run.ts'
import { InputsRefused, sampledNames, sampleInputs } from '../target/refused-inputs.ts'
import type { Ways, WayOptions } from '../target/ways.ts'
import { waysOf } from '../target/ways.ts'
import {
  declined,
  inputsRefused,
  paidDiagnoses,
  sentInputs,
  shapeDiagnosis,
} from './one-kickoff.ts'
import type { ProbeOptions, CheckProbe } from '../target/probe.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Answer, FailedRequest } from '../../crew/answer.ts'
import { checkInputs } from '../../crew/contract/contract.ts'
import { excerpt } from '../../crew/excerpt.ts'
import type { ListedInput } from '../../crew/observation.ts'
import { readInputs, readStatus } from '../../crew/read.ts'
import type { CrewPaths } from '../../crew/request.ts'
import { inputsRequest, statusRequest } from '../../crew/request.ts'
import { formatDuration } from '../../base/numbers.ts'
import { failureWords, COLD_MICROS, demandUsable } from '../target/preflight.ts'
import { namesWords } from '../../crew/inputs/sentences.ts'
import { openProbe } from '../target/probe.ts'

export interface CheckOptions extends ProbeOptions, WayOptions, Given<typeof CHECK_WAITS> {
  tokens: readonly string[]
  tokensFrom?: RunOptions['tokensFrom'] | undefined
  /** Inputs of the one kickoff; null makes sample values for the names that the crew lists. */
  inputs: Readonly<Record<string, unknown>> | null
  /** Called before the one kickoff, after all free checks; false sends none. Null: skip it. */
  confirmKickoff: (() => Promise<boolean>) | null
  /** Receives diagnoses as they are made. */
  onDiagnoses?: (diagnoses: readonly Diagnosis[]) => void
  /** Receives the longest time that the free requests can take, before they go out. */
  onFree?: (limits: FreeLimits) => void
  /** Receives the control that stops following the kickoff. */
  onStart?: RunOptions['onStart']
}

export interface CheckResult {
  diagnoses: readonly Diagnosis[]
  /**
   * What became of the one kickoff. `not-ended`: it was sent, and no end was seen. `declined`:
   * nobody confirmed it. `skipped`: none was wanted, or the target had stopped answering.
   */
  kickoff: 'ended' | 'not-ended' | 'declined' | 'skipped'
}

const ONE_EXECUTION = { name: 'check', arrivals: { clients: 1, iterations: 1 } }

/** All requests without a kickoff, but the first, share this time. */
const REST_MICROS = 30 * MICROS_PER_SECOND

/**
 * Ends within `firstCall` + 30 s + 2 x `wait` and a few seconds of its own, whatever the target
 * does. Throws UserError for wrong
 * options, TargetError when nothing answers or our token is refused.
 */
export async function check(options: CheckOptions): Promise<CheckResult> {
  const waitMicros = durationOf('--wait', options.wait)
  const firstMicros = durationOf('--first-call', options.firstCall)
  const limits = { firstMicros, restMicros: Math.min(REST_MICROS, firstMicros) }
  options.onFree?.(limits)
  const diagnoses: Diagnosis[] = []
  const found = (more: readonly Diagnosis[]): void => {
    diagnoses.push(...more)
    options.onDiagnoses?.(more)
  }
  const ways = waysOf(options)
  const free = await checkFree({ ...options, ...ways }, options.tokens[0] ?? null, limits)
  found(free.diagnoses)
  if (options.confirmKickoff === null || !free.answers) return { diagnoses, kickoff: 'skipped' }
  if (!(await options.confirmKickoff())) {
    found([declined()])
    return { diagnoses, kickoff: 'declined' }
  }
  const inputs = options.inputs ?? sampleInputs(sampledNames(free.inputs ?? []))
  const document = await runOnce(
    options,
    { inputs, ...ways },
    {
      firstCall: durationText(Math.min(waitMicros, firstMicros)),
      request: durationText(Math.min(waitMicros, REST_MICROS)),
    },
  )
  const sent = sentInputs(Object.keys(inputs), free.inputs ?? [])
  if (document === null) {
    found([sent, inputsRefused()])
    return { diagnoses, kickoff: 'not-ended' }
  }
  const last = await statusAfter({ ...options, ...ways }, document, waitMicros)
  found([
    sent,
    ...paidDiagnoses(document, last),
    shapeDiagnosis(document, ways.paths, free.unknownId),
  ])
  const { completed, failed } = document.outcomes
  return { diagnoses, kickoff: completed + failed === 1 ? 'ended' : 'not-ended' }
}

/** Time for the status whose members tell the dialects of platforms apart. */
const MEMBERS_MICROS = 2 * MICROS_PER_SECOND

/** Once more the status of the one execution; null where that can show nothing. */
async function statusAfter(
  options: FreeOptions & Pick<CheckOptions, 'tokens'>,
  { run: { dialect }, samples }: ResultDocument,
  waitMicros: Micros,
): Promise<Answer | null> {
  const kickoffId = samples[0]?.record.kickoffId ?? null
  if (kickoffId === null || dialect !== 'platform') return null
  const probe = await openProbe(options, options.tokens[0] ?? null)
  try {
    const { paths } = options
    const status = statusRequest({ index: -1, kickoffId, correlation: CORRELATION, paths })
    return await probe.ask(status, Math.min(waitMicros, MEMBERS_MICROS))
  } finally {
    await probe.close()
  }
}

/** Null when the crew refused the inputs, so that nothing started. */
async function runOnce(
  options: CheckOptions,
  { inputs, paths, members }: Ways & { inputs: InputRecord },
  timeouts: { firstCall: string; request: string },
): Promise<ResultDocument | null> {
  const { document } = await run(
    {
      ...ONE_EXECUTION,
      inputs,
      kickoff: members,
      paths,
      deadline: options.wait,
      human: true,
      timeouts,
      confirm: 1,
    },
    {
      target: options.target.href,
      tokens: options.tokens,
      ...(options.tokenSource === undefined ? {} : { tokenSource: options.tokenSource }),
      headers: options.headers,
      tls: options.tls,
      env: options.env,
      budget: { kickoffs: 1 },
      out: false,
      ...(options.onStart === undefined ? {} : { onStart: options.onStart }),
    },
  ).catch((error: unknown) => {
    if (error instanceof InputsRefused) return { document: null }
    throw error
  })
  return document
}

function durationOf(source: string, text: string): Micros {
  const micros = parseDuration(text)
  if (micros !== undefined && micros > 0) return micros
  const problem = `expected ${DURATION_HELP}`
  throw new UserError({ source, found: JSON.stringify(text), problem })
}

/**
 * Checks what can be learned about a target without a kickoff: connection, keep-alive,
 * authentication, inputs, dialect of errors, clock.
 */
const CORRELATION = 'crewload-check'
/** A `Date` header has whole seconds. */
const DATE_STEP_MS = 1_000
/** An offset below this moves no wait by a poll. */
const CLOCK_BOUND_MS = 2_000
/** A cold start makes the first answer take so many times as long as the second. */
const COLD_FACTOR = 10
/** How long the first answer may take, and then all others together. */
interface FreeLimits {
  firstMicros: Micros
  restMicros: Micros
}

interface FreeOptions extends ProbeOptions, Pick<CheckOptions, 'tokensFrom'> {
  paths: CrewPaths
}

interface FreeDiagnoses {
  diagnoses: Diagnosis[]
  inputs: readonly ListedInput[] | null
  /** The answer about an execution that does not exist. */
  unknownId: Answer
  /** False when the target answered once and then no more: a kickoff would show nothing. */
  answers: boolean
}

/**
 * Sends five requests, none of them a kickoff. Throws TargetError when nothing answers, or when our
 * token is refused.
 */
async function checkFree(
  options: FreeOptions,
  token: string | null,
  { firstMicros, restMicros }: FreeLimits,
): Promise<FreeDiagnoses> {
  const probe = await openProbe(options, token)
  try {
    const sentUnixMs = probe.unixMs()
    const first = await probe.ask(inputsRequest(CORRELATION, options.paths), firstMicros)
    const receivedUnixMs = probe.unixMs()
    const { target, tokensFrom, paths } = options
    const asked = { token: 0, tokens: token === null ? 0 : 1, tokensFrom }
    demandUsable(target, first, asked, paths.inputs)
    const [[second, unknown], noToken, wrongToken] = await Promise.all([
      onTheSameConnection(probe, options.paths, restMicros),
      askWith(options, null, restMicros),
      askWith(options, randomBytes(6).toString('hex'), restMicros),
    ])
    return {
      diagnoses: [
        connection(first, second),
        keepAlive(first, second),
        clock(first, { sentUnixMs, receivedUnixMs }),
        inputsDiagnosis(second),
        unknownId(unknown),
        authDiagnosis('no token', noToken),
        authDiagnosis('wrong token', wrongToken),
      ],
      inputs: readInputs(second).listed,
      unknownId: unknown,
      answers: second.kind === 'answer',
    }
  } finally {
    await probe.close()
  }
}

/** The inputs once more, and then the status of an execution that does not exist. */
async function onTheSameConnection(
  probe: CheckProbe,
  paths: CrewPaths,
  limitMicros: Micros,
): Promise<[inputs: Answer, status: Answer]> {
  const inputs = await probe.ask(inputsRequest(CORRELATION, paths), limitMicros)
  const tookMicros = inputs.timing.doneMicros - inputs.timing.releasedMicros
  const unknown = statusRequest({
    index: -1,
    kickoffId: randomUUID(),
    correlation: CORRELATION,
    paths,
  })
  return [inputs, await probe.ask(unknown, Math.max(MICROS_PER_MS, limitMicros - tookMicros))]
}

/** The inputs with another token than ours, or with none. */
async function askWith(
  options: FreeOptions,
  token: string | null,
  limitMicros: Micros,
): Promise<Answer> {
  const { tokenSource: _, ...own } = options
  const probe = await openProbe(own, token)
  try {
    return await probe.ask(inputsRequest(CORRELATION, options.paths), limitMicros)
  } finally {
    await probe.close()
  }
}

function connection(first: Answer, second: Answer): Diagnosis {
  const { timing } = first
  const connectMicros = (timing.sentMicros ?? timing.doneMicros) - timing.releasedMicros
  const opened = `opened in ${formatDuration(connectMicros)}, `
  const serviceMicros = serviceTime(first)
  const coldStart = isColdStart(serviceMicros, second)
  return {
    name: 'connection',
    state: coldStart ? 'warning' : 'ok',
    found:
      opened +
      (coldStart
        ? `first answer after ${formatDuration(serviceMicros)}, ` +
          `the next after ${formatDuration(serviceTime(second))}`
        : `answered in ${formatDuration(serviceMicros)}`),
    meaning: coldStart
      ? 'the crew had to start first (a cold start): the first user after a pause waits as long'
      : 'one request on a new connection',
    remedy: coldStart
      ? 'keep the crew warm, or give the first request of your clients a longer time-out'
      : null,
  }
}

function isColdStart(firstMicros: Micros, second: Answer): boolean {
  const answered = second.kind === 'answer'
  return answered && firstMicros > Math.max(COLD_MICROS, COLD_FACTOR * serviceTime(second))
}

function serviceTime({ timing }: Answer): Micros {
  return timing.doneMicros - (timing.sentMicros ?? timing.doneMicros)
}

function keepAlive(first: Answer, second: Answer): Diagnosis {
  if (second.kind === 'failure') return silence(second)
  const kept = !second.timing.newConnection
  const hint = first.kind === 'answer' ? first.headers['keep-alive'] : undefined
  const found = kept ? 'connection kept' : 'a new connection for each request'
  return {
    name: 'keep-alive',
    state: kept ? 'ok' : 'warning',
    found: hint ? `${found}, ${excerpt(hint, 60)}` : found,
    meaning: 'a poll interval longer than the keep-alive time-out opens a connection at every poll',
    remedy: kept ? null : 'expect a handshake in every latency, and for every client of yours',
  }
}

function silence(failed: FailedRequest): Diagnosis {
  return {
    name: 'keep-alive',
    state: 'problem',
    found: `the second request was not answered: ${failureWords(failed)}`,
    meaning: 'the target answered once, and then no more',
    remedy: 'look at the log of the crew; no kickoff is sent to it',
  }
}

/**
 * The target wrote its `Date` at some moment between request and answer, and cut it to a whole
 * second: only what lies outside of that is an offset.
 */
function clock(
  answer: Answer,
  { sentUnixMs, receivedUnixMs }: { sentUnixMs: number; receivedUnixMs: number },
): Diagnosis {
  const date = answer.kind === 'answer' ? Date.parse(answer.headers['date'] ?? '') : Number.NaN
  const meaning = 'Retry-After dates and timestamps of the target are read against its clock'
  if (Number.isNaN(date)) {
    return { name: 'clock', state: 'absent', found: 'no Date header', meaning, remedy: null }
  }
  const aheadMs = Math.max(0, date - receivedUnixMs)
  const behindMs = Math.max(0, sentUnixMs - (date + DATE_STEP_MS))
  const offsetMs = aheadMs - behindMs
  const close = Math.abs(offsetMs) < CLOCK_BOUND_MS
  return {
    name: 'clock',
    state: close ? 'ok' : 'warning',
    found: close ? 'within 2 s of ours' : `${formatDuration(offsetMs * 1_000)} from ours`,
    meaning,
    remedy: close ? null : 'set the clock of one of the two machines',
  }
}

function inputsDiagnosis(answer: Answer): Diagnosis {
  const observed = readInputs(answer)
  const [violation] = checkInputs(answer, observed)
  const { listed } = observed
  const found = listed === null ? `not readable (${observed.code})` : listedWords(listed)
  return {
    name: 'inputs',
    state: listed === null || violation !== undefined ? 'warning' : 'ok',
    found,
    meaning: 'what a kickoff may carry; crews also list inputs that they do not need',
    remedy: violation === undefined ? null : `contract: ${violation.rule}: ${violation.example}`,
  }
}

function listedWords(listed: readonly ListedInput[]): string {
  const names = listed.map(({ name, required }) =>
    required === null ? name : `${name} (${required ? 'required' : 'optional'})`,
  )
  return namesWords(names) || 'none'
}

function unknownId(answer: Answer): Diagnosis {
  const observed = readStatus(answer)
  const isNamed = observed.phase === 'not-found'
  const dialect = observed.dialect === null ? '' : `, dialect ${observed.dialect}`
  return {
    name: 'unknown id',
    state: isNamed ? 'ok' : 'warning',
    found: `${observed.code}${dialect}`,
    meaning: 'what a client sees for an execution that does not exist',
    remedy: isNamed ? null : 'expected 404, or the platform\'s "NOT FOUND"',
  }
}

function authDiagnosis(name: string, answer: Answer): Diagnosis {
  const { state, remedy } = authState(answer)
  return {
    name,
    state,
    found: answer.kind === 'answer' ? String(answer.status) : answer.class,
    meaning: 'a request without a valid token must get 401',
    remedy,
  }
}

function authState(answer: Answer): Pick<Diagnosis, 'state' | 'remedy'> {
  if (answer.kind === 'failure') return { state: 'warning', remedy: 'look at the log of the crew' }
  if (answer.status === 401) return { state: 'ok', remedy: null }
  if (answer.status >= 300) {
    const remedy = 'answer 401: otherwise clients cannot tell that their token is wrong'
    return { state: 'warning', remedy }
  }
  const remedy = 'require a token: anybody who finds this address can spend your money'
  return { state: 'problem', remedy }
}
