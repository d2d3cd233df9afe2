/**
 * Access to a crew: tokens that end during a run, which are renewed or the run says why not, and
 * client certificates. None of them is in an artefact.
 */
import { createPrivateKey } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { request as forward } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FakeCrew } from '../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { STRANGERS_KEY, TEST_CERTIFICATE, TEST_KEY } from '../../host/certificate.ts'
import {
  cli,
  documentOf,
  everythingBelow,
  finished,
  folderIn,
  startCli,
  temporaryFolder,
} from '../../support/cli.ts'
import { enginesThatSend } from '../../support/k6/k6.ts'
import { startedStub } from '../../support/targets/loopback.ts'

const SECRET = 'client-secret-4711'

/**
 * Issues `issued-token-N` at `/token`, and passes on to a fake crew what carries the last one, until
 * it was used `uses` times. It repeats the token in a header. It issues `most` tokens.
 */
async function gateway(
  fake: Pick<FakeCrew, 'url' | 'token'>,
  { uses, most }: { uses: number; most: number },
) {
  let issued = 0
  let left = 0
  const server = await startedStub((request, response) => {
    if (request.url === '/token') {
      if (issued >= most) return response.writeHead(503).end('no more')
      left = uses
      return response.end(JSON.stringify({ access_token: `issued-token-${++issued}` }))
    }
    const { method, headers, url = '' } = request
    if (headers.authorization !== `Bearer issued-token-${issued}` || left-- <= 0) {
      return response.writeHead(401).end(`{"detail":"${headers.authorization}"}`)
    }
    const own = { ...headers, authorization: `Bearer ${fake.token}` }
    const onward = forward(fake.url + url, { method, headers: own }, (answer) => {
      response.writeHead(answer.statusCode!, { ...answer.headers, 'x-echo': headers.authorization })
      answer.pipe(response)
    })
    return request.pipe(onward)
  })
  const env = {
    CREWLOAD_OAUTH_URL: `${server.url}/token`,
    CREWLOAD_OAUTH_CLIENT_ID: 'load',
    CREWLOAD_OAUTH_CLIENT_SECRET: SECRET,
  }
  return {
    url: server.url,
    env,
    issued: () => issued,
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  }
}

/** 40 executions over 4 s. */
const RUN = ['run', '--rate', '10/s', '--for', '4s', '--inputs', '{"topic":"a","audience":"b"}']
const BUDGET = ['--max-kickoffs', '90', '--yes']
/** A busy machine must not make a run INVALID here. */
const PATIENT = ['lateness=10s', 'utilisation=1', 'little=1']
BUDGET.push(...PATIENT.flatMap((bound) => ['--set', `validity.${bound}`]))

test('the advice about a refused token names where it came from', async () => {
  await using folder = await temporaryFolder()
  await using fake = await startFakeCrew({ profile: 'fast' })
  const refusedTo = async (args: string[], env: Record<string, string>): Promise<string> => {
    const run = ['run', 'smoke', '--target', fake.url, ...BUDGET, ...args]
    return (await cli(run, { cwd: folder.path, env })).stderr
  }
  const printing = ['--token-command', 'echo wrong']
  expect(await refusedTo(printing, {})).toContain('give a valid one: --token-command (found')
  await writeFile(join(folder.path, 'token'), 'wrong')
  const file = ['--token-file', 'token']
  expect(await refusedTo(file, {})).toContain('give a valid one: --token-file token (found')
  const env = { CREWLOAD_TOKEN: 'wrong' }
  expect(await refusedTo([], env)).toContain('give a valid one: CREWLOAD_TOKEN (found')
})

describe('a token that ends during a run', () => {
  test('is renewed at an OAuth token endpoint, and every execution completes', async () => {
    await using folder = await temporaryFolder()
    await using fake = await startFakeCrew({ profile: 'fast' })
    await using place = await gateway(fake, { uses: 60, most: Infinity })
    const args = [...RUN, ...BUDGET, '--target', place.url, '--out', join(folder.path, 'out')]
    const { code, stdout, stderr } = await cli(args, { env: place.env })
    expect([code, stderr]).toEqual([0, expect.any(String)])
    expect(place.issued()).toBeGreaterThan(1)
    const written = await everythingBelow(join(folder.path, 'out'))
    expect(written.length).toBeGreaterThan(10_000)
    for (const text of [written, stdout, stderr]) {
      expect(text).not.toContain('issued-token-')
      expect(text).not.toContain(SECRET)
    }
  })

  test('is renewed by a program, whose words are in no artefact', async () => {
    await using folder = await temporaryFolder()
    await using fake = await startFakeCrew({ profile: 'fast' })
    await using place = await gateway(fake, { uses: 60, most: Infinity })
    const script = `fetch('${place.url}/token').then(async (a) => console.log((await a.json()).access_token))`
    const command = JSON.stringify([process.execPath, '-e', script])
    const args = [...RUN, ...BUDGET, '--target', place.url, '--out', join(folder.path, 'out')]
    const { code, stderr } = await cli([...args, '--token-command', command])
    expect([code, stderr]).toEqual([0, expect.any(String)])
    const written = await everythingBelow(join(folder.path, 'out'))
    for (const hidden of ['issued-token-', 'a.json()']) expect(written).not.toContain(hidden)
  })

  test('is not what a check sends as a wrong one', async () => {
    await using fake = await startFakeCrew({ profile: 'fast' })
    await using place = await gateway(fake, { uses: 60, most: Infinity })
    const args = ['check', '--target', place.url, '--no-kickoff']
    const { code, stdout } = await cli(args, { env: place.env })
    expect(stdout).toMatch(/ok +wrong token +401/)
    expect(code).toBe(0)
  })

  test('is asked for again where a run is resumed, and renewed there', async () => {
    await using folder = await temporaryFolder()
    await using fake = await startFakeCrew({ profile: 'default', speed: 20 })
    await using place = await gateway(fake, { uses: 60, most: Infinity })
    const scenario = {
      name: 'cut',
      arrivals: { rate: '10/s', for: '4s' },
      inputs: { topic: 'a', audience: 'b' },
      polling: { fixed: '100ms' },
    }
    const file = join(folder.path, '.cut.mjs')
    await writeFile(file, `export default ${JSON.stringify(scenario)}`)
    const args = ['run', file, ...BUDGET, '--target', place.url, '--out', folder.path]
    const cut = startCli(args, { env: place.env })
    const gone = finished(cut)
    const journal = async (): Promise<string> =>
      readFile(join(await folderIn(folder.path), 'executions.ndjson'), 'utf8').catch(() => '')
    await expect
      .poll(async () => (await journal()).split('"type":"accepted"').length, { timeout: 20_000 })
      .toBeGreaterThan(10)
    cut.kill('SIGKILL')
    await gone
    const before = place.issued()
    const resumed = await cli(['resume', await folderIn(folder.path), '--json'], { env: place.env })
    expect([resumed.code, resumed.stderr]).toEqual([4, expect.any(String)])
    expect(documentOf(resumed).outcomes.completed).toBeGreaterThan(5)
    expect(place.issued()).toBeGreaterThan(before + 1)
    expect(await everythingBelow(folder.path)).not.toContain('issued-token-')
  })

  test('leaves a run that says why there is no other, and that access was lost', async () => {
    await using folder = await temporaryFolder()
    await using fake = await startFakeCrew({ profile: 'fast' })
    await using place = await gateway(fake, { uses: 60, most: 1 })
    const args = [
      ...RUN,
      ...BUDGET,
      '--target',
      place.url,
      '--set',
      'circuit.after=1s',
      '--set',
      'deadline=3s',
    ]
    const { code, stderr } = await cli(args, { cwd: folder.path, env: place.env })
    expect(stderr).toContain('the token could not be renewed')
    expect(stderr).toContain('gave no token: no more (found 503)')
    expect(code).toBe(5)
  })
})

test.each([
  [
    ['--token-command', 'crewload-no-such-program'],
    {},
    '--token-command: could not be run (ENOENT)',
  ],
  [['--token-command', 'x'], { CREWLOAD_TOKEN: 't' }, 'token: choose one: CREWLOAD_TOKEN, '],
  [[], { CREWLOAD_OAUTH_URL: 'https://a.example/t' }, 'CREWLOAD_OAUTH_CLIENT_ID: is missing'],
])('no token can be had by %j: exit code 2, and nothing is sent', async (flags, env, words) => {
  await using target = await startedStub()
  const { code, stderr } = await cli(['run', 'smoke', '--target', target.url, ...flags], { env })
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
  expect(target.paths).toEqual([])
})

const NOT_ASKED = ['--token-command', 'crewload-no-such-program']
test.each([
  ['--engine k6', ['run', 'smoke', '--engine', 'k6']],
  ['--engine k6', ['run', 'smoke', '--engine', 'k6', '--dry-run']],
  [
    '--engine k6',
    ['capacity', 'smoke', '--slo', 'execution.p95 < 5m', '--engine', 'k6', '--dry-run'],
  ],
  ['saturate', ['saturate', 'inputs']],
  ['saturate', ['saturate', 'inputs', '--dry-run']],
])('%s renews no token: nobody is asked for one by %j', async (sender, args) => {
  await using target = await startedStub()
  const { code, stderr } = await cli([...args, '--target', target.url, ...NOT_ASKED])
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${sender}: cannot renew a token`)])
  expect(stderr).not.toContain('ENOENT')
  expect(target.paths).toEqual([])
})

test('nor by the resumption of a ladder', async () => {
  await using folder = await temporaryFolder()
  const asked = { options: {}, from: folder.path }
  const recipe = { schema: 'crewload/study/1', study: 'saturation', crewload: '0', id: 'a', asked }
  const rest = { startedAt: '2026-11-21T08:15:00Z', headers: [], fingerprint: '', command: null }
  await writeFile(join(folder.path, 'study.json'), JSON.stringify({ ...recipe, ...rest }))
  const { code, stderr } = await cli(['resume', folder.path, ...NOT_ASKED])
  expect([code, stderr]).toEqual([2, expect.stringContaining('saturate: cannot renew a token')])
  expect(stderr).not.toContain('ENOENT')
})

test.each([
  ['--profile', 'fast', '--engine', 'virtual', '--quiet'],
  ['--profile', 'fast', '--engine', 'k6', '--dry-run'],
  ['--target', 'http://127.0.0.1:1', '--engine', 'k6', '--dry-run'],
])('variables of OAuth are not read where nothing is sent: %j', async (...flags) => {
  await using folder = await temporaryFolder()
  const env = { CREWLOAD_OAUTH_URL: 'https://a.example/t', CREWLOAD_TOKEN: 'sesame' }
  const { code, stderr } = await cli(['run', 'smoke', ...flags], { cwd: folder.path, env })
  expect([code, stderr]).toEqual([0, expect.any(String)])
})

/** In front of a fake crew, as a gateway that ends TLS is. */
async function tlsGateway({ url }: FakeCrew): Promise<string> {
  const own = { key: TEST_KEY, cert: TEST_CERTIFICATE, ca: TEST_CERTIFICATE }
  const demanding = { ...own, requestCert: true, rejectUnauthorized: true }
  const server = createServer(demanding, (request, response) => {
    const { method, headers } = request
    const onward = forward(url + request.url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const PASSPHRASE = 'open-sesame-4711'

/** The flags that name them. `sealed` is the same key, encrypted. */
async function files(folder: string): Promise<Record<'ca' | 'cert' | 'key' | 'sealed', string>> {
  const sealed = createPrivateKey(TEST_KEY)
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: PASSPHRASE })
    .toString()
  const texts = { ca: TEST_CERTIFICATE, cert: TEST_CERTIFICATE, key: TEST_KEY, sealed }
  const named = Object.entries(texts).map(async ([name, text]) => {
    await writeFile(join(folder, `${name}.pem`), text)
    return [name, join(folder, `${name}.pem`)] as const
  })
  return Object.fromEntries(await Promise.all(named)) as Awaited<ReturnType<typeof files>>
}

/** Any line of the key: a part of it would be as bad. */
const KEY_LINES = TEST_KEY.split('\n').filter((line) => line !== '' && !line.startsWith('-'))

const engines = await enginesThatSend('client certificates')
test.each(engines)('is shown by $kind, and is in no artefact', async ({ kind }) => {
  await using folder = await temporaryFolder()
  await using fake = await startFakeCrew({ profile: 'fast' })
  const { ca, cert, sealed } = await files(folder.path)
  const out = join(folder.path, 'out')
  const run = ['run', 'smoke', '--target', await tlsGateway(fake), '--engine', kind, '--out', out]
  const tls = ['--ca', ca, '--cert', cert, '--key', sealed]
  const env = { CREWLOAD_TOKEN: fake.token, CREWLOAD_KEY_PASSPHRASE: PASSPHRASE }
  const { code, stdout, stderr } = await cli([...run, ...tls, '--max-kickoffs', '9', '--yes'], {
    env,
  })
  expect([code, stderr]).toEqual([0, expect.any(String)])
  const written = await everythingBelow(out)
  expect(written.length).toBeGreaterThan(10_000)
  for (const text of [written, stdout, stderr]) {
    for (const line of [...KEY_LINES, PASSPHRASE]) expect(text).not.toContain(line)
  }
})

test('is asked for where the target requires one', async () => {
  await using folder = await temporaryFolder()
  await using fake = await startFakeCrew({ profile: 'fast' })
  const { ca } = await files(folder.path)
  const run = ['run', 'smoke', '--target', await tlsGateway(fake), '--max-kickoffs', '9', '--yes']
  const env = { CREWLOAD_TOKEN: fake.token }
  const { code, stderr } = await cli([...run, '--ca', ca], { cwd: folder.path, env })
  expect([code, stderr]).toEqual([5, expect.stringContaining('(--cert and --key FILE)')])
})

test('is not used over http, which the command says', async () => {
  await using folder = await temporaryFolder()
  const { cert, key } = await files(folder.path)
  const tls = ['--cert', cert, '--key', key, '--dry-run']
  for (const place of [
    ['--target', 'http://127.0.0.1:1'],
    ['--profile', 'fast'],
  ]) {
    const { stderr } = await cli(['run', 'smoke', ...place, ...tls], { cwd: folder.path })
    expect(stderr).toContain('--cert is not used: only an https target asks for a certificate')
  }
  const https = ['run', 'smoke', '--target', 'https://127.0.0.1:1', ...tls]
  const { stderr } = await cli(https, { cwd: folder.path })
  expect(stderr).not.toContain('--cert')
})

/** A mix whose parts are at these places; null for that of the run. */
function partsAt(...targets: (string | null)[]): string {
  const parts = targets.map((target, i) => {
    const own = { scenario: 'smoke', target, tokenFrom: 'OTHER' }
    return [`part${i}`, target === null ? 'smoke' : own] as const
  })
  return JSON.stringify({ name: 'parts', parts: Object.fromEntries(parts) })
}

function notGiven(part: string): string {
  return (
    `note: ${part}: its target has another origin than the run, so it is not given --cert. ` +
    'Give `headers` in its scenario, and --ca for its certificate\n'
  )
}

test('is for the crew of the run alone, which the plan of a mix says of its other parts', async () => {
  await using folder = await temporaryFolder()
  const { cert, key } = await files(folder.path)
  const [plain, tls] = ['http://127.0.0.1:1', 'https://127.0.0.1:2']
  const noted = async (mix: string, ...flags: string[]): Promise<string> => {
    await writeFile(join(folder.path, 'mix.json'), mix)
    const run = ['run', 'mix.json', ...flags, '--cert', cert, '--key', key, '--dry-run']
    const env = { CREWLOAD_TOKEN: 't', OTHER: 't' }
    const { code, stderr } = await cli(run, { cwd: folder.path, env })
    expect([code, stderr]).toEqual([0, expect.any(String)])
    return stderr
  }
  const unused = 'crewload: --cert is not used: only an https target asks for a certificate\n'
  expect(await noted(partsAt(plain, tls))).toBe(notGiven('part0') + notGiven('part1'))
  expect(await noted(partsAt(null, tls), '--target', plain)).toBe(notGiven('part1'))
  expect(await noted(partsAt(null, plain), '--target', tls)).toBe(notGiven('part1'))
  expect(await noted(partsAt(plain, plain))).toBe(unused)
})

test('has all its mistakes named at once, before anything is sent', async () => {
  await using folder = await temporaryFolder()
  const { cert, sealed } = await files(folder.path)
  await writeFile(join(folder.path, 'other.pem'), STRANGERS_KEY)
  await writeFile(join(folder.path, 'none.pem'), 'SECRET')
  const mistakesOf = async (...tls: string[]): Promise<[number | null, string]> => {
    const run = ['run', 'smoke', '--target', 'http://127.0.0.1:1', ...tls]
    const { code, stderr } = await cli(run, { cwd: folder.path, env: { CREWLOAD_TOKEN: 't' } })
    return [code, stderr.replaceAll(`${folder.path}/`, '')]
  }
  expect(await mistakesOf('--ca', 'none.pem', '--cert', 'gone.pem', '--key', sealed)).toEqual([
    2,
    'crewload: --cert: cannot be read (ENOENT) (found gone.pem)\n' +
      'crewload: --ca: expected certificates in PEM (found none.pem)\n' +
      'crewload: --key: is encrypted: CREWLOAD_KEY_PASSPHRASE must hold its passphrase (found sealed.pem)\n',
  ])
  expect(await mistakesOf('--cert', cert, '--key', 'other.pem')).toEqual([
    2,
    'crewload: --key: is not the key of the certificate (found other.pem)\n',
  ])
  expect(await mistakesOf('--cert', cert)).toEqual([
    2,
    'crewload: --key: is missing beside the certificate\n',
  ])
})
