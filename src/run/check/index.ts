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
import { diagnosisOf } from './diagnosis.ts'
import type { CheckDiagnosis } from './sentences.ts'
import { DIAGNOSES } from './sentences.ts'
import type { CHECK_WAITS, RunOptions } from '../options.ts'
import type { Given } from '../../base/options/table.ts'
import { run } from '../run.ts'
import { InputsRefused, sampledNames, sampleInputs } from '../target/refused-inputs.ts'
import type { Ways, WayOptions } from '../target/ways.ts'
import { waysOf } from '../target/ways.ts'
import { paidDiagnoses, sentInputs, shapeDiagnosis } from './one-kickoff.ts'
import type { ProbeOptions, CheckProbe } from '../target/probe.ts'
import type { TokenSource } from '../../host/node/index.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Answer } from '../../crew/answer.ts'
import { checkInputs } from '../../crew/contract/contract.ts'
import { excerpt } from '../../crew/excerpt.ts'
import type { ListedInput } from '../../crew/observation.ts'
import { readInputs, readStatus } from '../../crew/read.ts'
import type { CrewPaths } from '../../crew/crew-request.ts'
import { inputsRequest, statusRequest } from '../../crew/crew-request.ts'
import { COLD_MICROS, demandUsable } from '../target/preflight.ts'
import { openProbe } from '../target/probe.ts'

export interface CheckOptions extends ProbeOptions, WayOptions, Given<typeof CHECK_WAITS> {
  tokens: readonly string[]
  tokenSource?: TokenSource
  tokensFrom?: RunOptions['tokensFrom'] | undefined
  /** Inputs of the one kickoff; null makes sample values for the names that the crew lists. */
  inputs: Readonly<Record<string, unknown>> | null
  /** Called before the one kickoff, after all free checks; false sends none. Null: skip it. */
  confirmKickoff: (() => Promise<boolean>) | null
  /** Receives diagnoses as they are made. */
  onDiagnoses?: (diagnoses: readonly CheckDiagnosis[]) => void
  /** Receives the longest time that the free requests can take, before they go out. */
  onFree?: (limits: FreeLimits) => void
  /** Receives the control that stops following the kickoff. */
  onStart?: RunOptions['onStart']
}

export interface CheckResult {
  diagnoses: readonly CheckDiagnosis[]
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
  const diagnoses: CheckDiagnosis[] = []
  const found = (more: readonly CheckDiagnosis[]): void => {
    diagnoses.push(...more)
    options.onDiagnoses?.(more)
  }
  const ways = waysOf(options)
  const free = await checkFree({ ...options, ...ways }, options.tokens[0] ?? null, limits)
  found(free.diagnoses)
  if (options.confirmKickoff === null || !free.answers) return { diagnoses, kickoff: 'skipped' }
  if (!(await options.confirmKickoff())) {
    found([diagnosisOf(DIAGNOSES, 'kickoff-declined', {})])
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
    found([sent, diagnosisOf(DIAGNOSES, 'inputs-refused', {})])
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
  const probe = await openProbe(options, options.tokens[0] ?? null, options.tokenSource)
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

interface FreeOptions extends ProbeOptions, Pick<CheckOptions, 'tokensFrom' | 'tokenSource'> {
  paths: CrewPaths
}

interface FreeDiagnoses {
  diagnoses: CheckDiagnosis[]
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
  const probe = await openProbe(options, token, options.tokenSource)
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
        authDiagnosis('no-token', noToken),
        authDiagnosis('wrong-token', wrongToken),
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
  const probe = await openProbe(options, token)
  try {
    return await probe.ask(inputsRequest(CORRELATION, options.paths), limitMicros)
  } finally {
    await probe.close()
  }
}

function connection(first: Answer, second: Answer): CheckDiagnosis {
  const { timing } = first
  const connectMicros = (timing.sentMicros ?? timing.doneMicros) - timing.releasedMicros
  const opened = { connectMicros, serviceMicros: serviceTime(first) }
  return isColdStart(opened.serviceMicros, second)
    ? diagnosisOf(DIAGNOSES, 'connection-cold', { ...opened, nextMicros: serviceTime(second) })
    : diagnosisOf(DIAGNOSES, 'connection-answered', opened)
}

function isColdStart(firstMicros: Micros, second: Answer): boolean {
  const answered = second.kind === 'answer'
  return answered && firstMicros > Math.max(COLD_MICROS, COLD_FACTOR * serviceTime(second))
}

function serviceTime({ timing }: Answer): Micros {
  return timing.doneMicros - (timing.sentMicros ?? timing.doneMicros)
}

function keepAlive(first: Answer, second: Answer): CheckDiagnosis {
  if (second.kind === 'failure') {
    const { class: failure, detail, isLocal } = second
    const failed = { class: failure, detail, ...(isLocal !== undefined && { isLocal }) }
    return diagnosisOf(DIAGNOSES, 'second-unanswered', { failure: failed })
  }
  const header = first.kind === 'answer' ? first.headers['keep-alive'] : undefined
  const hint = header ? excerpt(header, 60) : null
  const code = second.timing.newConnection ? 'connection-not-kept' : 'connection-kept'
  return diagnosisOf(DIAGNOSES, code, { hint })
}

/**
 * The target wrote its `Date` at some moment between request and answer, and cut it to a whole
 * second: only what lies outside of that is an offset.
 */
function clock(
  answer: Answer,
  { sentUnixMs, receivedUnixMs }: { sentUnixMs: number; receivedUnixMs: number },
): CheckDiagnosis {
  const date = answer.kind === 'answer' ? Date.parse(answer.headers['date'] ?? '') : Number.NaN
  if (Number.isNaN(date)) return diagnosisOf(DIAGNOSES, 'clock-unknown', {})
  const aheadMs = Math.max(0, date - receivedUnixMs)
  const behindMs = Math.max(0, sentUnixMs - (date + DATE_STEP_MS))
  const offsetMs = aheadMs - behindMs
  return Math.abs(offsetMs) < CLOCK_BOUND_MS
    ? diagnosisOf(DIAGNOSES, 'clock-close', {})
    : diagnosisOf(DIAGNOSES, 'clock-off', { offsetMs })
}

function inputsDiagnosis(read: Answer): CheckDiagnosis {
  const observed = readInputs(read)
  const [violation] = checkInputs(read, observed)
  const facts = { listed: observed.listed, answer: observed.code }
  if (violation !== undefined) {
    const { rule, example } = violation
    return diagnosisOf(DIAGNOSES, 'inputs-broken', { ...facts, rule, example })
  }
  const code = facts.listed === null ? 'inputs-unreadable' : 'inputs-listed'
  return diagnosisOf(DIAGNOSES, code, facts)
}

function unknownId(read: Answer): CheckDiagnosis {
  const { phase, code: answer, dialect } = readStatus(read)
  const code = phase === 'not-found' ? 'unknown-id-named' : 'unknown-id-unnamed'
  return diagnosisOf(DIAGNOSES, code, { answer, dialect })
}

function authDiagnosis(token: 'no-token' | 'wrong-token', read: Answer): CheckDiagnosis {
  const answer = read.kind === 'answer' ? read.status : read.class
  return diagnosisOf(DIAGNOSES, `${token}-${authState(read)}` as const, { answer })
}

function authState(read: Answer): 'refused' | 'unanswered' | 'misnamed' | 'accepted' {
  if (read.kind === 'failure') return 'unanswered'
  if (read.status === 401) return 'refused'
  return read.status >= 300 ? 'misnamed' : 'accepted'
}
