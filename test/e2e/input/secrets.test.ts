/** Tokens are secrets: they must be in nothing that is written, printed or shown of the process. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  cli,
  everythingBelow,
  finished,
  startCli,
  startFakeCli,
  temporaryFolder,
} from '../../support/cli.ts'
import { startedStub } from '../../support/targets/loopback.ts'

const TOKEN = 'sesame-4711-open'
const ENV = { CREWLOAD_TOKEN: TOKEN }

/** A target that gives away what it was told, in answers, errors and outputs. */
async function blabbingTarget(polls = Infinity): ReturnType<typeof startedStub> {
  let left = polls
  return startedStub((request, response) => {
    const said = request.headers.authorization ?? ''
    response.setHeader('content-type', 'application/json')
    response.setHeader('x-echo', said)
    if (request.url === '/inputs') return response.end(JSON.stringify({ inputs: [] }))
    if (request.method === 'POST') {
      return response.end(JSON.stringify({ kickoff_id: '00000000-0000-4000-8000-000000000001' }))
    }
    const token = said.replace('Bearer ', '')
    if (left-- <= 0) {
      response.statusCode = 429
      response.setHeader('ratelimit-policy', `"${token}"`)
      return response.end(`${token} asks too often`)
    }
    return response.end(
      JSON.stringify({ status: 'error', error: `bad token ${token}`, execution_time: token }),
    )
  })
}

describe.concurrent('a token', () => {
  test('is in no artefact, on no stream and on no command line, wherever it came from', async () => {
    await using folder = await temporaryFolder()
    const env = { CREWLOAD_FAKE_TOKEN: TOKEN, CREWLOAD_FAKE_USER_TOKEN: `${TOKEN}-user` }
    await using fake = await startFakeCli(['--profile', 'fast'], { env })
    await writeFile(join(folder.path, 'tokens'), `${TOKEN}\n`)
    const secret = 'swordfish-header'
    const args = ['run', 'smoke', '--target', fake.url, '--out', join(folder.path, 'out')]
    args.push('--header', `x-api-key: ${secret}`)
    const child = startCli([...args, '--token-file', join(folder.path, 'tokens')])
    const result = finished(child)
    const shown = await readFile(`/proc/${child.pid}/cmdline`, 'utf8').catch(() => '')
    const { stdout, stderr } = await result
    const written = await everythingBelow(join(folder.path, 'out'))
    expect(written.length).toBeGreaterThan(10_000)
    for (const text of [written, stdout, stderr, shown]) expect(text).not.toContain(TOKEN)
    for (const text of [written, stdout, stderr]) expect(text).not.toContain(secret)
  })

  test('that is a common word changes nothing that is measured', async () => {
    await using folder = await temporaryFolder()
    const env = { CREWLOAD_FAKE_TOKEN: 'honey' }
    await using fake = await startFakeCli(['--profile', 'fast'], { env })
    const args = ['run', 'smoke', '--target', fake.url, '--out', folder.path]
    const { stdout } = await cli(args, { env: { CREWLOAD_TOKEN: 'honey' } })
    expect(stdout).toContain('agrees on 5 of 5 rows')
  })

  test('of a fake crew started for a run is on no command line either', async () => {
    await using folder = await temporaryFolder()
    const args = ['run', 'smoke', '--profile', 'fast', '--out', folder.path, '--json']
    const { stdout, stderr } = await cli(args)
    const text = `${stdout}${stderr}${await everythingBelow(folder.path)}`
    expect(text).not.toMatch(/Bearer [0-9a-f]{12}/)
  })

  const SHORT = ['--connections', '1', '--duration', '1s', '--max-kickoffs', '1']
  const FEW = ['--max-requests', '60', '--yes']
  test.each([
    ['run', ['run', 'smoke', '--max-kickoffs', '99'], Infinity, [1, 3]],
    ['check', ['check', '--yes'], Infinity, [1]],
    ['saturate', ['saturate', 'status', ...SHORT, ...FEW], 0, [0, 3, 4]],
    ['limits', ['limits', '--kickoffs', '1', '--max-duration', '3s', ...FEW], 30, [0, 4]],
  ])('is blanked by %s where the target itself gives it away', async (_, command, polls, codes) => {
    await using folder = await temporaryFolder()
    await using target = await blabbingTarget(polls)
    const told = await cli([...command, '--target', target.url], { cwd: folder.path, env: ENV })
    const { code, stdout, stderr } = told
    expect([codes, stderr]).toEqual([expect.arrayContaining([code]), expect.any(String)])
    const written = await everythingBelow(folder.path)
    for (const text of [written, stdout, stderr]) expect(text).not.toContain(TOKEN)
  })
})

describe('a secret in what was written wrongly', () => {
  const run = ['run', 'smoke', '--profile', 'fast']
  test.each<[string, string[]]>([
    ['a header without a colon', [...run, '--header', 'x-api-key SECRET']],
    ['a header on two lines', [...run, '--header', 'x-api-key: SECRET\r\nx: y']],
    ['a token as a header', [...run, '--header=Authorization: Bearer SECRET']],
    ['a target with one slash too few', ['run', 'smoke', '--target', 'http:user:SECRET@127.0.0.1']],
    ['a target with two at signs', ['run', 'smoke', '--target', 'http://u:A@SECRET@127.0.0.1']],
    ['a password with a slash', ['run', 'smoke', '--target', 'http://u:a/SECRET@127.0.0.1']],
    ['a password', ['run', 'smoke', '--target', 'http://user:SECRET@127.0.0.1:1']],
    ['a target with a query', ['run', 'smoke', '--target', 'http://127.0.0.1/?token=SECRET']],
    [
      'a proxy',
      [...run.slice(0, 2), '--target', 'http://crew.invalid', '--max-kickoffs', '1', '--yes'],
    ],
  ])('%s is not repeated', async (_, args) => {
    const env = { ...ENV, HTTP_PROXY: 'http://u:50%SECRET@127.0.0.1:1' }
    const { code, stdout, stderr } = await cli(args, { env })
    expect(stderr).toMatch(/^crewload: /m)
    expect(stdout + stderr).not.toContain('SECRET')
    expect(code).toBe(2)
  })
})
