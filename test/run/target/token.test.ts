/** Who is asked for a token: a program without a shell, or an OAuth token endpoint. */
import { expect, test } from 'vitest'
import { UserError } from '../../../src/base/mistakes.ts'
import { oauthGrant, tokenCommand } from '../../../src/run/target/token.ts'
import type { Answers } from '../../support/targets/loopback.ts'
import { startedStub } from '../../support/targets/loopback.ts'

/** Without a PATH there is no shell, and nothing else that was not named in full. */
const BARE = { PATH: '' }

function printing(text: string): string {
  return JSON.stringify([process.execPath, '-e', `process.stdout.write(${JSON.stringify(text)})`])
}

const BEARER = { header: 'authorization', value: 'Bearer abc.def', secret: 'abc.def' }
test.each([
  ['abc.def\n', { ...BEARER, lifetimeMs: null }],
  ['{"token":"abc.def","expiresIn":90}', { ...BEARER, lifetimeMs: 90_000 }],
  ['{"access_token":"abc.def","expires_in":"90"}', { ...BEARER, lifetimeMs: 90_000 }],
  ['Authorization: Bearer abc.def', { ...BEARER, lifetimeMs: null }],
  [
    '123456:ABC-def',
    { ...BEARER, value: 'Bearer 123456:ABC-def', secret: '123456:ABC-def', lifetimeMs: null },
  ],
  ['X-Api-Key: k 1\r\n', { header: 'x-api-key', value: 'k 1', secret: 'k 1', lifetimeMs: null }],
])('reads what a program prints: %j', async (text, credential) => {
  expect(await tokenCommand(printing(text), BARE)()).toEqual(credential)
})

test.each(['', 'two words', 'a\nb', '{"secret":"hush"}', '{hush', 'x: a\r\ny: b'])(
  'calls anything else no token, without repeating it: %j',
  async (text) => {
    const asked = tokenCommand(printing(text), BARE)()
    await expect(asked).rejects.toThrow(
      /^--token-command: gave no token: expected one word, "name: value", or JSON {"token", "expiresIn"}$/,
    )
  },
)

test.each([
  [`"${process.execPath}" -e "process.stdout.write(process.argv[1])" 'a\\b'`, 'a\\b'],
  [`'${process.execPath}' -p 1`, '1'],
  [
    `${process.execPath} -p "process.argv[1].replace(' ', '_')" -- --form='value('"a b"')'`,
    '--form=value(a_b)',
  ],
])('splits words by quotes alone, and expands nothing: %s', async (command, secret) => {
  expect(await tokenCommand(command, BARE)()).toMatchObject({ secret })
})

test.each(['', `""`, '[""]', '[1]', '["node"', `node "never closed`])(
  'refuses no command: %j',
  (command) => {
    expect(() => tokenCommand(command, BARE)).toThrow(UserError)
  },
)

test('says how a program failed, with what it wrote to stderr', async () => {
  const fails = `console.error('please log in'); console.log('SECRET'); process.exit(3)`
  const asked = tokenCommand(JSON.stringify([process.execPath, '-e', fails]), BARE)()
  await expect(asked).rejects.toThrow(/^--token-command: ended with exit code 3: please log in$/)
  const none = tokenCommand('/no/such/program', BARE)()
  await expect(none).rejects.toThrow(/^--token-command: could not be run \(ENOENT\)$/)
})

test.each([
  [
    'another signal than SIGTERM ends one that prints without end',
    `process.on('SIGTERM', () => {}); setInterval(() => console.log('x'.repeat(70_000)), 10)`,
    'printed more than 65536 bytes',
  ],
  ['a signal', `process.kill(process.pid, 'SIGKILL')`, 'was ended by SIGKILL'],
  [
    'secrets in its complaint',
    `console.log('not-a-token'); console.error('no:', ...process.argv.slice(1), process.env.CREWLOAD_KEY_PASSPHRASE); process.exit(3)`,
    'ended with exit code 3: no: *** ***',
  ],
])('says how a program failed: %s', async (_, script, words) => {
  const env = { ...BARE, CREWLOAD_KEY_PASSPHRASE: 'open sesame' }
  const asked = tokenCommand(JSON.stringify([process.execPath, '-e', script, 'not-a-token']), env)()
  await expect(asked).rejects.toThrow(new UserError({ source: '--token-command', problem: words }))
})

test('calls a word with a NUL what it is: nothing that could be run', async () => {
  const asked = tokenCommand(JSON.stringify(['a\0']), BARE)()
  await expect(asked).rejects.toThrow('--token-command: could not be run (ERR_INVALID_ARG_VALUE)')
})

test('a signal ends a program, even one that ignores SIGTERM', async () => {
  const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000); fetch(process.argv[1] + process.pid)`
  let program = 0
  await using listener = await startedStub(({ url = '' }, response) => {
    response.end()
    program = Number(url.slice(1))
  })
  const stop = new AbortController()
  const command = JSON.stringify([process.execPath, '-e', stubborn, `${listener.url}/`])
  const asked = tokenCommand(command, BARE)(stop.signal)
  await expect.poll(() => program).toBeGreaterThan(0)
  stop.abort()
  await expect(asked).rejects.toThrow(UserError)
  await expect.poll(() => isAlive(program)).toBe(false)
})

function isAlive(program: number): boolean {
  try {
    return process.kill(program, 0)
  } catch {
    return false
  }
}

async function endpoint(status: number, body: string | Answers) {
  const asked: unknown[] = []
  const server = await startedStub((request, response) => {
    let form = ''
    request.on('data', (part: Buffer) => (form += part.toString()))
    request.on('end', () => {
      asked.push([request.method, request.url, request.headers.authorization, form])
      if (typeof body !== 'string') return body(request, response)
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
  })
  const env = {
    CREWLOAD_OAUTH_URL: `${server.url}/oauth/token`,
    CREWLOAD_OAUTH_CLIENT_ID: 'load:test',
    CREWLOAD_OAUTH_CLIENT_SECRET: 'hush-4711',
    CREWLOAD_OAUTH_SCOPE: 'crew.run crew.read',
  }
  return { env, asked, [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose]() }
}

test('asks an OAuth token endpoint as RFC 6749 says', async () => {
  await using idp = await endpoint(200, '{"access_token":"abc.def","expires_in":300}')
  expect(await oauthGrant(idp.env, {})!()).toEqual({ ...BEARER, lifetimeMs: 300_000 })
  const basic = Buffer.from('load%3Atest:hush-4711').toString('base64')
  const form = 'grant_type=client_credentials&scope=crew.run+crew.read'
  expect(idp.asked).toEqual([['POST', '/oauth/token', `Basic ${basic}`, form]])
})

test('says what the endpoint answered instead, without the secret', async () => {
  await using idp = await endpoint(401, '{"error":"invalid_client: hush-4711"}')
  const asked = oauthGrant(idp.env, {})!()
  await expect(asked).rejects.toThrow(/gave no token: .*invalid_client: \*\*\*.* \(found 401\)$/)
  const nobody = { ...idp.env, CREWLOAD_OAUTH_URL: 'http://127.0.0.1:1/token' }
  await expect(oauthGrant(nobody, {})!()).rejects.toThrow('no process listens there')
})

test.each<[string, (basic: string) => string]>([
  ['as the header', (basic) => basic],
  ['within base64', (basic) => Buffer.from(`{"got":"${basic}"}`).toString('base64')],
  ['decoded', (basic) => Buffer.from(basic, 'base64').toString().replace(/^.*:/, '')],
  ['as it is', (basic) => decodeURIComponent(Buffer.from(basic, 'base64').toString()).slice(10)],
])('shows no secret that an endpoint repeats: %s', async (_, form) => {
  await using idp = await endpoint(400, ({ headers: { authorization = '' } }, response) => {
    response.writeHead(400).end(`you sent ${form(authorization.replace('Basic ', ''))}`)
  })
  const env = { ...idp.env, CREWLOAD_OAUTH_CLIENT_SECRET: 'p+s/w=rd long secret' }
  const error = await oauthGrant(env, {})!().catch((thrown: unknown) => thrown)
  expect(String(error)).toMatch(/gave no token: you sent [\w=+/]*\*\*\*[\w=+/]* \(found 400\)$/)
})

test.each(['rubbish', 'null', '"abc"', 'Authorization: Bearer abc', '{"access_token":""}', '{}'])(
  'takes no token from an answer that is no grant: %s',
  async (body) => {
    await using idp = await endpoint(200, body)
    await expect(oauthGrant(idp.env, {})!()).rejects.toThrow(
      /gave no token: expected JSON {"access_token", "expires_in"}$/,
    )
  },
)

test.each(['/token/', '/token?tenant=a%20b&x=1'])('asks at %s, as it is written', async (path) => {
  await using idp = await endpoint(200, '{"access_token":"abc.def"}')
  const url = new URL(idp.env.CREWLOAD_OAUTH_URL).origin + path
  await oauthGrant({ ...idp.env, CREWLOAD_OAUTH_URL: url }, {})!()
  expect(idp.asked).toEqual([expect.arrayContaining(['POST', path])])
  expect(() => oauthGrant({ ...idp.env, CREWLOAD_OAUTH_URL: `${url}#x` }, {})).toThrow(
    'no fragment',
  )
})

test('a signal cancels the request for a token', async () => {
  const stop = new AbortController()
  await using idp = await endpoint(200, () => stop.abort())
  await expect(oauthGrant(idp.env, {})!(stop.signal)).rejects.toThrow('gave no token: cancelled')
  await expect(oauthGrant(idp.env, {})!(stop.signal)).rejects.toThrow('gave no token: cancelled')
})

test('quotes nothing of an answer without words', async () => {
  await using idp = await endpoint(302, '\n')
  await expect(oauthGrant(idp.env, {})!()).rejects.toThrow(/: gave no token \(found 302\)$/)
})

test('names every variable that is missing, and sends no secret in the clear', () => {
  expect(oauthGrant({}, {})).toBeNull()
  expect(() => oauthGrant({ CREWLOAD_OAUTH_URL: 'https://a.example/t' }, {})).toThrow(
    'CREWLOAD_OAUTH_CLIENT_ID: is missing beside CREWLOAD_OAUTH_URL\n' +
      'CREWLOAD_OAUTH_CLIENT_SECRET: is missing beside CREWLOAD_OAUTH_URL',
  )
  const clear = {
    CREWLOAD_OAUTH_URL: 'http://a.example/t',
    CREWLOAD_OAUTH_CLIENT_ID: 'a',
    CREWLOAD_OAUTH_CLIENT_SECRET: 'b',
  }
  expect(() => oauthGrant(clear, {})).toThrow('expected https: a secret is sent there')
})
