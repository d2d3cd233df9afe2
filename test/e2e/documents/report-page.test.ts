/**
 * The page in a real browser: no error, no sideways scrolling, whole without script, light and
 * dark.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  emptyDocument,
  failingDocument,
  hostileDocument,
  steadyDocument,
  tinyDocument,
} from '../../report/run/sample-document.ts'
import { openChromium, visitFile, withoutChromium } from '../../support/chromium.ts'
import { runFile } from '../../support/run-shown.ts'

/** Runs in the page: texts beside their picture, and pairs of texts on each other. */
const TEXT_FAULTS = `[...document.querySelectorAll('figure svg')].flatMap((svg) => {
  const frame = svg.getBoundingClientRect()
  const texts = [...svg.querySelectorAll('text')]
    .map((text) => ({ said: text.textContent.trim(), box: text.getBoundingClientRect() }))
    .filter(({ said, box }) => said !== '' && box.width > 0)
  const beside = ({ box }) => box.left < frame.left - 1 || box.right > frame.right + 1
  const touch = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4
  const pairs = texts.flatMap((a, at) =>
    texts.slice(at + 1).filter((b) => touch(a.box, b.box)).map((b) => a.said + ' on ' + b.said))
  return [...texts.filter(beside).map(({ said }) => said), ...pairs]
})`

describe.skipIf(withoutChromium('report-page'))('report.html in Chromium', () => {
  const documents = {
    steady: steadyDocument(),
    tiny: tinyDocument(),
    empty: emptyDocument(),
    failing: failingDocument(),
    hostile: hostileDocument(),
  }
  type Name = keyof typeof documents
  let folder = ''
  let browser: Browser

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crewload-page-'))
    for (const [name, document] of Object.entries(documents)) {
      await writeFile(join(folder, `${name}.html`), runFile(document, 'report.html'))
    }
    browser = await openChromium()
  })

  afterAll(async () => {
    await browser?.close()
    if (folder !== '') await rm(folder, { recursive: true })
  })

  /** Runs `look` on the open page and returns what the browser complained of. */
  async function visit(
    name: Name,
    options: BrowserContextOptions,
    look: (page: Page) => Promise<void>,
  ): Promise<string[]> {
    return visitFile(browser, { file: join(folder, `${name}.html`) }, options, look)
  }

  test.each(Object.keys(documents) as Name[])('%s: no word in the console', async (name) => {
    expect(await visit(name, {}, async (page) => page.mouse.move(300, 300))).toEqual([])
  })

  test.each(['steady', 'failing', 'hostile', 'empty'] as const)(
    '%s never scrolls sideways, on a phone or a wide screen',
    async (name) => {
      await visit(name, {}, async (page) => {
        await page.evaluate(
          "document.querySelectorAll('details').forEach((each) => (each.open = true))",
        )
        for (const width of [320, 400, 1280, 1600]) {
          await page.setViewportSize({ width, height: 900 })
          const scrollWidth = await page.evaluate('document.documentElement.scrollWidth')
          expect({ name, scrollWidth }).toEqual({ name, scrollWidth: width })
        }
      })
    },
  )

  test('text in pictures is at least 10 px at any width, and none is cut off', async () => {
    await visit('steady', {}, async (page) => {
      for (const width of [320, 400, 700, 1280]) {
        await page.setViewportSize({ width, height: 900 })
        const scale = await page.evaluate(
          "Math.min(...[...document.querySelectorAll('figure svg')].filter((svg) => svg.clientWidth > 0).map((svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width))",
        )
        expect(Number(scale) * 13).toBeGreaterThanOrEqual(10)
        const cut = await page.evaluate(
          "[...document.querySelectorAll('figure svg text')].filter((text) => { const box = text.getBoundingClientRect(); return box.width > 0 && (box.left < 0 || box.right > innerWidth) }).map((text) => text.textContent)",
        )
        expect({ width, cut }).toEqual({ width, cut: [] })
      }
    })
  })

  test.each(['steady', 'tiny', 'failing', 'hostile'] as const)(
    '%s: text stays in its picture, and off other text',
    async (name) => {
      await visit(name, {}, async (page) => {
        for (const width of [400, 1280]) {
          await page.setViewportSize({ width, height: 900 })
          expect({ width, faults: await page.evaluate(TEXT_FAULTS) }).toEqual({ width, faults: [] })
        }
      })
    },
  )

  test('reads whole without script', async () => {
    const complaints = await visit('failing', { javaScriptEnabled: false }, async (page) => {
      expect(await page.locator('h1').innerText()).toContain('Failed:')
      expect(await page.locator('figure svg:visible').count()).toBe(
        await page.locator('figure').count(),
      )
      await page.locator('section summary').first().click()
      await expect.poll(async () => page.locator('details[open] table').count()).toBe(1)
    })
    expect(complaints).toEqual([])
  })

  test('a button copies the command', async () => {
    const permissions = ['clipboard-read', 'clipboard-write']
    await visit('steady', { permissions }, async (page) => {
      const command = await page.locator('pre.command').innerText()
      await page.locator('button.copy').click()
      await expect.poll(async () => page.locator('button.copy').innerText()).toBe('Copied')
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(command)
    })
  })

  test('prints with its folds shut, and no table wider than the paper', async () => {
    await visit('steady', { viewport: { width: 680, height: 1000 } }, async (page) => {
      const table = page.locator('#waits details table')
      await page.emulateMedia({ media: 'print' })
      await page.evaluate("dispatchEvent(new Event('beforeprint'))")
      expect(await table.isVisible()).toBe(false)
      expect(await page.locator('nav').isVisible()).toBe(false)
      await page.evaluate(
        "document.querySelectorAll('details').forEach((each) => (each.open = true))",
      )
      const widest = await page.evaluate(
        "Math.max(...[...document.querySelectorAll('table')].map((table) => table.getBoundingClientRect().right))",
      )
      expect(widest).toBeLessThanOrEqual(680)
    })
  })

  test('follows the reader’s light or dark', async () => {
    const seen: unknown[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await visit('steady', { colorScheme }, async (page) => {
        seen.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
      })
    }
    expect(seen).toEqual(['rgb(255, 255, 255)', 'rgb(20, 23, 27)'])
  })

  test('hovering a mark tells its values', async () => {
    await visit('steady', { viewport: { width: 1280, height: 900 } }, async (page) => {
      await page.locator('#outcomes svg.w1040 rect').first().hover()
      await expect.poll(async () => page.locator('.tip').innerText()).toContain('completed 378')
    })
  })
})
