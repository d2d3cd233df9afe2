/**
 * k6, which hears of no signal itself, and the process that started it do not outlive each other by
 * accident: stops before the start, Ctrl-C, kills, and mistakes.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { K6Binary } from '../../../src/run/k6/binary.ts'
import { cli, startFakeCli, temporaryFolder, documentOf } from '../../support/cli.ts'
import { fakeCrew, TOKEN } from '../../support/k6/fleet.ts'
import {
  k6Below,
  k6Words,
  LONG,
  MINE,
  runFolder,
  scenarioIn,
  SLOW,
  started,
  underWay,
} from '../../support/k6/run.ts'
import { k6OrSkip } from '../../support/k6/k6.ts'

const k6 = await k6OrSkip('the tests of the life and death of k6')

/** So many that some would go out between a stop and the next question. */
const CROWDED = MINE.replace("rate: '20/s', for: '2s'", "rate: '200/s', for: '5s'")

/**
 * As k6, but calls with such words never come up; by default the second of several processes, so
 * that the first one is held back.
 */
async function k6WithLaggard(
  folder: string,
  { path }: K6Binary,
  late = '*instance_id=2*',
): Promise<string> {
  const wrapper = join(folder, 'k6')
  const laggard = `case "$*" in ${late}) exec sleep 120;; esac`
  await writeFile(wrapper, `#!/bin/sh\n${laggard}\nexec '${path}' "$@"\n`)
  await chmod(wrapper, 0o755)
  return wrapper
}

/** Resolves when it holds; asked ten times a second, for a minute at most. */
async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await look().catch(() => null)
    if (found !== null) return found
    await sleep(100)
  }
  throw new Error(`not within a minute: ${what}`)
}

/** The process that is held back, and the laggard, once both are there. */
async function heldBelow(pid: number): Promise<number[]> {
  return until('k6 and the laggard', async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    const held: number[] = []
    for (const child of children.trim().split(' ').map(Number)) {
      const words = await readFile(`/proc/${child}/cmdline`, 'latin1').catch(() => '')
      if (/instance_id=1|^sleep/.test(words)) held.push(child)
    }
    return held.length === 2 ? held : null
  })
}

/** One that has ended, and that its new parent has not yet asked about, is not alive. */
function isAlive(pid: number): boolean {
  try {
    const [, state] = /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
    return state !== 'Z'
  } catch {
    return false
  }
}

async function consoleOf(folder: string): Promise<string> {
  return readFile(join(await runFolder(folder), 'k6-console.ndjson'), 'utf8')
}

describe.skipIf(k6 === null)('a stop before anything was sent', () => {
  test('of one process: exit 130, no folder left, and the ledger is empty', async () => {
    await using folder = await temporaryFolder()
    const fake = await fakeCrew()
    try {
      const scenario = await scenarioIn(folder.path, CROWDED)
      const place = ['--target', fake.url, '--out', join(folder.path, 'out'), '--json']
      // Otherwise k6 may have begun before the signal arrives.
      const slow = await k6WithLaggard(folder.path, k6!, 'run*')
      await using run = started(['run', scenario, '--engine', 'k6', ...place], {
        CREWLOAD_TOKEN: TOKEN,
        K6_BIN: slow,
      })
      await until('the start of k6', async () => consoleOf(folder.path))
      run.child.kill('SIGINT')
      const { code, stderr } = await run.result
      expect(code).toBe(130)
      expect(stderr).toContain('crewload: run: interrupted before anything was sent\n')
      expect(await readdir(folder.path)).not.toContain('out')
      expect(await fake.ledger()).toEqual([])
    } finally {
      await fake.stop()
    }
  })

  test('of several that are held back: none is let go, exit 130, no folder left', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, CROWDED)
    const out = join(folder.path, 'out')
    const place = ['--profile', 'fast', '--instances', '2', '--out', out]
    const env = { K6_BIN: await k6WithLaggard(folder.path, k6!) }
    await using run = started(['run', scenario, '--engine', 'k6', ...place], env)
    await heldBelow(run.child.pid!)
    run.child.kill('SIGINT')
    const { code, stderr } = await run.result
    expect(code).toBe(130)
    expect(stderr).toContain('crewload: run: interrupted before anything was sent\n')
    expect(await readdir(folder.path)).not.toContain('out')
  })
})

describe.skipIf(k6 === null)('crewload killed', () => {
  test('in mid-run: k6 ends what it has begun, and its console file has it all', async () => {
    await using folder = await temporaryFolder()
    const fake = await fakeCrew()
    try {
      const scenario = await scenarioIn(folder.path, LONG.replace("'10m'", "'60s'"))
      const place = ['--target', fake.url, '--out', join(folder.path, 'out')]
      await using run = started(['run', scenario, '--engine', 'k6', ...place], {
        CREWLOAD_TOKEN: TOKEN,
        TMPDIR: folder.path,
      })
      await underWay(folder.path)
      const orphan = await k6Below(run.child.pid!)
      run.child.kill('SIGKILL')
      const last = await until('the last line of k6', async () => {
        const lines = (await consoleOf(folder.path)).trim().split('\n')
        return lines.at(-1)!.includes('"type":"finished"') ? lines.at(-1)! : null
      })
      expect(JSON.parse(last)).toMatchObject({
        stopped: 'drained',
        stopReason: { code: 'crewload-gone' },
      })
      await until('the end of k6', async () => (isAlive(orphan) ? null : true))
      const ended = (await consoleOf(folder.path)).match(/"type":"ended"/g)!.length
      expect(ended).toBe(JSON.parse(last).engine.arrivals)

      const rendered = await cli(['report', 'render', await runFolder(folder.path), '--json'])
      expect(rendered.stderr).toMatch(
        /^note: [\d,]+ more lines were read than its journal holds, from k6-console\.ndjson\n$/,
      )
      const { arrivals, run: told } = documentOf(rendered)
      expect({ arrivals, stopped: told.stopped }).toEqual({ arrivals: ended, stopped: 'drained' })
    } finally {
      await fake.stop()
    }
  })

  test('while a process waits for the others: it ends with it', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, LONG)
    const place = ['--profile', 'fast', '--instances', '2', '--out', join(folder.path, 'out')]
    const env = { K6_BIN: await k6WithLaggard(folder.path, k6!), TMPDIR: folder.path }
    await using run = started(['run', scenario, '--engine', 'k6', ...place], env)
    const [waiting, laggard] = await heldBelow(run.child.pid!)
    run.child.kill('SIGKILL')
    await run.result
    try {
      const ended = until('its end', async () => (isAlive(waiting!) ? null : true))
      await expect(ended).resolves.toBe(true)
    } finally {
      process.kill(laggard!, 'SIGKILL')
    }
  })
})

describe.skipIf(k6 === null)('what goes wrong around k6', () => {
  test('a header that cannot be sent: exit 2, and nothing is left running or lying about', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, MINE)
    const temporary = join(folder.path, 'tmp')
    await mkdir(temporary)
    const words = [...k6Words(scenario, folder.path), '--header', 'x-a: ü']
    const { code, stderr } = await cli(words, { env: { TMPDIR: temporary } })
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('x-a') })
    expect(await readdir(temporary)).toEqual([])
  })

  test('one of two VUs throws: the other begins nothing more', async () => {
    await using folder = await temporaryFolder()
    const boom = "if (index === 20) setTimeout(() => { throw new Error('boom') }, 1)\n    return"
    const thrower = LONG.replace('=> ({ topic', `=> {\n    ${boom} ({ topic`).replace(
      "'b']) }),",
      "'b']) }) },",
    )
    await scenarioIn(folder.path, thrower)
    const words = [...k6Words('mine.ts', folder.path), '--k6-vus', '2', '--json']
    const result = await cli(words, { cwd: folder.path })
    const document = documentOf(result)
    expect(result.code).toBe(3)
    // Ten minutes at 20/s: the rest was never begun.
    expect(document.arrivals - document.outcomes.notReached).toBeLessThan(2_000)
    const said = document.findings.map(({ message }) => message).join('\n')
    expect(said).toMatch(/k6 said: Error: boom \| at mine\.ts:7:\d+/)
    expect(said.match(/boom/g)).toHaveLength(1)
    // What it left in flight was started, and is called nothing else.
    expect(document.ledger!.disagreements).toEqual([])
  })
})

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
