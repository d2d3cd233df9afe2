/** A run that is watched in a real browser: its numbers grow, and its page stops it. */
import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ResultDocument } from '../../src/result/document.ts'
import type { UiServer } from '../../src/ui/server.ts'
import { serveUi } from '../../src/ui/server.ts'
import { openChromium, withoutChromium } from '../support/chromium.ts'
import { everythingBelow, finished, folderIn, startCli, temporaryFolder } from '../support/cli.ts'

const SCENARIO = {
  name: 'watched',
  arrivals: { rate: '10/s', for: '5m' },
  inputs: { topic: 'AI', audience: 'all' },
  polling: { fixed: '200ms' },
  thresholds: { 'execution.p95': '< 1ms', 'execution.failed': '< 50%' },
}

const isSkipped = withoutChromium('a run that is watched')
let browser: Browser
beforeAll(async () => {
  if (!isSkipped) browser = await openChromium()
})
afterAll(async () => browser?.close())

interface Watched extends AsyncDisposable {
  out: string
  run: ChildProcess
  server: UiServer
  open: (view: string) => Promise<Page>
  /** What the browser complained of. */
  complaints: string[]
}

async function watched(): Promise<Watched> {
  const folder = await temporaryFolder()
  const out = folder.path
  const scenario = join(out, 'watched.json')
  await writeFile(scenario, JSON.stringify(SCENARIO))
  const server = await serveUi(out, 0)
  const run = startCli(['run', scenario, '--profile', 'fast', '--out', out])
  const context = await browser.newContext()
  context.setDefaultTimeout(90_000)
  const complaints: string[] = []
  const open = async (view: string): Promise<Page> => {
    const page = await context.newPage()
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(`${server.url}${view}`)
    return page
  }
  return {
    out,
    run,
    server,
    open,
    complaints,
    [Symbol.asyncDispose]: async () => {
      await context.close()
      await server.close()
      run.kill('SIGKILL')
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** How many executions the page says were started. */
async function started(page: Page): Promise<number> {
  const text = await page.locator('#facts').innerText()
  return Number(/([\d,]+)(?:\/[\d,]+)? started/.exec(text)?.[1]?.replace(',', '') ?? 0)
}

async function untilMore(page: Page, than: number): Promise<number> {
  await expect.poll(async () => started(page), { timeout: 90_000 }).toBeGreaterThan(than)
  return started(page)
}

test.skipIf(isSkipped)('its numbers grow, it is drained, and its report opens', async () => {
  await using session = await watched()
  const { run, open, complaints } = session
  const end = finished(run)
  // It waits for the run, whoever starts it.
  const page = await open('live')
  await page.waitForURL(/live\?id=watched-/)
  const second = await open('live')
  const early = await untilMore(page, 0)
  await untilMore(page, early)
  await page.locator('#thresholds', { hasText: 'will miss' }).waitFor()
  await page.locator('#thresholds', { hasText: 'met so far' }).waitFor()
  await page.locator('#charts figure#backlog').waitFor()
  await page.locator('.explorer canvas.raster').waitFor()
  await page
    .locator('#charts summary')
    .first()
    .evaluate((element) => (element as unknown as { click: () => void }).click())
  await untilMore(second, early)
  await second.close()

  await page.getByRole('button', { name: 'Drain' }).first().click()
  const question = page.locator('dialog[open]')
  expect(await question.innerText()).toContain('No new kickoffs are sent')
  await question.getByRole('button', { name: 'Go on' }).click()
  await untilMore(page, await started(page))
  expect(await page.locator('#charts details').first().getAttribute('open')).not.toBeNull()

  await page.getByRole('button', { name: 'Drain' }).first().click()
  await question.getByRole('button', { name: 'Drain' }).click()
  await page.waitForURL(/files\/watched-.*\/report\.html/)
  // On a busy machine the head names the late generator first.
  expect(await page.locator('main').innerText()).toMatch(/interrupted|was stopped/)
  const { code, stderr } = await end
  expect([code, stderr]).toEqual([130, expect.stringContaining('no new kickoffs')])
  expect(complaints).toEqual([])
})

test.skipIf(isSkipped)('it is stopped at once', async () => {
  await using session = await watched()
  const end = finished(session.run)
  const page = await session.open('live')
  await untilMore(page, 0)
  await page.getByRole('button', { name: 'Stop now' }).first().click()
  await page.locator('dialog[open]').getByRole('button', { name: 'Stop now' }).click()
  await page.waitForURL(/report\.html/)
  expect((await end).code).toBe(130)
  expect(session.complaints).toEqual([])
})

test.skipIf(isSkipped)(
  'it is killed: the page keeps what it saw, and says how to go on',
  async () => {
    await using session = await watched()
    const { run, open, out } = session
    const page = await open('live')
    await untilMore(page, 0)
    run.kill('SIGKILL')
    await once(run, 'exit')
    await page.getByText('Nothing carries this on any more').waitFor()
    const folder = await folderIn(out)
    expect(await page.locator('#trouble pre').last().innerText()).toContain('crewload resume')
    expect(folder).toContain('watched')
    expect(await started(page)).toBeGreaterThan(0)
    expect(await page.getByRole('button', { name: 'Drain' }).first().isVisible()).toBe(false)
    const runs = await open('runs')
    expect(await runs.locator('#entries').innerText()).toContain('CUT')
    expect(session.complaints).toEqual([])
  },
)

test.skipIf(isSkipped)('the server ends: the page says so', async () => {
  await using session = await watched()
  const page = await session.open('runs')
  await page.locator('#connection').waitFor({ state: 'hidden' })
  await session.server.close()
  await page.locator('#connection').waitFor({ state: 'visible' })
  expect(await page.locator('#connection').innerText()).toContain('does not answer any more')
})

test('Drain after Ctrl-C is not the second signal, which would give executions up', async () => {
  await using folder = await temporaryFolder()
  const out = folder.path
  const scenario = join(out, 'watched.json')
  const arrivals = { rate: '5/s', for: '1h' }
  await writeFile(scenario, JSON.stringify({ ...SCENARIO, arrivals, thresholds: {} }))
  const run = startCli(['run', scenario, '--profile', 'default', '--speed', '20', '--out', out])
  const end = finished(run)
  const journal = async (): Promise<string> => everythingBelow(out).catch(() => '')
  await expect.poll(journal, { timeout: 60_000 }).toContain('"type":"accepted"')
  const server = await serveUi(out, 0)
  run.kill('SIGINT')
  await sleep(300)
  const id = (await readdir(out)).find((name) => name.startsWith('watched-'))!
  const headers = { 'content-type': 'application/json', origin: new URL(server.url).origin }
  const body = JSON.stringify({ id, how: 'drain' })
  const said = await fetch(`${server.url}stop`, { method: 'POST', headers, body })
  expect(said.status).toBe(200)
  const { code, stderr } = await end
  expect([code, stderr]).toEqual([130, expect.not.stringContaining('still running')])
  const result = JSON.parse(await readFile(join(out, id, 'result.json'), 'utf8')) as ResultDocument
  expect([result.run.stopped, result.outcomes.aborted]).toEqual(['drained', 0])
  await server.close()
})

test.each([
  ['run', SCENARIO],
  ['mix', { name: 'watched', parts: { one: SCENARIO, other: SCENARIO } }],
])(
  '--live serves the page beside the %s, and Ctrl-C in the terminal is for it alone',
  async (_, of) => {
    await using folder = await temporaryFolder()
    const out = join(folder.path, 'not', 'there', 'yet')
    const scenario = join(folder.path, 'watched.json')
    await writeFile(scenario, JSON.stringify(of))
    const run = startCli(['run', scenario, '--profile', 'fast', '--out', out, '--live'])
    let told = ''
    run.stderr!.setEncoding('utf8').on('data', (text: string) => (told += text))
    const address = (): string => /live page: (http\S+)/.exec(told)?.[1] ?? ''
    await expect.poll(address, { timeout: 60_000 }).not.toBe('')
    await expect
      .poll(async () => (await fetch(address())).url, { timeout: 60_000 })
      .toContain('live?id=watched-')
    // The terminal's Ctrl-C reaches the whole process group. The page ends a minute after its use.
    process.kill(-run.pid!, 'SIGINT')
    await once(run, 'exit')
    expect((await fetch(address().replace(/live$/, 'runs'))).status).toBe(200)
  },
)
