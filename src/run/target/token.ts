/** Asks for a token: a program prints it, or an OAuth token endpoint grants it to a client. */
import { execFile } from 'node:child_process'
import { isLoopback } from '../../base/loopback.ts'
import { UserError } from '../../base/mistakes.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import { excerpt } from '../../crew/excerpt.ts'
import type { TlsOptions } from '../../host/node/index.ts'
import type { Credential } from '../../host/node/token-source.ts'
import { blank } from '../../host/secrets.ts'
import { openProbe } from '../check/probe.ts'
import { TargetError } from '../errors.ts'
import { parseTarget } from './chosen-place.ts'
import { failureWords } from './preflight.ts'

type Obtain = () => Promise<Credential>
type Environment = Readonly<Record<string, string | undefined>>

/** Both a program and an endpoint have this long. */
const LIMIT_SECONDS = 30
const MOST_BYTES = 65_536

const COMMAND = '--token-command'

/**
 * `command`: a program and its arguments, without a shell: words, some of them in quotes, or a JSON
 * array. Throws UserError for neither; the promise rejects with one.
 */
export function tokenCommand(command: string, env: Environment): Obtain {
  const [file, ...args] = wordsOf(command)
  if (file === undefined) throw commandMistake('expected a program')
  return async () =>
    new Promise((resolve, reject) => {
      const limits = { timeout: 1_000 * LIMIT_SECONDS, maxBuffer: MOST_BYTES, windowsHide: true }
      const settled = (error: Error | null, stdout: string, stderr: string): void => {
        if (error !== null) return reject(commandMistake(programWords(error, stderr)))
        const read = readCredential(stdout)
        if (typeof read === 'string') reject(commandMistake(read))
        else resolve(read)
      }
      execFile(file, args, { ...limits, env: { ...env } }, settled).stdin?.end()
    })
}

function commandMistake(problem: string): UserError {
  return new UserError({ source: COMMAND, problem })
}

/** What it printed on stdout may be a token, and is not shown. */
function programWords(error: Error & { code?: unknown; killed?: boolean }, stderr: string): string {
  if (error.killed === true) return `gave no token within ${LIMIT_SECONDS} s`
  if (typeof error.code !== 'number') return `could not be run (${String(error.code)})`
  const said = excerpt(stderr.trim())
  return `ended with exit code ${error.code}${said === '' ? '' : `: ${said}`}`
}

/** A backslash is an ordinary character: Windows has it in paths. */
const WORD = /"([^"]*)"|'([^']*)'|([^\s"']+)/g

function wordsOf(command: string): string[] {
  if (command.trim().startsWith('[')) {
    const words = jsonIn(command)
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words
    throw commandMistake('expected a JSON array of words')
  }
  const words = [...command.matchAll(WORD)].map(([, twice, once, bare]) => twice ?? once ?? bare!)
  if (/["']/.test(command.replaceAll(WORD, ''))) throw commandMistake('a quote is never closed')
  return words
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const HEADER_LINE = /^([\w-]+): *([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/
const TOKEN = /^[\x21-\x7e]+$/

/**
 * A token, a header line, or JSON as OAuth has it (`token` and `expiresIn` do as well). Returns
 * what is wrong otherwise, without a word of it.
 */
function readCredential(printed: string): Credential | string {
  const text = printed.trim()
  if (text.startsWith('{')) return readGrant(jsonIn(text) as Record<string, unknown> | undefined)
  const [, header, value] = HEADER_LINE.exec(text) ?? []
  if (header !== undefined && value !== undefined) {
    const secret = value.replace(/^(?:bearer|basic|token) +/i, '')
    return { header: header.toLowerCase(), value, secret, lifetimeMs: null }
  }
  return TOKEN.test(text) ? bearer(text, null) : NO_TOKEN
}

const NO_TOKEN = 'gave no token: expected one word, "name: value", or JSON {"token", "expiresIn"}'

function readGrant(grant: Record<string, unknown> = {}): Credential | string {
  const token = grant['access_token'] ?? grant['token']
  const seconds = Number(grant['expires_in'] ?? grant['expiresIn'] ?? Number.NaN)
  if (typeof token !== 'string' || !TOKEN.test(token)) return NO_TOKEN
  return bearer(token, seconds > 0 ? 1_000 * seconds : null)
}

function bearer(token: string, lifetimeMs: number | null): Credential {
  return { header: 'authorization', value: `Bearer ${token}`, secret: token, lifetimeMs }
}

/** The variables of a client that an OAuth token endpoint knows. */
const OAUTH = {
  url: 'CREWLOAD_OAUTH_URL',
  id: 'CREWLOAD_OAUTH_CLIENT_ID',
  secret: 'CREWLOAD_OAUTH_CLIENT_SECRET',
  scope: 'CREWLOAD_OAUTH_SCOPE',
} as const

/**
 * RFC 6749, section 4.4: client credentials, in a Basic header. Null without CREWLOAD_OAUTH_URL.
 * Throws UserError for what is missing; the promise rejects with TargetError.
 */
export function oauthGrant(env: Environment, tls: TlsOptions): Obtain | null {
  const { [OAUTH.url]: url = '', [OAUTH.id]: id = '', [OAUTH.secret]: secret = '' } = env
  if (url === '') return null
  const missing = [OAUTH.id, OAUTH.secret].filter((name) => (env[name] ?? '') === '')
  if (missing.length > 0) {
    const problem = `is missing beside ${OAUTH.url}`
    throw new UserError(missing.map((source) => ({ source, problem })))
  }
  const endpoint = parseTarget(url, OAUTH.url)
  if (endpoint.protocol === 'http:' && !isLoopback(endpoint.hostname)) {
    throw new UserError({ source: OAUTH.url, problem: 'expected https: a secret is sent there' })
  }
  const client = [id, secret].map((part) => encodeURIComponent(part)).join(':')
  const headers = {
    authorization: `Basic ${Buffer.from(client).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const scope = env[OAUTH.scope] ?? ''
  const form = { grant_type: 'client_credentials', ...(scope === '' ? {} : { scope }) }
  const { insecure: _, ...trusted } = tls
  return async () => grantedAt(endpoint, { headers, form, secret, tls: trusted, env })
}

interface GrantRequest {
  headers: Readonly<Record<string, string>>
  form: Record<string, string>
  secret: string
  tls: TlsOptions
  env: Environment
}

async function grantedAt(
  endpoint: URL,
  { headers, form, secret, tls, env }: GrantRequest,
): Promise<Credential> {
  const probe = await openProbe({ target: new URL(endpoint.origin), headers, tls, env }, null)
  const body = new URLSearchParams(form).toString()
  const to = {
    operation: 'inputs',
    execution: -1,
    method: 'POST',
    path: endpoint.pathname,
  } as const
  try {
    const request = { ...to, body, correlation: 'token' }
    const answer = await probe.ask(request, LIMIT_SECONDS * MICROS_PER_SECOND)
    if (answer.kind === 'failure') {
      throw new TargetError(endpoint, `gave no token: ${failureWords(answer)}`, answer.detail)
    }
    if (answer.status !== 200) {
      const said = excerpt(blank(answer.body, [secret]))
      throw new TargetError(endpoint, `gave no token: ${said}`, String(answer.status))
    }
    const read = readCredential(answer.body)
    if (typeof read === 'string') throw new TargetError(endpoint, read)
    return read
  } finally {
    await probe.close()
  }
}
