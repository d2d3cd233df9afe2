/** The pages of `crewload ui`: who may open them, and what they show of a folder. */
import { once } from 'node:events'
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UserError } from '../../src/base/mistakes.ts'
import { defineMix, run, runMix } from '../../src/run/index.ts'
import { lockFolder } from '../../src/run/folder/lock.ts'
import { defineScenario } from '../../src/scenario/define.ts'
import type { UiServer } from '../../src/ui/server.ts'
import { serveUi } from '../../src/ui/server.ts'
import { conducting as comparing } from '../../src/study/comparing/comparison/conduct.ts'
import { conductStudy } from '../../src/study/frame/conduct/conduct.ts'
import { temporaryFolder } from '../support/cli.ts'

interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string
}

interface Said {
  code: number
  headers: Record<string, unknown>
  text: string
}

/** As no browser would let a page ask. */
async function ask(url: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Said> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        resolve({ code: response.statusCode!, headers: response.headers, text })
      })
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

/** What a page shows once that is enough: by default, after the first message of its stream. */
async function firstEvent(
  url: string,
  isEnough: (shown: Record<string, string>) => unknown = () => true,
): Promise<Record<string, string>> {
  const controller = new AbortController()
  const response = await fetch(url, { signal: controller.signal })
  const shown: Record<string, string> = {}
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const messages = text.split('\n\n')
    text = messages.pop()!
    for (const each of messages) Object.assign(shown, JSON.parse(each.slice('data: '.length)))
    if (messages.length > 0 && (await isEnough(shown))) break
  }
  controller.abort()
  return shown
}

const SCENARIO = defineScenario({
  name: 'listed',
  arrivals: { rate: '30/m', for: '20m' },
  inputs: { topic: 'AI', audience: 'all' },
  thresholds: { 'execution.failed': '< 50%' },
})

const arriving = (rate: string) => defineScenario({ ...SCENARIO, arrivals: { rate, for: '5m' } })

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let server: UiServer
let runs: string[]
/** Where a mix of two parts has ended, and its folder there. */
let mixes: Awaited<ReturnType<typeof temporaryFolder>>
let mixed: string

beforeAll(async () => {
  folder = await temporaryFolder()
  const out = folder.path
  const options = { engine: 'virtual', profile: 'fast', out } as const
  runs = []
  for (const seed of [1, 2]) {
    const { folder: made } = await run(SCENARIO, { ...options, seed })
    runs.push(made!.slice(out.length + 1))
  }
  const [base, next] = runs.map((name) => join(out, name))
  await conductStudy(comparing, { base: [base!], new: [next!], out })
  await mkdir(join(out, 'no-json'))
  await writeFile(join(out, 'no-json', 'executions.ndjson'), '')
  await writeFile(join(out, 'no-json', 'result.json'), '{<img src=x>')
  await mkdir(join(out, 'cut-20261101T000000Z'))
  await writeFile(join(out, 'cut-20261101T000000Z', 'executions.ndjson'), 'nonsense\n')
  await mkdir(join(out, 'something', 'else'), { recursive: true })
  await writeFile(join(out, 'secret.txt'), 'of nobody')
  await writeFile(join(out, runs[0]!, '.hidden'), 'of nobody')
  server = await serveUi(out, 0)
  mixes = await temporaryFolder()
  const mix = defineMix({ name: 'both', parts: { few: arriving('6/m'), many: arriving('30/m') } })
  const made = await runMix(mix, { ...options, out: mixes.path })
  mixed = made.folder!
})

afterAll(async () => {
  await server.close()
  await folder[Symbol.asyncDispose]()
  await mixes[Symbol.asyncDispose]()
})

describe('only the person who was given the address', () => {
  test('opens it, by either name of this machine', async () => {
    const { code, headers } = await ask(`${server.url}runs`)
    const { port } = new URL(server.url)
    const byName = await ask(`${server.url}runs`, { headers: { host: `localhost:${port}` } })
    expect([code, byName.code]).toEqual([200, 200])
    expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(headers['content-security-policy']).toContain("default-src 'none'")
  })

  test.each(['', 'x/', 'AAAAAAAAAAAAAAAAAAAAAA/runs', 'runs', 'events/runs'])(
    'and not with another token: /%s',
    async (path) => {
      const { origin } = new URL(server.url)
      const { code, text } = await ask(`${origin}/${path}`)
      expect(code).toBe(404)
      expect(text).not.toContain('listed')
    },
  )

  test.each(['evil.example', '127.0.0.1', '127.0.0.1:1', 'localhost.evil.example:80'])(
    'and not for the host %s',
    async (host) => {
      const { code, text } = await ask(`${server.url}runs`, { headers: { host } })
      expect(code).toBe(403)
      expect(text).not.toContain('listed')
    },
  )

  test.each([{}, { origin: 'null' }, { origin: 'https://evil.example' }])(
    'and no other page stops a run: %o',
    async (others) => {
      const headers = { 'content-type': 'application/json', ...others }
      const body = JSON.stringify({ id: runs[0], how: 'now' })
      const said = await ask(`${server.url}stop`, { method: 'POST', headers, body })
      expect(said.code).toBe(403)
      const asked = { 'access-control-request-method': 'POST', ...others }
      const before = await ask(`${server.url}stop`, { method: 'OPTIONS', headers: asked })
      expect(before.headers['access-control-allow-origin']).toBeUndefined()
      expect(before.code).not.toBe(200)
    },
  )

  test('what is not under way, or was asked badly, is not stopped', async () => {
    const headers = { 'content-type': 'application/json', origin: new URL(server.url).origin }
    const post = async (body: string) =>
      (await ask(`${server.url}stop`, { method: 'POST', headers, body })).code
    expect(await post(JSON.stringify({ id: runs[0], how: 'drain' }))).toBe(409)
    expect(await post(JSON.stringify({ id: '../..', how: 'drain' }))).toBe(404)
    expect(await post(JSON.stringify({ id: runs[0], how: 'kill' }))).toBe(404)
    expect(await post('{')).toBe(400)
  })

  test('what cannot be asked is answered with the cause', async () => {
    const id = 'cut-20261101T000000Z'
    // To the name of this lock nothing can be added.
    const lock = join(folder.path, id, `.held-by-${'m'.repeat(240)}-1-0`)
    await writeFile(lock, '')
    const headers = { 'content-type': 'application/json', origin: new URL(server.url).origin }
    const body = JSON.stringify({ id, how: 'now' })
    const { code, text } = await ask(`${server.url}stop`, { method: 'POST', headers, body })
    await rm(lock)
    const trouble = 'its folder cannot be written to (ENAMETOOLONG)'
    expect([code, JSON.parse(text)]).toEqual([409, { isDone: false, trouble }])
  })
})

describe('the list of runs', () => {
  test('has each run, study and damaged folder, and says what is wrong with it', async () => {
    const { text } = await ask(`${server.url}runs`)
    for (const name of [...runs, 'no-json', 'cut-20261101T000000Z']) expect(text).toContain(name)
    expect(text).toContain('listed (2 runs)')
    expect(text).toContain('1 study')
    expect(text).toMatch(/UNREADABLE[^]*no-json/)
    expect(text).toMatch(/CUT<[^]*it has no result/)
    expect(text).not.toContain('something')
    expect(text).not.toContain('<img')
  })

  test('is sent again to a page that is open', async () => {
    const { entries } = await firstEvent(`${server.url}events/runs`)
    expect(entries).toContain(runs[1])
  })

  test('opens reports in an origin of their own, and the files that they name', async () => {
    const report = await ask(`${server.url}files/${runs[0]}/report.html`)
    expect(report.code).toBe(200)
    expect(report.text).toBe(await readFile(join(folder.path, runs[0]!, 'report.html'), 'utf8'))
    expect(report.headers['content-security-policy']).toMatch(/^sandbox allow-scripts/)
    const result = await ask(`${server.url}files/${runs[0]}/result.json`)
    expect(JSON.parse(result.text)).toMatchObject({ run: { scenario: 'listed' } })
  })

  test.each([
    'secret.txt',
    'something/else',
    // A slash that is written as %2f keeps clients from taking the dots away.
    'RUN%2f..%2fsecret.txt',
    'RUN%2f%2e%2e%2fsecret.txt',
    'RUN/.hidden',
    'RUN//etc/passwd',
    'RUN/nothing.json',
  ])('opens no other file: %s', async (path) => {
    const { code } = await ask(`${server.url}files/${path.replace('RUN', runs[0]!)}`)
    expect(code).toBe(404)
  })

  test('offers the runs with a result for a comparison, and nothing else', async () => {
    const { text } = await ask(`${server.url}runs`)
    const offered = [...text.matchAll(/data-run="([^"]*)"/g)].map(([, id]) => id)
    expect(new Set(offered)).toEqual(new Set(runs))
  })

  test('compares the runs of two sides as the command does', async () => {
    const { text } = await ask(`${server.url}compare?before=${runs[0]}&after=${runs[1]}`)
    expect(text).toMatch(/<title>~ NOTHING PROVEN|<title>✓ EQUAL|<title>\S? [A-Z]/)
    const none = await ask(`${server.url}compare?before=${runs[0]}`)
    expect(none.code).toBe(400)
    expect(none.text).toContain('expected at least one run folder')
  })

  test('shows what a process holds as under way, and leads to its page', async () => {
    const path = join(folder.path, 'held')
    await mkdir(path)
    await writeFile(join(path, 'executions.ndjson'), '')
    const hold = await lockFolder(path)
    const { text } = await ask(`${server.url}runs`)
    expect(text).toMatch(/href="live\?id=held"[^]*UNDER WAY/)
    expect((await ask(`${server.url}live`)).headers['location']).toBe('live?id=held')
    await hold.release()
    expect((await ask(`${server.url}live`)).text).toContain('Nothing is under way')
  })
})

test('a study under way tells its progress, and what it tells is not markup', async () => {
  const path = join(folder.path, 'asked')
  await mkdir(path)
  await writeFile(join(path, 'study.json'), '{}')
  const progress = {
    study: 'capacity',
    trial: 'confirm <b>1</b>',
    number: 3,
    of: 5,
    isAbout: true,
    spent: { requests: 20, kickoffs: 1_847 },
    budget: { requests: null, kickoffs: 20_000 },
    elapsedMs: 245_000,
    leftMs: 360_000,
    soFar: '360 to 400/h',
  }
  await writeFile(join(path, '.progress.json'), JSON.stringify(progress))
  const hold = await lockFolder(path)
  const said = await firstEvent(`${server.url}events/live?id=asked`)
  const words = said['study']?.replaceAll('\u00A0', ' ')
  for (const part of [
    'step 3 of ~5: confirm &lt;b&gt;1&lt;/b&gt;',
    'kickoffs 1,847/20,000',
    '4:05',
    'about 6 min left',
    'so far: 360 to 400/h',
  ]) {
    expect(words).toContain(part)
  }
  expect(said['stoppable']).toBe('yes')
  await writeFile(join(path, '.progress.json'), '{')
  const damaged = await firstEvent(`${server.url}events/live?id=asked`)
  expect(damaged['trouble']).toContain('.progress.json')
  await hold.release()
})

test('each part of a mix is followed on its own', async () => {
  const ofMix = await serveUi(mixes.path, 0)
  const id = mixed.slice(mixes.path.length + 1)
  expect((await ask(`${ofMix.url}runs`)).text).toMatch(/both \(1 run\)[^]*PASSED/)
  const address = `${ofMix.url}events/live?id=${id}`
  const [first, other] = [await firstEvent(address), await firstEvent(`${address}&part=many`)]
  expect(first['study']).toContain(`live?id=${id}&amp;part=many`)
  expect(first['facts']).toContain('30/30 started')
  expect(other['facts']).toContain('150/150 started')
  await ofMix.close()
})

test('the page of a mix waits for its first line, and shows each part that begins', async () => {
  await using place = await temporaryFolder()
  const text = await readFile(join(mixed, 'executions.ndjson'), 'utf8')
  const lines = text.split('\n').slice(0, -1)
  const linesOf = (part: string): string =>
    `${lines.filter((line) => line.includes(`"part":"${part}"`)).join('\n')}\n`
  const path = join(place.path, 'begun')
  await mkdir(path)
  const journal = join(path, 'executions.ndjson')
  await writeFile(journal, '')
  const hold = await lockFolder(path)
  const ofMix = await serveUi(place.path, 0)
  const steps: string[] = []
  const shown = await firstEvent(`${ofMix.url}events/live?id=begun`, async ({ head, study }) => {
    const parts = [...(study ?? '').matchAll(/part=(\w+)/g)].map(([, part]) => part)
    steps.push(`${/preparing|both|listed/.exec(head ?? '')?.[0]}: ${parts.join(' ')}`)
    if (steps.length === 1) await appendFile(journal, linesOf('many'))
    if (steps.length === 2) await appendFile(journal, linesOf('few'))
    return steps.length === 3
  })
  expect(steps).toEqual(['preparing: ', 'listed: many', 'listed: many few'])
  expect(shown['facts']).toContain('150/150 started')
  await ofMix.close()
  await hold.release()
}, 30_000)

test('a mix in virtual time is listed with the day of its computation, and its slowest part', async () => {
  const ofMix = await serveUi(mixes.path, 0)
  const { entries } = await firstEvent(`${ofMix.url}events/runs`)
  expect(entries).toContain(`<span class="whole">${new Date().toISOString().slice(0, 10)}`)
  expect(entries).toMatch(/ of many\s*</)
  await ofMix.close()
}, 30_000)

test('a mix is not offered for a comparison, which would refuse it', async () => {
  const ofMix = await serveUi(mixes.path, 0)
  const { entries } = await firstEvent(`${ofMix.url}events/runs`)
  expect(entries).not.toContain('data-run=')
  const id = mixed.slice(mixes.path.length + 1)
  const { code } = await ask(`${ofMix.url}compare?before=${id}&after=${id}`)
  expect(code).toBe(400)
  await ofMix.close()
}, 30_000)

test('a run that has ended leads to its report, or to the command that makes one', async () => {
  const ended = await firstEvent(`${server.url}events/live?id=${runs[0]}`)
  expect(ended['over']).toBe(`files/${runs[0]}/report.html`)
  const cut = await firstEvent(`${server.url}events/live?id=cut-20261101T000000Z`)
  expect(cut['over']).toBeUndefined()
  expect(cut['trouble']).toContain('crewload report render --recover')
})

test('a page that is closed before its first event is not waited for', async () => {
  await using place = await temporaryFolder()
  // It takes a while to find one among so many.
  for (let of = 0; of < 400; of++) {
    await mkdir(join(place.path, `run-${of}`))
    await writeFile(join(place.path, `run-${of}`, 'executions.ndjson'), '')
  }
  const hasty = await serveUi(place.path, 0)
  const { port, pathname } = new URL(hasty.url)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const host = `host: 127.0.0.1:${port}`
  socket.end(`GET ${pathname}events/live?id=run-7 HTTP/1.1\r\n${host}\r\n\r\n`)
  await once(socket, 'close')
  // One that stays open would be waited for.
  await expect(hasty.untilUnused(500)).resolves.toBeUndefined()
  await hasty.close()
}, 20_000)

test('an empty folder says so', async () => {
  await using empty = await temporaryFolder()
  const ofEmpty = await serveUi(empty.path, 0)
  expect((await ask(`${ofEmpty.url}runs`)).text).toContain('There is no run and no study here yet.')
  await ofEmpty.close()
})

test('a folder that is none, and a port that is taken, are mistakes of the user', async () => {
  for (const [name, problem] of [
    ['secret.txt', 'is not a folder; expected a folder with runs and studies'],
    ['nothing', 'there is no such folder; expected a folder with runs and studies'],
  ] as const) {
    const served = serveUi(join(folder.path, name), 0)
    await expect(served).rejects.toThrow(UserError)
    await expect(served).rejects.toThrow(problem)
  }
  const { port } = new URL(server.url)
  await expect(serveUi(folder.path, Number(port))).rejects.toThrow(`--port: ${port} is in use`)
})
