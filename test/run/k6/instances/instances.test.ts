/**
 * k6 processes over segments are one k6: their VUs are numbered through, and they begin together.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Barrier } from '../../../../src/run/k6/instances/instances.ts'
import { createBarrier, freeAddresses } from '../../../../src/run/k6/instances/instances.ts'
import { runnerArguments } from '../../../../src/run/k6/instances/operator.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { k6OrSkip } from '../../../support/k6/k6.ts'

/** Tells of each VU its number over all segments, and when its test began. */
const SCRIPT = `
import exec from 'k6/execution'
export const options = { scenarios: { all: { executor: 'per-vu-iterations', vus: 8, iterations: 1 } } }
export default () => {
  const { currentTestRunDuration } = exec.instance
  console.log(JSON.stringify({ vu: exec.vu.idInTest, beganMs: Date.now() - currentTestRunDuration }))
}
`
const ARGS = ['--no-thresholds', '--summary-mode=disabled', '--log-format=raw']

interface Told {
  vu: number
  beganMs: number
}

async function told(child: ChildProcess): Promise<Told[]> {
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'close')) as [number | null]
  expect({ code, said }).toMatchObject({ code: 0 })
  return said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told)
}

const k6 = await k6OrSkip('four k6 processes over segments')

describe.skipIf(k6 === null)('four k6 processes over segments', () => {
  test('have every VU once, two each, and none begins before the release', async () => {
    await using folder = await temporaryFolder()
    const script = join(folder.path, 'script.js')
    await writeFile(script, SCRIPT)
    const addresses = await freeAddresses(4)
    const children = addresses.map((address, i) => {
      const runner = { name: 'four', args: ARGS, script, address, instances: 4 }
      const env = { ...process.env, K6_NO_USAGE_REPORT: 'true' }
      return spawn(k6!.path, runnerArguments({ ...runner, instance: i + 1 }), {
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
    })
    const all = Promise.all(children.map(told))
    const barrier = createBarrier(addresses)
    try {
      await barrier.ready(new AbortController().signal)
      const releasedMs = Date.now()
      await barrier.release()
      const perProcess = await all
      expect(perProcess.map((vus) => vus.length)).toEqual([2, 2, 2, 2])
      const numbers = perProcess.flat().map(({ vu }) => vu)
      expect(numbers.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      const began = perProcess.flat().map(({ beganMs }) => beganMs)
      // Date.now() counts whole milliseconds.
      expect(Math.min(...began)).toBeGreaterThanOrEqual(releasedMs - 1)
    } finally {
      for (const child of children) child.kill('SIGKILL')
      await barrier.close()
    }
  })
})

/** Answers as k6's REST interface does, with the status given. */
async function withRest(status: number, use: (barrier: Barrier) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    response.statusCode = request.method === 'PATCH' ? status : 200
    response.end('{"errors":[{"title":"no"}]}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const barrier = createBarrier([`127.0.0.1:${(server.address() as AddressInfo).port}`])
  try {
    await use(barrier)
  } finally {
    await barrier.close()
    server.close()
  }
}

describe('the barrier', () => {
  test('names the process that does not come up', async () => {
    const [address = ''] = await freeAddresses(1)
    const barrier = createBarrier([address])
    await expect(barrier.ready(new AbortController().signal, 50)).rejects.toThrow(
      `k6 does not answer at ${address}`,
    )
    await barrier.close()
  })

  test('stops waiting when told to', async () => {
    const barrier = createBarrier(await freeAddresses(1))
    const ended = new AbortController()
    const ready = barrier.ready(ended.signal)
    ended.abort(new Error('k6 ended'))
    await expect(ready).rejects.toThrow('k6 ended')
    await barrier.close()
  })

  test('says what k6 says when it is not released', async () => {
    await withRest(400, async (barrier) => {
      await barrier.ready(new AbortController().signal)
      await expect(barrier.release()).rejects.toThrow(/was not released: .*"no"/)
    })
  })

  test('tells how far apart the releases may lie', async () => {
    await withRest(200, async (barrier) => {
      await barrier.ready(new AbortController().signal)
      const { withinMs } = await barrier.release()
      expect(withinMs).toBeGreaterThan(0)
    })
  })
})
