/** Who is asked for a token: a program without a shell, or an OAuth token endpoint. */
import { expect, test } from 'vitest'
import { UserError } from '../../../src/base/mistakes.ts'
import { oauthGrant, tokenCommand } from '../../../src/run/target/token.ts'
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
  [`${process.execPath} -p "'$HOME'"`, '$HOME'],
])('splits words by quotes alone, and expands nothing: %s', async (command, secret) => {
  expect(await tokenCommand(command, BARE)()).toMatchObject({ secret })
})

test.each(['', '[1]', '["node"', `node "never closed`])('refuses no command: %j', (command) => {
  expect(() => tokenCommand(command, BARE)).toThrow(UserError)
})

test('says how a program failed, with what it wrote to stderr', async () => {
  const fails = `console.error('please log in'); console.log('SECRET'); process.exit(3)`
  const asked = tokenCommand(JSON.stringify([process.execPath, '-e', fails]), BARE)()
  await expect(asked).rejects.toThrow(/^--token-command: ended with exit code 3: please log in$/)
  const none = tokenCommand('/no/such/program', BARE)()
  await expect(none).rejects.toThrow(/^--token-command: could not be run \(ENOENT\)$/)
})

async function endpoint(status: number, body: string) {
  const asked: unknown[] = []
  const server = await startedStub((request, response) => {
    let form = ''
    request.on('data', (part: Buffer) => (form += part.toString()))
    request.on('end', () => {
      asked.push([request.method, request.url, request.headers.authorization, form])
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
