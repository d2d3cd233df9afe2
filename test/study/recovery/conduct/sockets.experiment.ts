/** A recovery test over sockets: with a command of its user, or a fault of the fake crew. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { FakeCrew } from '../../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import type { FaultMark } from '../../../../src/crew/ledger.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { conducting } from '../../../../src/study/recovery/conduct/conduct.ts'
import type { RecoveryDocument } from '../../../../src/study/recovery/document.ts'
import type { RecoveryOptions } from '../../../../src/study/recovery/options.ts'
import { recovery } from '../../../../src/study/recovery/study.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { startedStub } from '../../../support/targets/loopback.ts'

const STEADY = `export default {
  name: 'quick-load',
  arrivals: { rate: '60/s', for: '1m', process: 'uniform' },
  inputs: { topic: 'tides' },
  polling: { fixed: '200ms' },
  deadline: '3s',
  retry: 'none',
  validity: { lateness: '10s', utilisation: 1 },
}
`

const TASKS = [{ id: 'write', agent: 'Writer', duration: '100ms' }]
const QUICK = { profile: { name: 'quick', inputs: ['topic'], tasks: TASKS } }

async function tested(
  { url, token }: Pick<FakeCrew, 'url' | 'token'>,
  folder: string,
  options: Partial<RecoveryOptions>,
): Promise<RecoveryDocument> {
  const scenario = join(folder, 'quick.mjs')
  await writeFile(scenario, STEADY)
  const run = { target: url, tokens: [token], budget: { kickoffs: 5_000 } }
  return (await conductStudy(conducting, { scenario, out: false, ...options, run })).document
}

/** Completes every execution at once; its kickoffs fail as long as the file is there. */
async function downWhile(flag: string) {
  let refused = 0
  const answerOf = (url = ''): [number, unknown] => {
    if (url === '/inputs') return [200, { inputs: ['topic'] }]
    if (url !== '/kickoff')
      return [200, { status: 'completed', result: { output: 'x', tasks: [] } }]
    if (!existsSync(flag)) return [200, { kickoff_id: randomUUID() }]
    refused++
    return [500, {}]
  }
  const stub = await startedStub((request, response) => {
    request.resume().once('end', () => {
      const [status, body] = answerOf(request.url)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
  })
  return { ...stub, token: 'any', refused: () => refused }
}

test('runs the commands of its user, which take the crew down and up again', async () => {
  await using folder = await temporaryFolder()
  const flag = join(folder.path, 'down')
  await using crew = await downWhile(flag)
  vi.stubEnv('CREWLOAD_TOKEN', 'sesame')
  vi.stubEnv('CREWLOAD_OAUTH_CLIENT_SECRET', 'sesame')
  onTestFinished(() => void vi.unstubAllEnvs())
  const isRight =
    'test "$CREWLOAD_TRIGGER_SECONDS" = 2 && test -z "$CREWLOAD_TOKEN$CREWLOAD_OAUTH_CLIENT_SECRET"'
  const document = await tested(crew, folder.path, {
    triggerCommand: `${isRight} && touch '${flag}'`,
    undoCommand: `${isRight} && rm '${flag}'`,
    before: '5s',
    for: '2s',
    observe: '7s',
  })
  const { verdict, trials, plan, runs, measures, findings } = document
  expect([findings, verdict.reasons, verdict.outcome]).toEqual([[], [], 'recovers'])
  expect(plan).toMatchObject({ engine: 'node', control: false, bisect: false })
  expect(runs).toBe(1)
  expect(trials[0]!.before.served).toBe(trials[0]!.before.wanted)
  // It was down for most of the trigger, and nothing was sent again.
  expect(crew.refused()).toBeGreaterThan(36)
  expect(measures.attempts.trigger!.median).toBeCloseTo(1, 1)
  expect(measures.goodputAfter!.median).toBeGreaterThan(0.95)
  expect(existsSync(flag)).toBe(false)
})

const SHORT = { before: '1s', for: '500ms', observe: '1s' }

test('is INVALID where the command failed: nobody knows what there was to recover from', async () => {
  await using folder = await temporaryFolder()
  const failing = { triggerCommand: 'echo no >&2; exit 7', ...SHORT }
  await using crew = await startFakeCrew(QUICK)
  const document = await tested(crew, folder.path, failing)
  expect(recovery.exit(document)).toBe('invalid')
  expect(document.verdict.reasons.map(({ message }) => message)).toEqual([
    'the command echo no >&2; exit 7 ended with 7: no',
  ])
})

test('gives the fake crew its fault, and takes it back', async () => {
  await using folder = await temporaryFolder()
  await using crew = await startFakeCrew(QUICK)
  const trigger = '{ status: { code: 503 }, operations: [kickoff] }'
  const document = await tested(crew, folder.path, { trigger, ...SHORT })
  // Three seconds are too short to tell anything: it says so.
  expect(recovery.exit(document)).toBe('inconclusive')
  expect(document.verdict.reasons[0]?.remedy).toContain('--observe')
  const ask = async (path: string): Promise<string> =>
    (await fetch(`${crew.url}/__fake__/faults${path}`)).text()
  const marks = (await ask('/marks'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FaultMark)
  expect(marks.length).toBeGreaterThan(15)
  expect(new Set(marks.map(({ fault }) => fault))).toEqual(new Set(['trigger']))
  const times = marks.map(({ at_ms: at }) => at)
  expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(500)
  expect(JSON.parse(await ask(''))).toMatchObject({ faults: [] })
})
