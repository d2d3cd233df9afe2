/** Every command that sends tells its longest time before it starts. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cli, temporaryFolder } from '../../support/cli.ts'

const root = await temporaryFolder()
afterAll(async () => root[Symbol.asyncDispose]())
beforeAll(async () => {
  for (const [name, arrivals] of Object.entries(ARRIVALS)) {
    await writeFile(
      join(root.path, `${name}.json`),
      JSON.stringify({ name, inputs: { topic: 't' }, deadline: '20s', arrivals }),
    )
  }
})

const ARRIVALS = {
  open: { rate: '1/s', for: '1m' },
  counted: { clients: 8, iterations: 50 },
  timed: { clients: 8, for: '1m' },
}
/** Nothing listens there, and a plan asks nobody. */
const TARGET = ['--target', 'http://127.0.0.1:9', '--max-kickoffs', '500', '--dry-run']

test.each([
  ['run open.json', '60.0 s of arrivals, then up to 20.0 s for the last executions'],
  ['run counted.json', 'until the last client ends, at most 140 s'],
  ['run timed.json', '60.0 s of arrivals, then up to 20.0 s for the last executions'],
  ['gate open.json --baseline none', '480 s of arrivals (at most 11 min)'],
  ['gate counted.json --baseline none', ', at most 19 min'],
  ['polling --scenario counted.json', 'until the last client ends, at most 140 s'],
  ['capacity open.json --slo execution.p95<8s', 'at most 24 h 00 min, then up to 20.0 s'],
  ['capacity open.json --slo execution.p95<8s --max-duration 5m', 'at most 300 s, then'],
  ['recovery open.json', '1 run, 450 s of arrivals (at most 470 s in all)'],
  ['recovery open.json --bisect', '1 run, 450 s of arrivals (at most 3 h 58 min in all)'],
  ['saturate inputs', 'about 147 s in all (at most 17 min, where requests hang)'],
  ['limits --operations inputs', 'at most 30 min, then it reports'],
])('%s: %s', async (command, time) => {
  const target = /^limits|inputs$/.test(command) ? TARGET.toSpliced(2, 2) : TARGET
  const { code, stdout, stderr } = await cli([...command.split(' '), ...target], {
    cwd: root.path,
    env: { COLUMNS: '200' },
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(time)
})
