/** Every command without a scenario gets into a crew that is not ours and not as documented. */
import { describe, expect, test } from 'vitest'
import { pythonOrSkip, startStranger } from '../../support/targets/stranger.ts'
import { newOwner } from './owner.ts'

const python = pythonOrSkip('ways into a crew that is not ours')

const PATHS = { inputs: '/v1/inputs', kickoff: '/v1/start', status: '/{id}/status' }
const MEMBERS = { meta: { tenant: 'a', key: 'sesame-4711' } }
const WAYS = ['--paths', JSON.stringify(PATHS), '--members', JSON.stringify(MEMBERS)]

/** How well a second measures on a busy machine is not asked here. */
const ANY = [0, 3, 4]

const SHORT = ['--connections', '1', '--duration', '1s', '--warm-up', '0', '--max-requests', '400']
const FEW = ['--operations', 'status,inputs', '--max-kickoffs', '1', '--max-requests', '20']

describe.skipIf(python === null).concurrent('behind other paths, with members', () => {
  test.each([
    ['check', ['check'], [0], 1],
    ['saturate inputs', ['saturate', 'inputs', ...SHORT], ANY, 0],
    ['saturate status', ['saturate', 'status', ...SHORT, '--max-kickoffs', '1'], ANY, 1],
    ['saturate kickoff', ['saturate', 'kickoff', ...SHORT, '--max-kickoffs', '20'], ANY, 2],
    ['limits', ['limits', ...FEW], ANY, 1],
  ])('%s', async (_, command, codes, started) => {
    await using crew = await startStranger({ paths: PATHS, members: ['meta'] })
    await using owner = await newOwner('')
    const { code, stdout, stderr } = await owner.ask(
      ...command,
      '--target',
      crew.url,
      '--yes',
      ...WAYS,
    )
    expect([codes, stderr]).toEqual([expect.arrayContaining([code]), expect.any(String)])
    expect(stdout + stderr).not.toContain('sesame-4711')
    expect(await owner.filesWith('sesame-4711')).toEqual([])
    const { requests, executions } = await crew.truth()
    expect(executions.length).toBeGreaterThanOrEqual(started)
    const documented = requests.filter(({ path }) => /^\/(inputs|kickoff|status\b)/.test(path))
    expect(documented).toEqual([])
    expect(requests.filter(({ code: status }) => status < 400).length).toBeGreaterThanOrEqual(2)
  })
})
