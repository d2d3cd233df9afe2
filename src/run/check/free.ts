/**
 * Checks what can be learned about a target without a kickoff: connection, keep-alive,
 * authentication, inputs, dialect of errors, clock.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Answer } from '../../crew/answer.ts'
import { checkInputs } from '../../crew/contract/contract.ts'
import { excerpt } from '../../crew/excerpt.ts'
import { readInputs, readStatus } from '../../crew/read.ts'
import { inputsRequest, statusRequest } from '../../crew/request.ts'
import { formatDuration } from '../../base/units.ts'
import type { Diagnosis } from '../doctor/index.ts'
import { TargetError } from '../errors.ts'
import { failureWords } from '../target/failure-words.ts'
import { namesWords } from '../target/foreign-names.ts'
import { demandCrew } from '../target/preflight.ts'
import type { ProbeOptions } from './probe.ts'
import { openProbe } from './probe.ts'

const CORRELATION = 'crewload-check'
/** A `Date` header has whole seconds, so an offset below this shows nothing. */
const CLOCK_BOUND_MS = 2_000

export interface FreeFindings {
  findings: Diagnosis[]
  inputs: readonly string[] | null
}

/**
 * Sends six requests, none of them a kickoff. Throws TargetError when nothing answers, or when our
 * token is refused.
 */
export async function checkFree(
  options: ProbeOptions,
  token: string | null,
): Promise<FreeFindings> {
  const probe = await openProbe(options, token)
  try {
    const first = await probe.ask(inputsRequest(CORRELATION))
    if (first.kind === 'failure') {
      const problem = `cannot be reached: ${failureWords(first.class, first.detail)}`
      throw new TargetError(options.target, problem, first.detail)
    }
    if (first.status === 401 || first.status === 403) {
      const problem = 'refused our token; set CREWLOAD_TOKEN or --token-file to one it accepts'
      throw new TargetError(options.target, problem, String(first.status))
    }
    demandCrew(options.target, first)
    const receivedUnixMs = Date.now()
    const second = await probe.ask(inputsRequest(CORRELATION))
    const unknown = await probe.ask(
      statusRequest({ index: -1, kickoffId: randomUUID(), correlation: CORRELATION }),
    )
    return {
      findings: [
        connection(first),
        keepAlive(first, second),
        clock(first, receivedUnixMs),
        inputsFinding(second),
        unknownId(unknown),
        await authFinding(options, 'no token', null),
        await authFinding(options, 'wrong token', randomBytes(6).toString('hex')),
      ],
      inputs: readInputs(second).names,
    }
  } finally {
    await probe.close()
  }
}

function connection(answer: Answer): Diagnosis {
  const { timing } = answer
  const connectMicros = (timing.sentMicros ?? timing.doneMicros) - timing.releasedMicros
  const serviceMicros = timing.doneMicros - (timing.sentMicros ?? timing.doneMicros)
  return {
    name: 'connection',
    state: 'ok',
    found:
      `opened in ${formatDuration(connectMicros)}, answered in ` + formatDuration(serviceMicros),
    meaning: 'one request on a new connection',
    remedy: null,
  }
}

function keepAlive(first: Answer, second: Answer): Diagnosis {
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

function clock(answer: Answer, receivedUnixMs: number): Diagnosis {
  const date = answer.kind === 'answer' ? Date.parse(answer.headers['date'] ?? '') : Number.NaN
  const meaning = 'Retry-After dates and timestamps of the target are read against its clock'
  if (Number.isNaN(date)) {
    return { name: 'clock', state: 'absent', found: 'no Date header', meaning, remedy: null }
  }
  const offsetMs = date + 500 - receivedUnixMs
  const close = Math.abs(offsetMs) < CLOCK_BOUND_MS
  return {
    name: 'clock',
    state: close ? 'ok' : 'warning',
    found: close ? 'within 2 s of ours' : `${formatDuration(offsetMs * 1_000)} from ours`,
    meaning,
    remedy: close ? null : 'set the clock of one of the two machines',
  }
}

function inputsFinding(answer: Answer): Diagnosis {
  const observed = readInputs(answer)
  const [violation] = checkInputs(answer, observed)
  const { names } = observed
  const found = names === null ? `not readable (${observed.code})` : namesWords(names) || 'none'
  return {
    name: 'inputs',
    state: names === null || violation !== undefined ? 'warning' : 'ok',
    found,
    meaning: 'what every kickoff must carry',
    remedy: violation === undefined ? null : `contract: ${violation.rule}: ${violation.example}`,
  }
}

function unknownId(answer: Answer): Diagnosis {
  const observed = readStatus(answer)
  const told = observed.phase === 'not-found'
  const dialect = observed.dialect === null ? '' : `, dialect ${observed.dialect}`
  return {
    name: 'unknown id',
    state: told ? 'ok' : 'warning',
    found: `${observed.code}${dialect}`,
    meaning: 'what a client sees for an execution that does not exist',
    remedy: told ? null : 'expected 404, or the platform\'s "NOT FOUND"',
  }
}

async function authFinding(
  options: ProbeOptions,
  name: string,
  token: string | null,
): Promise<Diagnosis> {
  const probe = await openProbe(options, token)
  const answer = await probe.ask(inputsRequest(CORRELATION))
  await probe.close()
  const refused = answer.kind === 'answer' && answer.status === 401
  return {
    name,
    state: refused ? 'ok' : 'problem',
    found: answer.kind === 'answer' ? String(answer.status) : answer.class,
    meaning: 'a request without a valid token must get 401',
    remedy: refused ? null : 'require a token: anybody who finds this address can spend your money',
  }
}
