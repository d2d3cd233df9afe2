/** Asks for a token: a program prints it, or an OAuth token endpoint grants it to a client. */
import { execFile } from 'node:child_process'
import { isLoopback } from '../../base/loopback.ts'
import { UserError } from '../../base/mistakes.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import { excerpt } from '../../crew/excerpt.ts'
import type { TlsOptions } from '../../host/node/index.ts'
import type { Credential } from '../../host/node/token-source.ts'
import { blank, OUR_SECRETS } from '../../host/secrets.ts'
import type { CheckProbe } from './probe.ts'
import { openProbe } from './probe.ts'
import { TargetError } from '../errors.ts'
import { parseTarget } from './chosen-place.ts'
import { failureWords } from './preflight.ts'
import type { Environment } from '../options.ts'
import { parsedJson } from '../../base/text.ts'

type Obtain = (signal?: AbortSignal) => Promise<Credential>
/** Both a program and an endpoint have this long. */
const LIMIT_SECONDS = 30
const MOST_BYTES = 65_536
/** A program may ignore SIGTERM. */
const LIMITS = {
  timeout: 1_000 * LIMIT_SECONDS,
  maxBuffer: MOST_BYTES,
  windowsHide: true,
  killSignal: 'SIGKILL',
} as const

const COMMAND = '--token-command'

/**
 * `command`: a program and its arguments, without a shell: words, some of them in quotes, or a JSON
 * array. Throws UserError for neither; the promise rejects with one.
 */
export function tokenCommand(command: string, env: Environment): Obtain {
  const [file = '', ...args] = wordsOf(command)
  if (file === '') throw commandMistake('expected a program')
  const known = [...OUR_SECRETS].map((name) => env[name] ?? '')
  let last = ''
  return async (signal) =>
    new Promise((resolve, reject) => {
      const settled = (error: Error | null, stdout: string, stderr: string): void => {
        const secrets = [...known, last, ...stdout.split(/\s+/)]
        const read =
          error === null ? readPrinted(stdout) : programWords(error, blank(stderr, secrets))
        if (typeof read === 'string') return reject(commandMistake(read))
        last = read.secret
        resolve(read)
      }
      const stopped = signal === undefined ? {} : { signal }
      try {
        const child = execFile(file, args, { ...LIMITS, ...stopped, env: { ...env } }, settled)
        child.stdin?.end()
        // Node sends SIGTERM then, whatever `killSignal` says.
        signal?.addEventListener('abort', () => child.kill('SIGKILL'))
      } catch (error) {
        settled(error as Error, '', '')
      }
    })
}

function commandMistake(problem: string): UserError {
  return new UserError({ source: COMMAND, problem })
}

type ProgramError = Error & { code?: unknown; killed?: boolean; signal?: NodeJS.Signals | null }

/** What it printed on stdout may be a token, and is not shown. */
function programWords({ code, killed, signal }: ProgramError, stderr: string): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `printed more than ${MOST_BYTES} bytes`
  if (killed === true) return `gave no token within ${LIMIT_SECONDS} s`
  if (typeof signal === 'string') return `was ended by ${signal}`
  if (typeof code !== 'number') return `could not be run (${String(code)})`
  return `ended with exit code ${code}${quoted(stderr)}`
}

function quoted(said: string): string {
  return said.trim() === '' ? '' : `: ${excerpt(said.trim())}`
}

/** A backslash is an ordinary character: Windows has it in paths. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g
const QUOTED = /"([^"]*)"|'([^']*)'/g

function wordsOf(command: string): string[] {
  if (command.trim().startsWith('[')) {
    const words = parsedJson(command)
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words
    throw commandMistake('expected a JSON array of words')
  }
  if (/["']/.test(command.replaceAll(WORD, ''))) throw commandMistake('a quote is never closed')
  return [...command.matchAll(WORD)].map(([word]) => word.replaceAll(QUOTED, '$1$2'))
}

/** A token may have a colon, but no space. */
const HEADER_LINE = /^([\w-]+): +([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/
const TOKEN = /^[\x21-\x7e]+$/

/**
 * A token, a header line, or JSON as OAuth has it (`token` and `expiresIn` do as well). Returns
 * what is wrong otherwise, without a word of it.
 */
function readPrinted(printed: string): Credential | string {
  const text = printed.trim()
  if (text.startsWith('{')) return readGrant(text) ?? NO_TOKEN
  const [, header, value] = HEADER_LINE.exec(text) ?? []
  if (header !== undefined && value !== undefined) {
    const secret = value.replace(/^(?:bearer|basic|token) +/i, '')
    return { header: header.toLowerCase(), value, secret, lifetimeMs: null }
  }
  return TOKEN.test(text) ? bearer(text, null) : NO_TOKEN
}

const NO_TOKEN = 'gave no token: expected one word, "name: value", or JSON {"token", "expiresIn"}'

const NO_GRANT = 'gave no token: expected JSON {"access_token", "expires_in"}'

function readGrant(text: string): Credential | null {
  const grant = Object(parsedJson(text)) as Record<string, unknown>
  const token = grant['access_token'] ?? grant['token']
  const seconds = Number(grant['expires_in'] ?? grant['expiresIn'] ?? Number.NaN)
  if (typeof token !== 'string' || !TOKEN.test(token)) return null
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
  // Section 3.2 allows a query.
  const endpoint = parseTarget(url.replace(/\?[^#]*/, ''), OAUTH.url)
  if (endpoint.protocol === 'http:' && !isLoopback(endpoint.hostname)) {
    throw new UserError({ source: OAUTH.url, problem: 'expected https: a secret is sent there' })
  }
  const [user = '', password = ''] = [id, secret].map((part) => encodeURIComponent(part))
  const basic = Buffer.from(`${user}:${password}`).toString('base64')
  const headers = {
    authorization: `Basic ${basic}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const scope = env[OAUTH.scope] ?? ''
  const form = { grant_type: 'client_credentials', ...(scope === '' ? {} : { scope }) }
  const { pathname, search } = new URL(url)
  const asking = {
    path: pathname + search,
    body: new URLSearchParams(form).toString(),
    secrets: [secret, password, basic],
  }
  const { insecure: _, ...trusted } = tls
  const probed = { target: new URL(endpoint.origin), headers, tls: trusted, env }
  return async (signal) => grantedAt(endpoint, asking, await openProbe(probed, null), signal)
}

async function grantedAt(
  endpoint: URL,
  { secrets, ...asked }: { path: string; body: string; secrets: readonly string[] },
  probe: CheckProbe,
  signal: AbortSignal | undefined,
): Promise<Credential> {
  const to = { operation: 'inputs', execution: -1, method: 'POST', correlation: 'token' } as const
  try {
    const timeoutMicros = LIMIT_SECONDS * MICROS_PER_SECOND
    const answer = await probe.ask({ ...to, ...asked }, timeoutMicros, signal)
    if (answer.kind === 'failure') {
      const detail = blank(answer.detail, secrets)
      throw new TargetError(endpoint, `gave no token: ${failureWords(answer)}`, detail)
    }
    if (answer.status !== 200) {
      const said = quoted(blank(answer.body, secrets))
      throw new TargetError(endpoint, `gave no token${said}`, String(answer.status))
    }
    const read = readGrant(answer.body)
    if (read === null) throw new TargetError(endpoint, NO_GRANT)
    return read
  } finally {
    await probe.close()
  }
}
