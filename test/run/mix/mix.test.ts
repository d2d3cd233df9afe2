/** A mix: several scenarios on one clock, with one budget, one journal and one verdict. */
import { once } from 'node:events'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WrittenProfile } from '../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { readJournal } from '../../../src/journal/reader.ts'
import { reportFiles } from '../../../src/report/frame/render/files.ts'
import { renderPage } from '../../../src/report/frame/render/page.ts'
import { renderTerminal } from '../../../src/report/frame/render/terminal.ts'
import { mixReport } from '../../../src/report/mix/report.ts'
import type { MixDocument } from '../../../src/result/mix.ts'
import { mixDocument } from '../../../src/result/mix.ts'
import type { Mix, MixOptions, MixOutcome, Scenario } from '../../../src/run/index.ts'
import { defineMix, defineScenario, run, runMix } from '../../../src/run/index.ts'
import { renderMix, resumeMix } from '../../../src/run/mix/resume.ts'
import { readResult } from '../../../src/study/frame/conduct/results.ts'
import { keptPart } from '../../../src/study/comparing/comparable.ts'
import { areExperimentsRun } from '../../experiments.ts'
import { temporaryFolder } from '../../support/cli.ts'

const inputs = { topic: 'tides', audience: 'sailors' }

/** A tenant whose own load is a tenth of what ten workers can do. */
const quiet = defineScenario({
  name: 'one-tenant',
  arrivals: { rate: '1/m', for: '2h', process: 'poisson' },
  inputs,
  polling: { fixed: '40s' },
  thresholds: { 'execution.p50': '< 3m' },
})

function beside(rate: string): Mix {
  const noisy = { ...quiet, arrivals: { ...quiet.arrivals, rate }, thresholds: {} }
  return defineMix({ name: 'tenants', parts: { quiet, noisy: { scenario: noisy } } })
}

/** The queue of the crew may serve tenants by their rank. */
function ranked(name: string, rate: string, rank: string): Scenario {
  return defineScenario({
    name,
    arrivals: { rate, for: '1m', process: 'poisson' },
    inputs: { topic: 'bees', rank },
    polling: { fixed: '500ms' },
    deadline: '20s',
    thresholds: { 'execution.p50': '< 3s' },
  })
}

async function virtually(mix: Mix, options: MixOptions = {}): Promise<MixOutcome> {
  return runMix(mix, { engine: 'virtual', profile: 'default', out: false, ...options })
}

/** Two runs with their folders, for the tests that only look: few executions, and many. */
let few: MixOutcome
let many: MixOutcome
let runs: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  runs = await temporaryFolder()
  few = await virtually(beside('1/m'), { seed: 7, out: join(runs.path, 'few') })
  many = await virtually(beside('4/m'), { out: join(runs.path, 'many') })
})
afterAll(async () => runs[Symbol.asyncDispose]())

function partOf({ parts }: MixDocument, name: string): MixDocument['parts'][number]['result'] {
  return parts.find(({ part }) => part === name)!.result
}

function reportText(document: MixDocument): string {
  return renderTerminal(mixReport(document), { color: false, width: 120, reportPath: null })
}

function shareOf({ fairness }: MixDocument, name: string) {
  return fairness[0]!.shares!.find(({ part }) => part === name)!
}

async function mistakesOf(started: Promise<unknown>): Promise<string> {
  return started.then(
    () => 'none',
    (error: Error) => error.message,
  )
}

describe('two tenants on one crew', () => {
  test('the flood of one fails the promise of the other, and the ledger tells why', async () => {
    const { document: calm } = await virtually(beside('2/m'))
    const { document: flooded } = await virtually(beside('14/m'))

    expect(partOf(calm, 'quiet').verdict.outcome).toBe('passed')
    expect(partOf(flooded, 'quiet').verdict.outcome).toBe('failed')
    expect(flooded.verdict).toMatchObject({ outcome: 'failed', worst: 'quiet' })

    const { executions, waitMs, behind } = shareOf(flooded, 'quiet')
    const behindNoisy = behind.find(({ part }) => part === 'noisy')!.ms
    expect(behindNoisy / waitMs).toBeGreaterThan(0.85)
    expect(waitMs / executions).toBeGreaterThan(20 * 60_000)
    expect(shareOf(calm, 'quiet').waitMs / shareOf(calm, 'quiet').executions).toBeLessThan(10_000)

    const { headline, findings } = mixReport(flooded)
    expect(headline.word).toBe('FAILED')
    // The load is that of both, whichever of them it harms most.
    expect(headline.cause).toMatch(
      /^the crew is overloaded \(arrivals need \d+ % of its \d+ workers\)$/,
    )
    expect(findings.map(({ message }) => message).join()).toMatch(/quiet waited .* behind noisy/)
    expect(flooded.findings).toMatchObject([
      { code: 'waited-for-others', part: 'quiet', most: { part: 'noisy' } },
    ])
    expect(calm.findings).toEqual([])
  }, 60_000)

  test('the same seed gives the same document, and the arrivals of the parts differ', async () => {
    const again = await virtually(beside('1/m'), { seed: 7 })
    expect(again.document).toEqual(few.document)
    const [a, b] = few.document.parts.map(({ result }) => result)
    expect(a!.plan.arrivals).toEqual(b!.plan.arrivals)
    // The last intervals follow from the end of the part, which differs anyway.
    const [ofA, ofB] = [a!, b!].map(({ series }) => series.offered.slice(0, 100))
    expect(ofA).not.toEqual(ofB)
  })

  test('each part has the result of its own lines, and together they are the ledger', async () => {
    const { document, folder: path } = many
    const journal = join(path!, 'executions.ndjson')
    for (const { part, result } of document.parts) {
      const lines: JournalLine[] = []
      for await (const line of readJournal(journal, 'journal', part)) lines.push(line)
      expect(lines.filter(({ type }) => type === 'ended')).toHaveLength(result.arrivals)
      expect(result.ledger).toMatchObject({ agreed: result.arrivals, rows: result.arrivals })
    }
    const rows = document.fairness[0]!.shares!.reduce((sum, each) => sum + each.executions, 0)
    expect(rows).toBe(document.parts.reduce((sum, { result }) => sum + result.ledger!.rows, 0))
    await expect(readJournal(journal)[Symbol.asyncIterator]().next()).rejects.toThrow('a mix')
    const stored = JSON.parse(await readFile(join(path!, 'result.json'), 'utf8')) as unknown
    expect(mixDocument.parse(stored)).toEqual(document)
  })
})

const SEEDS = areExperimentsRun ? [1, 2, 3] : [1]

describe('two tenants of 1/s and 8/s on five workers that complete 5/s', () => {
  const tenants = defineMix({
    name: 'tenants',
    parts: { quiet: ranked('quiet', '1/s', '2'), noisy: ranked('noisy', '8/s', '1') },
  })

  const sharedBy = async (queue: object, seed: number) => {
    const profile = {
      name: 'shared',
      inputs: ['topic', 'rank'],
      tasks: [{ id: 'work', agent: 'Worker', duration: '1s' }],
      capacity: { workers: 5, queue },
    }
    const options = { profile: JSON.stringify(profile, null, 1), seed }
    const { document } = await virtually(tenants, options)
    const [quiet, noisy] = document.parts.map(({ result }) => result)
    expect(Math.abs(quiet!.load!.load - (1 + 8) / 5)).toBeLessThan(0.2)
    expect(noisy!.load).toEqual({ ...quiet!.load, needed: null })
    expect(noisy!.verdict.outcome).toBe('failed')
    return { document, quiet: quiet! }
  }

  test.each(SEEDS)('whom the queue protects is judged by its own waits (seed %d)', async (seed) => {
    for (const discipline of ['fair', 'priority']) {
      const { document, quiet } = await sharedBy({ discipline, by: { input: 'rank' } }, seed)
      expect(shareOf(document, 'quiet').longestWaitMs).toBeLessThan(3_000)
      expect(quiet).toMatchObject({ verdict: { outcome: 'passed' }, load: { needed: 0 } })
      expect(reportText(document)).toMatch(
        /lets\s+others\s+wait:\s+these\s+waits\s+do\s+not\s+grow/,
      )
    }
  })

  test.each(SEEDS)('first come, first served keeps both waiting (seed %d)', async (seed) => {
    const { document, quiet } = await sharedBy({ discipline: 'fifo' }, seed)
    expect(shareOf(document, 'quiet').longestWaitMs).toBeGreaterThan(30_000)
    expect(quiet).toMatchObject({ verdict: { outcome: 'failed' }, load: { needed: null } })
  })
})

describe('what the parts have in common', () => {
  test('a budget of kickoffs holds over all of them', async () => {
    const { document } = await virtually(beside('4/m'), { budget: { kickoffs: 50 } })
    const sent = document.parts.map(
      ({ result: { arrivals, outcomes } }) => arrivals - (outcomes.notReached ?? 0),
    )
    expect(sent[0]! + sent[1]!).toBe(50)
    expect(Math.min(...sent)).toBeGreaterThan(0)
    expect(document.verdict.outcome).not.toBe('passed')
  })

  describe('a budget of cost', () => {
    const tokens = { input: 1_000, output: 100 }
    const profile = {
      name: 'metered',
      inputs: ['topic', 'audience'],
      tasks: [{ id: 'a', agent: 'A', duration: '100ms', output: '9B', tokens }],
      capacity: { workers: 'unlimited' },
      usage: { shows: 'ended' },
    } satisfies WrittenProfile
    const steady = { arrivals: { rate: '10/s', for: '100s' }, polling: { fixed: '50ms' } } as const
    const free = { ...quiet, ...steady, thresholds: {} }
    const priced = { ...free, prices: { currency: 'USD', input: 2, output: 10 } }

    const bounded = async (parts: Mix['parts'], costPerKickoff?: number) => {
      const estimate = costPerKickoff === undefined ? {} : { costPerKickoff }
      const options = { profile: JSON.stringify(profile, null, 1), maxCost: 0.3, ...estimate }
      return await virtually(defineMix({ name: 'priced', parts }), options)
    }
    const spentOf = async (parts: Mix['parts']) => {
      const { document } = await bounded(parts, 0.001)
      const spent = document.parts.map(({ result: { arrivals, outcomes, usage } }) => {
        const sent = arrivals - (outcomes.notReached ?? 0)
        return { sent, cost: usage!.parts[0]!.cost ?? sent * 0.001 }
      })
      return { document, spent, all: spent[0]!.cost + spent[1]!.cost }
    }

    test('bounds the measured cost of all parts together', async () => {
      const { document, spent, all } = await spentOf({ a: priced, b: priced })
      expect(all).toBeGreaterThan(0.29)
      expect(all).toBeLessThanOrEqual(0.300001)
      expect(Math.min(...spent.map(({ sent }) => sent))).toBeGreaterThan(20)
      expect(document.budget).toMatchObject({ kickoffs: null, cost: { most: 3e5 } })
      expect(mixDocument.parse(document)).toEqual(document)
      expect(reportText(document)).toContain('all parts together: a cost of 0.300 USD')
    })

    test('counts those of a part without prices by the estimate', async () => {
      const { spent, all } = await spentOf({ a: priced, b: free })
      expect(all).toBeGreaterThan(0.29)
      expect(all).toBeLessThanOrEqual(0.300001)
      expect(Math.min(...spent.map(({ sent }) => sent))).toBeGreaterThan(50)
    })

    test('is one of kickoffs where no part has prices', async () => {
      const { document, spent } = await spentOf({ a: free, b: free })
      expect(spent[0]!.sent + spent[1]!.sent).toBe(300)
      expect(document.budget).toEqual({ kickoffs: 300, requests: null, wallMicros: null })
    })

    test('takes no amounts of two currencies', async () => {
      const euros = { ...priced, prices: { ...priced.prices, currency: 'EUR' } }
      expect(await mistakesOf(bounded({ a: priced, b: euros }, 0.001))).toContain(
        'b prices.currency: expected USD, as of a: --max-cost bounds all parts together (found EUR)',
      )
    })

    test('needs an estimate, said once', async () => {
      const told = await mistakesOf(bounded({ a: priced, b: free }))
      expect(told.split('--cost-per-kickoff')).toHaveLength(2)
    })
  })

  test('a stop ends all of them', async () => {
    const { document } = await virtually(beside('14/m'), {
      onStart: (control) => setImmediate(() => control.stop('now')),
    })
    expect(document.mix.stopped).toBe('now')
    expect(document.parts.map(({ result }) => result.run.stopped)).toEqual(['now', 'now'])
  })

  test('every mistake is told at once, with its part', async () => {
    const wrong = {
      name: 'wrong',
      seed: -1,
      parts: { 'a b': quiet, b: { scenario: quiet, target: 'nowhere', port: 1 } },
    }
    const shape = await mistakesOf(virtually(wrong))
    for (const each of ['seed', 'a b', 'parts.b.port']) expect(shape).toContain(each)

    const inParts = defineMix({
      name: 'wrong',
      parts: {
        a: { ...quiet, arrivals: { rate: 'often', for: '1m' } as never },
        b: 'no-such-file.ts',
        c: { scenario: quiet, tokenFrom: 'CREWLOAD_NO_SUCH_TOKEN' },
      },
    })
    const told = await mistakesOf(virtually(inParts))
    for (const each of ['parts.a arrivals', 'no-such-file.ts']) expect(told).toContain(each)
    const options = { engine: 'node', env: {}, set: { 'd.seed': '1' }, otlp: true } as const
    const places = await mistakesOf(virtually(inParts, options))
    for (const each of ['CREWLOAD_NO_SUCH_TOKEN', '--otlp', 'd.seed']) {
      expect(places).toContain(each)
    }
  })

  test('k6 cannot run one, and nothing else takes one for a scenario', async () => {
    expect(await mistakesOf(virtually(beside('1/m'), { engine: 'k6' }))).toContain(
      'cannot run a mix',
    )
    expect(await mistakesOf(run(beside('1/m') as never, { profile: 'fast' }))).toContain('a mix')
  })
})

describe('the report of a mix', () => {
  test('has a chapter, a block and a suite for each part, and no id twice', () => {
    const report = mixReport(many.document)
    const page = renderPage(report)
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
    expect(ids).toEqual(expect.arrayContaining(['section-part-quiet', 'section-part-noisy']))
    const junit = reportFiles(report)['junit.xml']!
    const suites = [...junit.matchAll(/<testsuite name="([^"]+)"/g)]
    expect(suites.map(([, name]) => name)).toEqual(['crewload quiet', 'crewload noisy'])
    for (const width of [80, 120]) {
      const text = renderTerminal(report, { color: false, width, reportPath: null })
      expect(text).toMatch(/^── quiet ─+$/m)
      expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(width)
    }
  })

  test('says that without a ledger nobody knows who waited for whom', () => {
    const { document } = few
    const fairness = document.fairness.map((each) => ({ ...each, shares: null }))
    const text = renderTerminal(mixReport({ ...document, fairness }), {
      color: false,
      width: 80,
      reportPath: null,
    })
    expect(text).toContain('not known without a ledger')
  })
})

describe.concurrent('a mix over HTTP', () => {
  const fast = defineScenario({
    name: 'fast',
    arrivals: { rate: '20/s', for: '2s' },
    inputs: { topic: 'tides' },
    polling: { fixed: '50ms' },
    // The machine of a test may be busy.
    validity: { lateness: '10s', utilisation: 1 },
  })
  const profile = `name: two
inputs: [topic]
tasks: [{ id: write, agent: Writer, duration: 50ms }]
capacity: { workers: 2 }
`

  test('runs its parts at the same time against one crew, each line with its part', async () => {
    await using folder = await temporaryFolder()
    await using crew = await startFakeCrew({ profile })
    const mix = defineMix({
      name: 'http',
      parts: { a: { ...fast, arrivals: { rate: '2/s', for: '2s' } }, b: fast },
    })
    const { document, folder: path } = await runMix(mix, {
      target: crew.url,
      tokens: [crew.token],
      budget: { kickoffs: 100 },
      out: folder.path,
    })
    expect(document.parts.map(({ result }) => result.verdict.reasons)).toEqual([[], []])
    expect(document.parts.map(({ result }) => result.arrivals)).toEqual([4, 40])
    const [first, second] = document.parts.map(({ result }) => Date.parse(result.run.startedAt))
    expect(first).toBe(second)
    expect(shareOf(document, 'a').executions).toBe(4)
    expect(shareOf(document, 'b').executions).toBe(40)
    const lines = (await readFile(join(path!, 'executions.ndjson'), 'utf8')).trim().split('\n')
    const parts = lines.map(partIn)
    expect(new Set(parts)).toEqual(new Set(['a', 'b']))
    expect(await readdir(path!)).toEqual(
      expect.arrayContaining(['ledger.ndjson', 'clock.json', 'report.html', 'junit.xml']),
    )
  }, 30_000)

  test('sends nothing where one part is refused, and leaves no folder', async () => {
    await using folder = await temporaryFolder()
    await using crew = await startFakeCrew({ profile })
    const mix = defineMix({
      name: 'refused',
      parts: { a: fast, b: { scenario: fast, tokenFrom: 'OTHER' } },
    })
    const told = await mistakesOf(
      runMix(mix, {
        target: crew.url,
        tokens: [crew.token],
        env: { OTHER: 'no-token-of-this-crew' },
        budget: { kickoffs: 100 },
        out: folder.path,
      }),
    )
    expect(told).toContain('refused our token; give a valid one: OTHER (part b) (found 401)')
    expect(crew.ledger()).toEqual([])
    expect(await readdir(folder.path)).toEqual([])
  }, 30_000)

  test('loads the crew of each part that has one, and tells their fairness apart', async () => {
    await using one = await startFakeCrew({ profile })
    await using other = await startFakeCrew({ profile })
    const own = { scenario: fast, target: other.url, tokenFrom: 'OTHER' }
    const { document } = await runMix(defineMix({ name: 'two', parts: { a: fast, b: own } }), {
      target: one.url,
      tokens: [one.token],
      env: { OTHER: other.token },
      budget: { kickoffs: 100 },
      out: false,
    })
    expect(document.verdict.outcome).toBe('passed')
    expect(document.fairness.map(({ parts }) => parts)).toEqual([['a'], ['b']])
    expect(document.fairness.map(({ shares }) => shares!.map(({ part }) => part))).toEqual([
      ['a'],
      ['b'],
    ])
  }, 30_000)

  test('gives what is for the crew of the run to no other origin', async () => {
    await using one = await startFakeCrew({ profile })
    await using other = await startListener()
    const own = { scenario: fast, target: other.url }
    const notes: string[] = []
    const options: MixOptions = {
      target: one.url,
      tokens: [one.token],
      env: { OTHER: 'its-own' },
      headers: { 'x-secret': 'ours' },
      tls: { insecure: true },
      budget: { kickoffs: 100 },
      out: false,
      onNote: (note) => notes.push(note),
    }
    const toldOf = async (parts: Mix['parts'], given = options): Promise<string> =>
      mistakesOf(runMix(defineMix({ name: 'apart', parts }), given))

    expect(await toldOf({ a: fast, b: own })).toContain(
      `parts.b.tokenFrom: is missing: the token of the run is for ${new URL(one.url).origin}`,
    )
    const { target: _, ...placeless } = options
    const told = await toldOf({ a: { ...own, target: one.url }, b: own }, placeless)
    for (const part of ['a', 'b']) expect(told).toContain(`parts.${part}.tokenFrom: is missing`)
    expect(other.heard).toEqual([])

    await toldOf({ a: fast, b: { ...own, tokenFrom: 'OTHER' } })
    expect(other.heard.map(({ authorization }) => authorization)).toContain('Bearer its-own')
    expect(JSON.stringify(other.heard)).not.toMatch(new RegExp(`x-secret|${one.token}`))
    expect(notes.join()).toContain('b: its target has another origin than the run')
    expect(notes.join()).toContain('--header x-secret, --insecure')
  }, 30_000)

  test.runIf(areExperimentsRun)(
    'takes one address for one crew, however it is written',
    async () => {
      await using crew = await startFakeCrew({ profile })
      const { origin } = new URL(crew.url)
      const own = { scenario: fast, target: `${origin.toUpperCase()}//` }
      const { document } = await runMix(defineMix({ name: 'one', parts: { a: fast, b: own } }), {
        target: origin,
        tokens: [crew.token],
        budget: { kickoffs: 100 },
        out: false,
      })
      expect(document.verdict.outcome).toBe('passed')
      expect(document.fairness.map(({ parts }) => parts)).toEqual([['a', 'b']])
      expect(shareOf(document, 'b').executions).toBe(40)
    },
    30_000,
  )
})

/** Keeps the headers of every request, and refuses it. */
async function startListener() {
  const heard: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    heard.push(request.headers)
    response.writeHead(401).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

describe('a mix that was cut', () => {
  const slow = defineScenario({
    name: 'slow',
    arrivals: { rate: '10/s', for: '1s' },
    inputs: { topic: 'tides' },
    polling: { fixed: '50ms' },
    validity: { lateness: '10s', utilisation: 1 },
  })
  const profile = `name: slow
inputs: [topic]
tasks: [{ id: write, agent: Writer, duration: 3s }]
`

  test('is resumed in all its parts, which keep one budget, and rendered again', async () => {
    await using folder = await temporaryFolder()
    await using crew = await startFakeCrew({ profile })
    const file = join(folder.path, 'mix.json')
    const priced = { ...slow, prices: { input: 1, output: 1 } }
    await writeFile(file, JSON.stringify({ name: 'cut', parts: { a: slow, b: priced } }))
    const place = { target: crew.url, tokens: [crew.token] }
    const cut = await runMix(file, {
      ...place,
      budget: { kickoffs: 100, requests: 2_000 },
      maxCost: 20,
      costPerKickoff: 0.1,
      out: folder.path,
      onStart: async (control) => {
        await expect.poll(() => crew.ledger().length, { timeout: 20_000 }).toBe(20)
        control.stop('now')
      },
    })
    const path = cut.folder!
    expect(cut.document.mix.stopped).toBe('now')
    expect(cut.abandoned).toHaveLength(20)

    const { document, unheard } = await resumeMix(path, { tokens: place.tokens })
    expect(unheard).toEqual([])
    expect(document.budget.cost!.most).toBe(2e7)
    expect(document.budget).toEqual(cut.document.budget)
    for (const { result } of document.parts) {
      expect(result.outcomes).toMatchObject({ completed: 10, aborted: 0 })
      expect(result.ledger!.agreed).toBe(10)
    }
    expect(document.fairness[0]!.shares!.map(({ executions }) => executions)).toEqual([10, 10])
    expect(await mistakesOf(resumeMix(path, { tokens: place.tokens }))).toContain(
      'nothing to resume',
    )

    const rendered = await renderMix(path, false)
    expect(rendered.cut).toEqual([])
    expect(rendered.document.fairness).toEqual(document.fairness)
    expect(rendered.document.verdict).toEqual(document.verdict)
    expect(rendered.document.parts.map(({ result }) => result.metrics)).toEqual(
      document.parts.map(({ result }) => result.metrics),
    )
    expect(await readResult(join(path, 'b'))).toEqual(keptPart(rendered.document.parts[1]!.result))
    expect(await mistakesOf(readResult(path))).toContain(`like ${path}/a`)
  }, 60_000)
})

function partIn(line: string): string | undefined {
  return (JSON.parse(line) as JournalLine).part
}

function tenant(name: string, rate: string) {
  const arrivals = { rate, for: '40m', process: 'poisson' as const }
  return { ...quiet, headers: { 'x-tenant': name }, arrivals }
}

function meanWaitMs({ document }: MixOutcome, part: string): number {
  const { waitMs, executions } = shareOf(document, part)
  return waitMs / executions
}

test.runIf(areExperimentsRun)(
  'the order in which the crew serves its queue decides who waits',
  async () => {
    const tasks = 'tasks: [{ id: write, agent: Writer, duration: { gamma: { mean: 50s, cv: 1 } } }]'
    const crewOf = (queue: string): string =>
      `name: tenants\ninputs: [topic, audience]\n${tasks}\ncapacity: { workers: 10${queue} }\n`
    const mix = defineMix({
      name: 'turns',
      parts: { quiet: tenant('quiet', '1/m'), noisy: tenant('noisy', '14/m') },
    })
    const fifo = await virtually(mix, { profile: crewOf('') })
    const turns = ', queue: { discipline: fair, by: { header: x-tenant } }'
    const fair = await virtually(mix, { profile: crewOf(turns) })
    expect(meanWaitMs(fifo, 'quiet')).toBeGreaterThan(2 * 60_000)
    // In turn it waits for a worker to become free, 5 s on average, and rarely for itself.
    expect(meanWaitMs(fair, 'quiet')).toBeLessThan(15_000)
    expect(meanWaitMs(fair, 'noisy')).toBeGreaterThan(meanWaitMs(fifo, 'noisy'))
    expect(partOf(fifo.document, 'quiet').verdict.outcome).toBe('failed')
    expect(partOf(fair.document, 'quiet').verdict.outcome).not.toBe('failed')
  },
  60_000,
)

/** The last one, because it changes the journal that others read. */
test('no part is left out of the verdict because its first line is lost', async () => {
  const path = few.folder!
  const journal = join(path, 'executions.ndjson')
  const lines = (await readFile(journal, 'utf8')).trim().split('\n')
  const first = lines.findIndex((line) => partIn(line) === 'quiet')
  expect(lines[first]).toContain('"type":"run"')
  const toldOf = async (left: readonly string[]): Promise<string> => {
    await writeFile(journal, `${left.join('\n')}\n`)
    return mistakesOf(renderMix(path, false))
  }

  expect(await toldOf(lines)).toBe('none')
  const result = await readFile(join(path, 'result.json'), 'utf8')
  expect(await toldOf(lines.with(first, lines[first]!.slice(1)))).toContain(
    `executions.ndjson:${first + 1}: the first line of part quiet cannot be read`,
  )
  const missing = 'the first line of part quiet is missing'
  expect(await toldOf(lines.toSpliced(first, 1))).toContain(missing)
  expect(await toldOf(lines.filter((line) => partIn(line) !== 'quiet'))).toContain(missing)
  expect(await readFile(join(path, 'result.json'), 'utf8')).toBe(result)
})
