/**
 * Every kind of page in a real browser: axe finds nothing, the answer stands above the fold, and
 * paper is not wasted.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reportFiles } from '../../../src/report/frame/render/files.ts'
import type { Report } from '../../../src/report/frame/report.ts'
import { runReport } from '../../../src/report/run/report.ts'
import { capacity } from '../../../src/study/capacity/study.ts'
import { comparison } from '../../../src/study/comparing/comparison/study.ts'
import { gate } from '../../../src/study/comparing/gate/study.ts'
import { history } from '../../../src/study/comparing/history/study.ts'
import { limits } from '../../../src/study/limits/study.ts'
import { polling } from '../../../src/study/polling/study.ts'
import { recovery } from '../../../src/study/recovery/study.ts'
import { saturation } from '../../../src/study/saturation/study.ts'
import {
  emptyDocument,
  failingDocument,
  invalidDocument,
  rejectedDocument,
  steadyDocument,
  tinyDocument,
} from '../../report/run/sample-document.ts'
import { SAMPLES as CAPACITIES } from '../../study/capacity/sample-capacities.ts'
import { SAMPLES as COMPARISONS } from '../../study/comparing/comparison/sample-comparisons.ts'
import { SAMPLES as GATES } from '../../study/comparing/gate/sample-gates.ts'
import { SAMPLES as HISTORIES } from '../../study/comparing/history/sample-histories.ts'
import { answered as limited } from '../../study/limits/sample-limits.ts'
import { answered as polled } from '../../study/polling/sample-pollings.ts'
import { tipping } from '../../study/recovery/sample-recoveries.ts'
import { steepSaturation } from '../../study/saturation/sample-saturations.ts'
import { areExperimentsRun } from '../../experiments.ts'
import { openChromium, withoutChromium } from '../../support/chromium.ts'

function first<T>(samples: Readonly<Record<string, () => T>>): T {
  return Object.values(samples)[0]!()
}

const RUNS: Readonly<Record<string, () => Report>> = {
  steady: () => runReport(steadyDocument()),
  tiny: () => runReport(tinyDocument()),
  empty: () => runReport(emptyDocument()),
  rejected: () => runReport(rejectedDocument()),
  failing: () => runReport(failingDocument()),
  invalid: () => runReport(invalidDocument()),
}

const PAGES: Readonly<Record<string, () => Report>> = {
  ...RUNS,
  capacity: () => capacity.report(first(CAPACITIES)),
  comparison: () => comparison.report(first(COMPARISONS)),
  gate: () => gate.report(first(GATES)),
  history: () => history.report(first(HISTORIES)),
  limits: () => limits.report(limited()),
  polling: () => polling.report(polled()),
  recovery: () => recovery.report(tipping()),
  saturation: () => saturation.report(steepSaturation()),
}

/** All are drawn by the same functions: a full run and a study show most of what there is to see. */
const LOOKED_INTO = areExperimentsRun ? Object.keys(PAGES) : ['failing', 'recovery']

const SCREEN = { width: 1280, height: 900 }
const PHONE = { width: 400, height: 900 }

interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[]
}

async function bottomOf(page: Page, selector: string): Promise<number> {
  const { y, height } = (await page.locator(selector).boundingBox())!
  return y + height
}

describe.skipIf(withoutChromium('pages'))('a page in Chromium', () => {
  let folder = ''
  let browser: Browser

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crewload-pages-'))
    for (const [name, create] of Object.entries(PAGES)) {
      await writeFile(join(folder, `${name}.html`), reportFiles(create())['report.html']!)
    }
    browser = await openChromium()
  })

  afterAll(async () => {
    await browser?.close()
    if (folder !== '') await rm(folder, { recursive: true })
  })

  async function on<T>(
    name: string,
    options: BrowserContextOptions,
    look: (page: Page) => Promise<T>,
  ): Promise<T> {
    const context = await browser.newContext(options)
    try {
      const page = await context.newPage()
      await page.goto(pathToFileURL(join(folder, `${name}.html`)).href)
      return await look(page)
    } finally {
      await context.close()
    }
  }

  test.each(LOOKED_INTO)('axe finds nothing on %s', async (name) => {
    const found = await on(name, { viewport: SCREEN }, async (page) => {
      await page.evaluate(
        "document.querySelectorAll('details').forEach((each) => (each.open = true))",
      )
      await page.evaluate(axe.source)
      const faults: string[] = []
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const { violations } = (await page.evaluate('axe.run()')) as AxeResults
        faults.push(
          ...violations.flatMap(({ id, nodes }) =>
            nodes.map(({ html }) => `${colorScheme}, ${id}: ${html}`),
          ),
        )
      }
      return faults
    })
    expect(found).toEqual([])
  })

  test.each(Object.entries(PAGES))(
    '%s: verdict, cause and load stand above the fold',
    async (name, create) => {
      const { word, cause, sentence, load = null } = create().headline
      await on(name, { viewport: SCREEN }, async (page) => {
        for (const viewport of [SCREEN, PHONE]) {
          await page.setViewportSize(viewport)
          const heading = page.locator('h1')
          const text = (await heading.innerText()).replaceAll('\u00A0', ' ')
          expect(text.toLowerCase()).toContain(word.toLowerCase())
          expect(text).toContain(cause ?? sentence)
          expect(await bottomOf(page, 'h1')).toBeLessThan(viewport.height / 2)
          if (load === null) continue
          const line = await page.locator('p.load').innerText()
          expect(line.replaceAll('\u00A0', ' ')).toBe(load)
          expect(await bottomOf(page, 'p.load')).toBeLessThan(viewport.height)
        }
      })
    },
  )

  test('fewer than 20 executions are one screen, and the rest opens', async () => {
    const shown = await on('tiny', { viewport: SCREEN }, async (page) => {
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
      const figure = page.locator('#strips')
      const before = await figure.isVisible()
      await page.locator('main > details > summary').click()
      return { height, before, after: await figure.isVisible() }
    })
    expect(shown).toEqual({ height: 900, before: false, after: true })
  })

  test.each(Object.keys(PAGES))('%s prints on at most eight pages', async (name) => {
    const pdf = await on(name, {}, async (page) => page.pdf({ format: 'A4' }))
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0
    expect(pages).toBeGreaterThan(0)
    expect(pages).toBeLessThanOrEqual(8)
  })
})
