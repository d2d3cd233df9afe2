/** Targets that commands start: servers of a few lines, each in processes of its own. */
import { readFile, writeFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { Interrupted } from '../../../../src/run/errors.ts'
import type {
  StartedTarget,
  StartOptions,
} from '../../../../src/study/comparing/gate/conduct/started.ts'
import { startTarget } from '../../../../src/study/comparing/gate/conduct/started.ts'
import { freePort } from '../../../support/targets/loopback.ts'
import { sharedFolder } from '../../../support/shared-folder.ts'

/** Answers with the first status twice, and then with the second; its arguments name them. */
const SERVER = `
const { createServer } = require('node:http')
const [port, first, later, ...manners] = process.argv.slice(2)
let asked = 0
if (manners.includes('deaf')) process.on('SIGTERM', () => {})
createServer((request, response) => {
  const isMoved = manners.includes('moved')
  const isHere = request.url === (isMoved ? '/crew/v1/inputs' : '/crew/inputs')
  const status = isHere && asked++ < 2 ? first : later
  response.statusCode = Number(isMoved && !isHere ? 404 : status)
  response.end('{"inputs":[]}')
}).listen(Number(port), '127.0.0.1', () => console.log('on', port))
if (manners.includes('short')) setTimeout(() => process.exit(3), 700)
`
const LIMITS = { freeMs: 200, startMs: 20_000, stopMs: 10_000 }

const path = sharedFolder()
beforeAll(async () => {
  await writeFile(path('server.cjs'), SERVER)
})

async function freeTarget(): Promise<URL> {
  return new URL(`http://127.0.0.1:${await freePort()}/crew`)
}

function serving(target: URL, ...words: readonly string[]): string {
  const script = path('server.cjs')
  return [`"${process.execPath}"`, `"${script}"`, target.port, ...words].join(' ')
}

async function start(
  target: URL,
  command: string,
  more: Partial<StartOptions> = {},
): Promise<StartedTarget> {
  const signal = new AbortController().signal
  return startTarget({ command, target, log: null, signal, limits: LIMITS, ...more })
}

async function statusOf(target: URL): Promise<number | null> {
  return fetch(`${target.href}/inputs`).then(
    ({ status }) => status,
    () => null,
  )
}

test.each(['404', '503'])('a target is there when it no longer answers %s', async (status) => {
  const target = await freeTarget()
  const log = path(`${status}.log`)
  const started = await start(target, serving(target, status, '401'), { log })
  expect([await statusOf(target), await readFile(log, 'utf8')]).toEqual([
    401,
    `on ${target.port}\n`,
  ])
  await started.stop()
  expect(await statusOf(target)).toBeNull()
})

test('a target is there when it answers behind the paths of the scenario', async () => {
  const target = await freeTarget()
  const paths = { inputs: '/v1/inputs', kickoff: '/kickoff', status: '/status/{id}' }
  const started = await start(target, serving(target, '503', '401', 'moved'), { paths })
  expect(await statusOf(target)).toBe(404)
  await started.stop()
})

test('what the command started in turn ends with it', async () => {
  const target = await freeTarget()
  const started = await start(target, `(${serving(target, '200', '200')}) & wait`)
  await started.stop()
  expect(await statusOf(target)).toBeNull()
})

test('a command that does not end is killed', async () => {
  const target = await freeTarget()
  const command = serving(target, '200', '200', 'deaf')
  const started = await start(target, command, { limits: { ...LIMITS, stopMs: 200 } })
  await started.stop()
  expect(await statusOf(target)).toBeNull()
})

test('a target that brings no answer of a crew in time is ended', async () => {
  const target = await freeTarget()
  const limits = { ...LIMITS, startMs: 1_500 }
  await expect(start(target, serving(target, '404', '404'), { limits })).rejects.toThrow(
    'the command that starts it did not make the target answer with anything but status 404 within 1.5 s',
  )
  expect(await statusOf(target)).toBeNull()
})

test('a target that is there already is not measured in place of the one to start', async () => {
  const target = await freeTarget()
  const started = await start(target, serving(target, '200', '200'))
  await expect(start(target, 'sleep 60')).rejects.toThrow('something answers there already')
  await started.stop()
})

test('waiting for it can be stopped', async () => {
  const target = await freeTarget()
  const stop = new AbortController()
  const starting = start(target, 'sleep 60', { signal: stop.signal })
  setTimeout(() => stop.abort(), 300)
  await expect(starting).rejects.toThrow(Interrupted)
})

test('a command that ends by itself later is told; one that is stopped is not', async () => {
  const target = await freeTarget()
  const troubles: string[] = []
  const told = new Promise<void>((resolve) => {
    const onTrouble = (trouble: string): void => {
      troubles.push(trouble)
      resolve()
    }
    void start(target, serving(target, '200', '200'), { onTrouble })
      .then(async (stopped) => stopped.stop())
      .then(async () => start(target, serving(target, '200', '200', 'short'), { onTrouble }))
  })
  await told
  expect(troubles).toEqual([`the command of ${target.href} ended with exit code 3`])
})
