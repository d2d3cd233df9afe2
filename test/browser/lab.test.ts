/** The laboratory in a real browser: it computes, and what it saves gives the same in a run. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatMs } from '../../src/base/numbers.ts'
import { UserError } from '../../src/base/mistakes.ts'
import { labPage } from '../../src/run/lab/lab.ts'
import { run } from '../../src/run/index.ts'
import { openChromium, visitFile, withoutChromium } from '../support/chromium.ts'
import { temporaryFolder } from '../support/cli.ts'

async function computed(page: Page): Promise<string> {
  await page.waitForFunction("document.body.dataset.lab === 'result'")
  return page.locator('main > .facts').innerText()
}

test('a profile that is not there is a mistake of the user', async () => {
  await expect(labPage({ profile: 'nobody' })).rejects.toThrow(UserError)
})

describe.skipIf(withoutChromium('lab'))('the laboratory', () => {
  let browser: Browser
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let file = ''

  beforeAll(async () => {
    folder = await temporaryFolder()
    file = join(folder.path, 'lab.html')
    await writeFile(file, await labPage({}))
    browser = await openChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await folder[Symbol.asyncDispose]()
  })

  test('is one file below half a megabyte', async () => {
    expect((await stat(file)).size).toBeLessThan(500_000)
  })

  test('a slider changes the numbers and the address, and the saved files give the same', async () => {
    let shown = ''
    const complaints = await visitFile(
      browser,
      { file },
      { acceptDownloads: true },
      async (page) => {
        const before = await computed(page)
        await page.evaluate(`(() => {
        const field = document.querySelector('[name=failed]')
        field.value = '0.2'
        field.dispatchEvent(new Event('input', { bubbles: true }))
      })()`)
        await expect
          .poll(async () => page.locator('main > .facts').innerText(), { timeout: 20_000 })
          .not.toBe(before)
        shown = await computed(page)
        expect(await page.evaluate('location.hash')).toBe('#failed=0.2')
        for (const name of ['lab.scenario.json', 'lab.profile.yaml']) {
          const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('link', { name }).click(),
          ])
          await download.saveAs(join(folder.path, name))
        }
      },
    )
    expect(complaints).toEqual([])
    expect(await readFile(join(folder.path, 'lab.scenario.json'), 'utf8')).toContain('"lab"')
    const { document } = await run(join(folder.path, 'lab.scenario.json'), {
      engine: 'virtual',
      profile: join(folder.path, 'lab.profile.yaml'),
      out: false,
    })
    const { metrics, outcomes, arrivals } = document
    expect(outcomes.failed).toBeGreaterThan(arrivals / 10)
    expect(shown).toContain(formatMs(Number(metrics['execution.p95']!.value)))
    expect(shown).toContain(formatMs(Number(metrics['execution.p50']!.value)))
    expect(shown).toContain(`${outcomes.completed} of ${arrivals}`)
  })
})
