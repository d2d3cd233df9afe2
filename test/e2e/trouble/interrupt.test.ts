/** Ctrl-C: the first drains, the second stops now; a report is written both times. */
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from 'crewload/run'
import { finished, startCli, startFakeCli, temporaryFolder } from '../../support/cli.ts'

/** Long enough that only a signal ends it. */
const LONG = ['--set', 'arrivals.iterations=1000', '--set', 'arrivals.clients=4', '--json']

async function kickedOff(folder: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const [run] = await readdir(folder)
    const files = run === undefined ? [] : await readdir(join(folder, run))
    if (files.includes('executions.ndjson')) break
    await sleep(100)
  }
  await sleep(1_500)
}

describe('Ctrl-C', () => {
  test('once sends no more kickoffs and waits for those in flight', async () => {
    await using folder = await temporaryFolder()
    const child = startCli(['run', 'smoke', '--profile', 'fast', '--out', folder.path, ...LONG])
    const result = finished(child)
    await kickedOff(folder.path)
    // A terminal's Ctrl-C reaches the whole group: the fake crew of the run must live on while the
    // run drains.
    process.kill(-child.pid!, 'SIGINT')
    const { code, stdout, stderr } = await result
    const document = JSON.parse(stdout) as ResultDocument
    expect(code).toBe(130)
    expect(stderr).toContain('no new kickoffs')
    expect(document.run.stopped).toBe('drained')
    expect(document.outcomes.aborted).toBe(0)
    expect(document.ledger!.disagreements).toEqual([])
  })

  test('twice stops now and lists what still runs on the target', async () => {
    await using folder = await temporaryFolder()
    const inputs = '{"company":"Acme","period":"2026"}'
    // One that outlives the run: with a fake crew of its own nothing would be left to resume.
    const crew = await startFakeCli(['--profile', 'slow-report'])
    const place = ['--target', crew.url, '--set', `inputs=${inputs}`, '--out', folder.path]
    const args = ['run', 'smoke', ...place, ...LONG]
    const child = startCli(args, { env: { CREWLOAD_TOKEN: crew.token } })
    const result = finished(child)
    await kickedOff(folder.path)
    child.kill('SIGINT')
    await once(child.stderr!, 'data')
    child.kill('SIGINT')
    const { code, stdout, stderr } = await result.finally(async () => crew.stop())
    const document = JSON.parse(stdout) as ResultDocument
    expect(code).toBe(130)
    expect(document.run.stopped).toBe('now')
    expect(document.outcomes.aborted).toBe(4)
    expect(stderr.match(/^ {2}[0-9a-f-]{36}$/gm)).toHaveLength(4)
    const [run] = await readdir(folder.path)
    expect(stderr).toContain(`continue with crewload resume ${join(folder.path, run!)}`)
    expect(await readdir(join(folder.path, run!))).toContain('report.html')
  })
})
