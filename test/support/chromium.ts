/** Chromium for the tests of pages; without it they are skipped loudly, except in CI. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const EXECUTABLE = findChromium()
const REQUIRED = process.env['CREWLOAD_CI'] === '1'

/** Whether the tests of `what` are to be skipped; says so. */
export function withoutChromium(what: string): boolean {
  const isSkipped = EXECUTABLE === null && !REQUIRED
  if (isSkipped) process.stderr.write(`SKIPPED ${what}: no Chromium; set CHROMIUM_BIN to one\n`)
  return isSkipped
}

export async function openChromium(): Promise<Browser> {
  if (EXECUTABLE === null) throw new Error('CREWLOAD_CI=1 needs Chromium: set CHROMIUM_BIN')
  return chromium.launch({ executablePath: EXECUTABLE, args: FLAGS })
}

/**
 * Opens a file, with a fragment if one is given, runs `look` on the page, and returns what the
 * browser complained of, with each request for anything but a file.
 */
export async function visitFile(
  browser: Browser,
  { file, fragment = '' }: { file: string; fragment?: string },
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
): Promise<string[]> {
  const context = await browser.newContext(options)
  const complaints: string[] = []
  try {
    const page = await context.newPage()
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('dialog', (dialog) => complaints.push(dialog.message()))
    page.on('request', (request) => {
      if (!/^(?:file|blob|data):/.test(request.url())) complaints.push(request.url())
    })
    await page.goto(pathToFileURL(file).href + fragment)
    await look(page)
  } finally {
    await context.close()
  }
  return complaints
}

function findChromium(): string | null {
  const named = process.env['CHROMIUM_BIN']
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = [
    ...(named === undefined ? [] : [named]),
    '/usr/bin/chromium',
    ...folders.map((folder) => join(folder, 'chromium')),
  ]
  return candidates.find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
