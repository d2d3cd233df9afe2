/** `crewload twin`, as a user types it, and every command that takes a profile, on its twin. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { areExperimentsRun } from '../experiments.ts'
import { cli, temporaryFolder } from '../support/cli.ts'

const CREW = `name: four
inputs: [topic]
tasks:
  - { id: research, agent: Researcher, duration: { gamma: { mean: 10s, cv: 0.4 } } }
  - { id: writing, agent: Writer, duration: 8s, output: 1kB }
capacity: { workers: 4 }
limits:
  rules:
    - { name: polls, operations: [status], tokenBucket: { rate: 20/s, capacity: 40 } }
`
const SCENARIO = `export default {
  name: 'afternoon',
  arrivals: { rate: '12/m', for: '25m', process: 'poisson' },
  inputs: { topic: 'tides' },
  polling: { fixed: '2s' },
  deadline: '30m',
  confirm: 0,
}
`

/** A limit in front of many workers, met by every fourth kickoff. */
const LIMITED = `name: limited
inputs: [topic]
tasks: [{ id: research, agent: Researcher, duration: 5s }]
capacity: { workers: 40 }
limits:
  rules: [{ name: front, operations: [kickoff], tokenBucket: { rate: 12/m, capacity: 4 } }]
`
const HURRIED = SCENARIO.replace("'12/m'", "'16/m'").replace('confirm: 0', 'retry: { kickoff: 0 }')

let place: Awaited<ReturnType<typeof temporaryFolder>>
const at = (name: string): string => join(place.path, name)

beforeAll(async () => {
  place = await temporaryFolder()
  await writeFile(at('crew.yaml'), CREW)
  await writeFile(at('afternoon.mjs'), SCENARIO)
  const crew = ['--profile', './crew.yaml', '--engine', 'virtual', '--out', at('runs')]
  await cli(['run', at('afternoon.mjs'), ...crew], { cwd: place.path })
  const run = join(at('runs'), (await readdir(at('runs')))[0]!)
  const out = ['--out', 'twin.yaml', '--reports', 'reports']
  const here = { env: { COLUMNS: '80' }, cwd: place.path }
  await cli(['twin', run, '--replays', '0', ...out], here)
})
afterAll(async () => place[Symbol.asyncDispose]())

test.runIf(areExperimentsRun)(
  'a limit in front of the crew becomes a rule of the profile, and refuses as many',
  async () => {
    await writeFile(at('limited.yaml'), LIMITED)
    await writeFile(at('hurried.mjs'), HURRIED)
    const here = { cwd: place.path }
    const rejectedOf = async (profile: string): Promise<number> => {
      const where = [
        '--profile',
        profile,
        '--engine',
        'virtual',
        '--out',
        `of-${profile}`,
        '--json',
      ]
      const { stdout } = await cli(['run', './hurried.mjs', ...where], here)
      const { outcomes } = JSON.parse(stdout) as { outcomes: { rejected: number } }
      return outcomes.rejected
    }
    const rejected = await rejectedOf('limited.yaml')
    expect(rejected).toBeGreaterThan(50)
    const [run = ''] = await readdir(at('of-limited.yaml'))
    const out = ['--out', 'limited-twin.yaml', '--reports', 'reports-limited', '--replays', '0']
    const told = await cli(['twin', join('of-limited.yaml', run), ...out], here)
    expect(told.stdout).toContain('limit on kickoff')
    const rule = /limits:\n {2}rules:\n([^]*)/.exec(await readFile(at('limited-twin.yaml'), 'utf8'))
    expect(rule?.[1]).toBe(`    # Token-bucket, probability 1.00, by the study of limits.
    - name: kickoff-limit
      operations: [ kickoff ]
      tokenBucket: { rate: 1/5000ms, capacity: 4 }
      refusal: { status: 429, retryAfter: seconds }
`)
    expect(Math.abs((await rejectedOf('limited-twin.yaml')) - rejected)).toBeLessThanOrEqual(1)
  },
)

describe('the twin is a profile like any other', () => {
  const ROWS: [string, number[], string | null, string[]][] = [
    ['run', [0], 'afternoon.mjs', ['--engine', 'virtual']],
    ['limits', [0, 4], null, ['--sustain', '0s', '--operations', 'status']],
    ['polling', [0], null, ['--executions', '100', '--delay', 'p95 < 5s']],
    [
      'recovery',
      [0, 1, 4],
      'afternoon.mjs',
      ['--seeds', '1', '--no-bisect', '--for', '20s', '--before', '5m', '--observe', '5m'],
    ],
  ]
  /** The others read it by the same function; they are run with the experiments. */
  const rows = ROWS.slice(0, areExperimentsRun ? 4 : 2)
  test.each(rows)('%s takes it', async (command, codes, scenario, args) => {
    const words = scenario === null ? [] : [at(scenario)]
    const twin = ['--profile', at('twin.yaml'), '--out', at(`of-${command}`), '--json']
    const { code, stdout, stderr } = await cli([command, ...words, ...args, ...twin])
    expect([codes.includes(code!), stderr.includes('error')]).toEqual([true, false])
    const document = JSON.parse(stdout) as {
      study?: string
      profile?: string
      run?: { profile: string }
    }
    expect(document.study ?? 'run').toBe(command)
    expect(document.profile ?? document.run!.profile).toContain('twin.yaml')
  })

  test.runIf(areExperimentsRun)('capacity takes it, and finds that of the crew', async () => {
    const slo = ['--slo', 'execution.p95 < 90s', '--within', '10%', '--max-kickoffs', '3000']
    const capacityOf = async (profile: string): Promise<number> => {
      const where = ['--profile', at(profile), '--out', at(`capacity-of-${profile}`), '--json']
      const { code, stdout, stderr } = await cli([
        'capacity',
        at('afternoon.mjs'),
        ...slo,
        ...where,
      ])
      expect([code, stderr.includes('error')]).toEqual([0, false])
      const document = JSON.parse(stdout) as { capacity: { perHour: number } }
      const named = { study: 'capacity', profile: expect.stringContaining(profile) as string }
      expect(document).toMatchObject(named)
      return document.capacity.perHour
    }
    const ofCrew = await capacityOf('crew.yaml')
    expect(Math.abs((await capacityOf('twin.yaml')) / ofCrew - 1)).toBeLessThan(0.1)
  })
})
