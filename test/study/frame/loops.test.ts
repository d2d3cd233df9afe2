/** The loops that studies offer, run as a user would run them, against a crew that refuses. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import type { FakeCrew } from '../../../fake-crew/index.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import { loopsOf } from '../../../src/study/frame/loops.ts'
import { temporaryFolder } from '../../support/cli.ts'

const run = promisify(execFile)
const EVERY = 50 * MICROS_PER_MS
const POLICY = { kind: 'fixed', everyMicros: EVERY, initialDelayMicros: EVERY } as const
const STATUS_PATH = "/v1/$it's/{id}/status"
const LOOPS = loopsOf(POLICY, STATUS_PATH)

async function python(): Promise<string | null> {
  try {
    await run('python3', ['--version'])
    return 'python3'
  } catch {
    process.stderr.write('SKIPPED: the Python loop, for there is no python3 here\n')
    return null
  }
}

/** Polled faster than its limit allows, so that each loop meets refusals as well. */
async function withExecution(
  folder: string,
  work: (crew: FakeCrew, kickoffId: string) => Promise<void>,
): Promise<void> {
  const profile = join(folder, 'crew.yaml')
  await writeFile(
    profile,
    `paths: { status: ${JSON.stringify(STATUS_PATH)} }
tasks:
  - { id: work, agent: Worker, duration: 2s, output: 100B }
limits:
  rules:
    - { name: polls, operations: [status], slidingLog: { limit: 5, window: 1s } }
`,
  )
  const crew = await startFakeCrew({ profile })
  try {
    const answer = await fetch(`${crew.url}/kickoff`, {
      method: 'POST',
      headers: { authorization: `Bearer ${crew.token}`, 'content-type': 'application/json' },
      body: '{"inputs":{}}',
    })
    const { kickoff_id: kickoffId } = (await answer.json()) as { kickoff_id: string }
    await work(crew, kickoffId)
  } finally {
    await crew.stop()
  }
}

test('the loop in TypeScript follows an execution to its end', async () => {
  await using folder = await temporaryFolder()
  await withExecution(folder.path, async ({ url, token }, kickoffId) => {
    const { code } = await transform(LOOPS.typescript, { loader: 'ts', format: 'esm' })
    const file = join(folder.path, 'loop.mjs')
    const call = `await waitForEnd(${JSON.stringify(url)}, '${token}', '${kickoffId}')`
    await writeFile(file, `${code}\nconsole.log(JSON.stringify(${call}))\n`)
    const { stdout } = await run(process.execPath, [file])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' })
  })
}, 30_000)

test('the loop in Python does so too', async (context) => {
  const command = await python()
  if (command === null && process.env['CREWLOAD_CI'] !== '1') {
    context.skip()
    return
  }
  await using folder = await temporaryFolder()
  await withExecution(folder.path, async ({ url, token }, kickoffId) => {
    const file = join(folder.path, 'loop.py')
    const call = `wait_for_end(${JSON.stringify(url)}, "${token}", "${kickoffId}")`
    await writeFile(file, `${LOOPS.python}\nprint(json.dumps(${call}))\n`)
    const { stdout } = await run('python3', [file])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' })
  })
}, 30_000)

test('both take any path as it is', () => {
  const { python: py, typescript } = loopsOf(POLICY, '/{b}/`${c}/"\\/{id}/status')
  expect(py).toContain('f"{base}/{{b}}/`${{c}}/\\"\\\\/{execution}/status"')
  expect(typescript).toContain('`${base}/{b}/\\`\\${c}/"\\\\/${id}/status`')
})
