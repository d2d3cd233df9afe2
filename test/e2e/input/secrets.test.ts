/** Tokens are secrets: they must be in nothing that is written, printed or shown of the process. */
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli, finished, startCli, startFakeCli, temporaryFolder } from '../../support/cli.ts'

async function everythingBelow(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const texts = files.map(async (file) => readFile(join(file.parentPath, file.name), 'utf8'))
  return (await Promise.all(texts)).join('\n')
}

/** A target that gives away what it was told, in answers, errors and outputs. */
async function blabbingTarget(polls = Infinity) {
  let left = polls
  const server = createServer((request, response) => {
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

describe.concurrent('a token', () => {
  test('is in no artefact, on no stream and on no command line, wherever it came from', async () => {
    await using folder = await temporaryFolder()
    const token = 'sesame-4711-open'
    const env = { CREWLOAD_FAKE_TOKEN: token, CREWLOAD_FAKE_USER_TOKEN: `${token}-user` }
    const fake = await startFakeCli(['--profile', 'fast'], { env })
    await writeFile(join(folder.path, 'tokens'), `${token}\n`)
    const secret = 'swordfish-header'
    const args = ['run', 'smoke', '--target', fake.url, '--out', join(folder.path, 'out')]
    args.push('--header', `x-api-key: ${secret}`)
    const child = startCli([...args, '--token-file', join(folder.path, 'tokens')])
    const result = finished(child)
    const shown = await readFile(`/proc/${child.pid}/cmdline`, 'utf8').catch(() => '')
    const { stdout, stderr } = await result
    await fake.stop()
    const written = await everythingBelow(join(folder.path, 'out'))
    expect(written.length).toBeGreaterThan(10_000)
    for (const text of [written, stdout, stderr, shown]) expect(text).not.toContain(token)
    for (const text of [written, stdout, stderr]) expect(text).not.toContain(secret)
  })

  test('that is a common word changes nothing that is measured', async () => {
    await using folder = await temporaryFolder()
    const env = { CREWLOAD_FAKE_TOKEN: 'honey' }
    const fake = await startFakeCli(['--profile', 'fast'], { env })
    const args = ['run', 'smoke', '--target', fake.url, '--out', folder.path]
    const { stdout } = await cli(args, { env: { CREWLOAD_TOKEN: 'honey' } })
    await fake.stop()
    expect(stdout).toContain('agrees on 5 of 5 rows')
  })

  test('of a fake crew started for a run is on no command line either', async () => {
    await using folder = await temporaryFolder()
    const { stdout, stderr } = await cli(
      ['run', 'smoke', '--profile', 'fast', '--out', folder.path, '--json'],
      {},
    )
    const text = `${stdout}${stderr}${await everythingBelow(folder.path)}`
    expect(text).not.toMatch(/Bearer [0-9a-f]{12}/)
  })

  test('is blanked where the target itself gives it away', async () => {
    await using folder = await temporaryFolder()
    const target = await blabbingTarget()
    const token = 'sesame-4711-open'
    const { stdout, stderr } = await cli(
      ['run', 'smoke', '--target', target.url, '--max-kickoffs', '99', '--out', folder.path],
      { env: { CREWLOAD_TOKEN: token } },
    )
    target.close()
    const written = await everythingBelow(folder.path)
    expect(stdout).toContain('failed 5')
    for (const text of [written, stdout, stderr]) expect(text).not.toContain(token)
  })

  test.each([
    ['check', ['check', '--yes'], Infinity, [1]],
    [
      'saturate',
      ['saturate', 'status', '--connections', '1', '--duration', '1s', '--max-kickoffs', '1'],
      0,
      [0, 3, 4],
    ],
    ['limits', ['limits', '--kickoffs', '1', '--max-duration', '3s'], 30, [0, 4]],
  ])('is blanked so by %s', async (_, command, polls, codes) => {
    await using folder = await temporaryFolder()
    const target = await blabbingTarget(polls)
    const token = 'sesame-4711-open'
    const sends = command[0] === 'check' ? [] : ['--max-requests', '60', '--yes']
    const { code, stdout, stderr } = await cli([...command, ...sends, '--target', target.url], {
      cwd: folder.path,
      env: { CREWLOAD_TOKEN: token },
    })
    target.close()
    const written = await everythingBelow(folder.path)
    expect([codes, stderr]).toEqual([expect.arrayContaining([code]), expect.any(String)])
    for (const text of [written, stdout, stderr]) expect(text).not.toContain(token)
  })

  test('in an error message is shortened away', async () => {
    const url = 'http://user:sesame-4711-open@127.0.0.1:1'
    const { stdout, stderr } = await cli(['run', 'smoke', '--target', url], {
      env: { CREWLOAD_TOKEN: 'other' },
    })
    expect(stdout + stderr).not.toContain('sesame')
  })
})
