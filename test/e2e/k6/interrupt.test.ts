/**
 * Ctrl-C in a run in k6, which hears of no signal itself: the first drains, the second stops now.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startFakeCli, temporaryFolder } from '../../support/cli.ts'
import {
  documentOf,
  k6Words,
  LONG,
  scenarioIn,
  SLOW,
  started,
  underWay,
} from '../../support/k6/run.ts'
import { k6OrSkip } from '../../support/k6/k6.ts'

const k6 = await k6OrSkip('the tests of Ctrl-C in k6')

describe.skipIf(k6 === null)('Ctrl-C in a run in k6', () => {
  test('once sends no more kickoffs and waits for those in flight', async () => {
    await using folder = await temporaryFolder()
    await using run = started([
      ...k6Words(await scenarioIn(folder.path, LONG), folder.path),
      '--json',
    ])
    await underWay(folder.path)
    process.kill(-run.child.pid!, 'SIGINT')
    const result = await run.result
    const document = documentOf(result)
    expect(result.code).toBe(130)
    expect(document.run.stopped).toBe('drained')
    expect(document.outcomes.aborted).toBe(0)
    expect(document.verdict.reasons.map(({ code }) => code)).toEqual(['interrupted'])
    expect(document.ledger!.disagreements).toEqual([])
  })

  test('twice stops now, and lists what still runs on the target', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, SLOW)
    // A crew that outlives the run: of one of its own nothing would go on.
    const crew = await startFakeCli(['--profile', 'slow-report'])
    const slow = ['--target', crew.url, '--engine', 'k6', '--out', join(folder.path, 'out')]
    await using run = started(['run', scenario, ...slow, '--json'], { CREWLOAD_TOKEN: crew.token })
    await underWay(folder.path, 'accepted')
    run.child.kill('SIGINT')
    await once(run.child.stderr!, 'data')
    run.child.kill('SIGINT')
    const result = await run.result.finally(async () => crew.stop())
    const document = documentOf(result)
    expect(result.code).toBe(130)
    expect(document.run.stopped).toBe('now')
    expect(document.outcomes.aborted).toBeGreaterThan(0)
    const listed = result.stderr.match(/^ {2}[0-9a-f-]{36}$/gm) ?? []
    expect(listed.length).toBeGreaterThan(0)
    // A kickoff that was given up before its answer has no id to list.
    expect(listed.length).toBeLessThanOrEqual(document.outcomes.aborted)
  })
})
