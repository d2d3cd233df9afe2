/** All executions of a run on its page, in a real browser: found, opened, linked and copied. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync, inflateSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { reportFiles } from '../../src/report/frame/render/files.ts'
import { runReport } from '../../src/report/run/report.ts'
import { createRecorder } from '../../src/result/counting/recorder.ts'
import { run } from '../../src/run/index.ts'
import { defineScenario } from '../../src/scenario/define.ts'
import { areExperimentsRun } from '../experiments.ts'
import { openChromium, visitFile, withoutChromium } from '../support/chromium.ts'
import { temporaryFolder } from '../support/cli.ts'

/** Executions on the largest page. */
const MANY = areExperimentsRun ? 100_000 : 10_000

const HOSTILE = '</script><img src=x onerror=alert(1)>\u202E'

const CREW = `
tasks:
  - { id: research, agent: A, duration: { lognormal: { median: 20s, p95: 60s } } }
  - id: report
    agent: B
    duration: { lognormal: { median: 20s, p95: 60s } }
    failure: { chance: 10%, message: ${JSON.stringify(HOSTILE)} }
capacity: { workers: 4 }
`

const SCENARIO = defineScenario({
  name: 'raster',
  arrivals: { rate: '6/m', for: '1h', process: 'poisson' },
  inputs: {},
  tags: ({ index }) => ({ half: index % 2 === 0 ? 'even' : 'odd' }),
  deadline: '10m',
})

/** What the page holds, read back as its script reads it. */
interface Held {
  columns: { index: number[]; outcome: number[]; total: number[]; intended: number[] }
  details: { why: string; record: { index: number; polls: { answer: unknown[] } } }[]
}

function heldBy(page: string): Held {
  const [, data = ''] = /id="executions-data">\s*(\S+)\s*<\/script>/.exec(page) ?? []
  return JSON.parse(inflateSync(Buffer.from(data, 'base64')).toString()) as Held
}

function deflated(text: string): string {
  return deflateSync(text).toString('base64')
}

/** How many executions the page says that it shows. */
async function count(shown: Page): Promise<number> {
  const words = await shown.locator('.explorer [role=status]').innerText()
  return Number(/^[\d,]+/.exec(words)?.[0].replace(',', ''))
}

const CONTEXT = { command: null, node: null, ledger: null, unreadableLines: 0 }

describe('the page of a run', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let file = ''
  let page = ''
  let journal: JournalLine[] = []

  beforeAll(async () => {
    folder = await temporaryFolder()
    const profile = join(folder.path, 'crew.yaml')
    await writeFile(profile, CREW)
    const options = { engine: 'virtual', profile, out: folder.path, seed: 3 } as const
    const { folder: left } = await run(SCENARIO, options)
    file = join(left!, 'report.html')
    page = await readFile(file, 'utf8')
    const lines = (await readFile(join(left!, 'executions.ndjson'), 'utf8')).trim().split('\n')
    journal = lines.map((line) => JSON.parse(line) as JournalLine)
  })

  afterAll(async () => folder[Symbol.asyncDispose]())

  test('lists every execution, with the requests of the slowest and of those that failed', () => {
    const { columns, details } = heldBy(page)
    const ended = journal.filter((line) => line.type === 'ended').map(({ record }) => record)
    expect(columns.index).toEqual(ended.map(({ index }) => index).sort((a, b) => a - b))
    const slowest = ended.toSorted(
      (a, b) => b.endedMicros - b.intendedMicros - (a.endedMicros - a.intendedMicros),
    )
    const whole = new Map(details.map(({ record }) => [record.index, record.polls.answer.length]))
    for (const { index, polls } of slowest.slice(0, 5)) {
      expect(whole.get(index)).toBe(polls.answer.length)
    }
    expect(new Set(details.map(({ why }) => why))).toEqual(new Set(['slowest', 'failed', 'random']))
  })

  test('holds no text of the crew that could act', () => {
    expect(page).not.toContain('<img')
    expect(page).not.toContain('\u202E')
    const told = JSON.stringify(heldBy(page))
    expect(told).toContain('<U+202E>')
    expect(told).not.toContain('\u202E')
  })

  test(`is below 1.2 MB with ${MANY} executions, and says which of them it lists`, async () => {
    const [first] = journal
    const ended = journal.filter((line): line is EndedLine => line.type === 'ended')
    const recorder = createRecorder({ executions: true })
    try {
      recorder.record(first!)
      for (let index = 0; index < MANY; index++) {
        recorder.record(shifted(ended[index % ended.length]!, index))
      }
      const executions = recorder.executions(null)!
      const document = recorder.document(CONTEXT)
      const script = await readFile('dist/browser/report.js', 'utf8')
      const files = reportFiles(runReport(document, { ...executions, script, deflated }))
      const whole = files['report.html']!
      expect(Buffer.byteLength(whole)).toBeLessThan(1_200_000)
      expect(whole).toContain(
        `2,400 of ${MANY.toLocaleString('en')} executions: the slowest, those not completed`,
      )
      const { columns } = heldBy(whole)
      expect(columns.index).toHaveLength(2_400)
      const longest = Math.max(
        ...ended.map(({ record }) => record.endedMicros - record.intendedMicros),
      )
      expect(Math.max(...columns.total)).toBe(Math.round(longest / 1_000))
      // The even share is from all of the run, and not from its beginning.
      const late = columns.index.filter((index) => index >= MANY / 2)
      expect(late.length / 2_400).toBeGreaterThan(0.4)
    } finally {
      recorder.destroy()
    }
  })

  describe.skipIf(withoutChromium('executions'))('in Chromium', () => {
    let browser: Browser

    beforeAll(async () => {
      browser = await openChromium()
    })
    afterAll(async () => browser?.close())

    async function visit(look: (page: Page) => Promise<void>, fragment = ''): Promise<string[]> {
      const viewport = { width: 1280, height: 900 }
      const permissions = ['clipboard-read', 'clipboard-write']
      return visitFile(browser, { file, fragment }, { viewport, permissions }, look)
    }

    test('a filter leaves those that it names, in the picture and in the table', async () => {
      const failed = journal.filter(
        (line) => line.type === 'ended' && line.record.outcome === 'failed',
      ).length
      expect(failed).toBeGreaterThan(10)
      const complaints = await visit(async (shown) => {
        const all = await count(shown)
        await shown.locator('[name=outcome]').selectOption('failed')
        expect(await count(shown)).toBe(failed)
        await shown.locator('.explorer details summary').click()
        // The browser tells of the opened table a moment later, which is made then.
        const rows = shown.locator('.explorer details tbody tr')
        await expect.poll(async () => rows.count()).toBe(failed)
        await shown.locator('[name=tag]').selectOption('half=odd')
        expect(await count(shown)).toBeLessThan(failed)
        await shown.locator('[name=least]').fill('100000')
        expect(await count(shown)).toBe(0)
        await shown.getByRole('button', { name: 'Show all' }).click()
        expect(await count(shown)).toBe(all)
      })
      expect(complaints).toEqual([])
    })

    test('a drag over the arrivals chooses a span of time, and a click clears it', async () => {
      await visit(async (shown) => {
        const all = await count(shown)
        const brush = shown.locator('canvas.brush')
        await brush.scrollIntoViewIfNeeded()
        const { x, y, width } = (await brush.boundingBox())!
        await shown.mouse.move(x + width / 4, y + 20)
        await shown.mouse.down()
        await shown.mouse.move(x + width / 2, y + 20, { steps: 4 })
        await shown.mouse.up()
        const within = await count(shown)
        expect(within).toBeGreaterThan(all * 0.15)
        expect(within).toBeLessThan(all * 0.4)
        expect(await shown.evaluate('location.hash')).toMatch(/from=\d+&to=\d+/)
        await brush.click({ position: { x: 300, y: 20 } })
        expect(await count(shown)).toBe(all)
      })
    })

    test('a click opens an execution, keys go to its neighbours, and the address keeps it', async () => {
      let address = ''
      let heading = ''
      const complaints = await visit(async (shown) => {
        const raster = shown.locator('canvas.raster')
        await raster.click({ position: { x: 40, y: 2 } })
        const slowest = await shown.locator('.execution h4').innerText()
        await raster.press('ArrowDown')
        heading = await shown.locator('.execution h4').innerText()
        expect(heading).not.toBe(slowest)
        address = String(await shown.evaluate('location.hash'))
        const index = Number(/execution=(\d+)/.exec(address)?.[1])
        const ended = journal.find(
          (line): line is EndedLine => line.type === 'ended' && line.record.index === index,
        )!
        const { kickoff, polls } = ended.record
        const requests = kickoff.answer.length + polls.answer.length
        expect(await shown.locator('.requests tbody tr').count()).toBe(requests)
        expect(await shown.locator('.execution .facts').innerText()).toContain(`/${index}`)
        expect(await shown.locator('.strip svg path').count()).toBeGreaterThan(3)
      })
      expect(complaints).toEqual([])
      await visit(async (shown) => {
        expect(await shown.locator('.execution h4').innerText()).toBe(heading)
      }, address)
    })

    test('an execution without its requests says how the journal gives them', async () => {
      const held = new Set(heldBy(page).details.map(({ record }) => record.index))
      const index = heldBy(page).columns.index.find((each) => !held.has(each))!
      await visit(async (shown) => {
        const line = shown.locator('.execution pre.command')
        expect(await line.innerText()).toBe(`grep '"index":${index},' executions.ndjson`)
        await shown.locator('.execution .copy').click()
        await expect.poll(async () => shown.locator('.execution .copy').innerText()).toBe('Copied')
        expect(await shown.evaluate('navigator.clipboard.readText()')).toBe(await line.innerText())
      }, `#execution=${index}`)
    })

    test('an execution of a deployment has its request as a command for a shell', async () => {
      const recorder = createRecorder({ executions: true })
      try {
        for (const line of journal) recorder.record(line.type === 'ended' ? quoting(line) : line)
        const { run: made, ...rest } = recorder.document(CONTEXT)
        const place = { kind: 'deployment' as const, target: 'http://127.0.0.1:9' }
        const deployed = { ...made, network: null, place }
        const script = await readFile('dist/browser/report.js', 'utf8')
        const executions = { ...recorder.executions(null)!, script, deflated }
        const text = reportFiles(runReport({ ...rest, run: deployed }, executions))['report.html']!
        const own = join(folder.path, 'deployed.html')
        await writeFile(own, text)
        const { index } = heldBy(text).details[0]!.record
        const at = { file: own, fragment: `#execution=${index}` }
        await visitFile(browser, at, {}, async (shown) => {
          expect(await shown.locator('.execution pre.command').innerText()).toBe(
            'curl -H "authorization: Bearer $CREWLOAD_TOKEN" ' +
              String.raw`'http://127.0.0.1:9/status/it'\''s%20${index}'`,
          )
        })
      } finally {
        recorder.destroy()
      }
    })

    test('paper and browsers without script have the picture', async () => {
      await visit(async (shown) => {
        const picture = shown.locator('#executions > svg.w1040')
        expect(await picture.isVisible()).toBe(false)
        await shown.emulateMedia({ media: 'print' })
        expect(await picture.isVisible()).toBe(true)
        expect(await shown.locator('.explorer').isVisible()).toBe(false)
      })
      const context = { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } }
      await visitFile(browser, { file }, context, async (shown) => {
        expect(await shown.locator('#executions > svg.w1040').isVisible()).toBe(true)
      })
    })

    test.each([320, 1280])('never scrolls sideways at %i px', async (width) => {
      await visit(async (shown) => {
        await shown.locator('canvas.raster').click({ position: { x: 40, y: 2 } })
        await shown.setViewportSize({ width, height: 900 })
        expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(width)
      })
    })
  })
})

type EndedLine = Extract<JournalLine, { type: 'ended' }>

/** With an id that a shell would misread. */
function quoting({ record, ...line }: EndedLine): EndedLine {
  return { ...line, record: { ...record, kickoffId: `it's ${record.index}` } }
}

/** The same execution later, under an id of its own. */
function shifted({ record }: EndedLine, index: number): EndedLine {
  const shift = Math.floor(index / 300) * 3_600_000_000
  const later = (micros: number): number => micros + shift
  const after = <T extends number | null>(micros: T): T =>
    (micros === null ? null : later(micros)) as T
  return {
    type: 'ended',
    record: {
      ...record,
      index,
      kickoffId:
        record.kickoffId && `${record.kickoffId.slice(0, 24)}${String(index).padStart(12, '0')}`,
      intendedMicros: later(record.intendedMicros),
      sentMicros: after(record.sentMicros),
      acceptedMicros: after(record.acceptedMicros),
      endedMicros: later(record.endedMicros),
      lastNotDoneSentMicros: after(record.lastNotDoneSentMicros),
      firstDoneReceivedMicros: after(record.firstDoneReceivedMicros),
      changes: record.changes.map((change) => ({ ...change, atMicros: later(change.atMicros) })),
    },
  }
}
