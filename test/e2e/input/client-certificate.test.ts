/** A crew that requires a client certificate, and files that hold none. */
import { createPrivateKey } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { FakeCrew } from '../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { cli, everythingBelow, temporaryFolder } from '../../support/cli.ts'
import { enginesThatSend } from '../../support/k6/k6.ts'
import { STRANGERS_KEY, TEST_CERTIFICATE, TEST_KEY } from '../../host/certificate.ts'

/** In front of a fake crew, as a gateway that ends TLS is. */
async function gateway({ url }: FakeCrew): Promise<string> {
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
  const run = ['run', 'smoke', '--target', await gateway(fake), '--engine', kind, '--out', out]
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
  const run = ['run', 'smoke', '--target', await gateway(fake), '--max-kickoffs', '9', '--yes']
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
    `note: ${part}: its target has another origin than the run, so it is not given --cert; ` +
    'give `headers` in its scenario, and --ca for its certificate\n'
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
