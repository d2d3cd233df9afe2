/** What `crewload resume` passes on to the study that it continues. */
import { expect, test } from 'vitest'
import { version } from '../../src/run/environment/package.ts'
import { fingerprintOf } from '../../src/study/frame/conduct/conducting.ts'
import { writeStudyRecipe } from '../../src/study/frame/conduct/recipe.ts'
import { cli, temporaryFolder } from '../support/cli.ts'

async function resumed(...flags: string[]): Promise<{ code: number | null; stderr: string }> {
  return resumedWith({}, ...flags)
}

async function resumedWith(
  more: object,
  ...flags: string[]
): Promise<{ code: number | null; stderr: string }> {
  await using folder = await temporaryFolder()
  const run = { target: 'https://crew.invalid', headers: { 'x-team': '***' } }
  await writeStudyRecipe(folder.path, {
    schema: 'crewload/study/1',
    study: 'saturation',
    crewload: version(),
    id: '1a2b3c4d',
    startedAt: '2026-11-21T08:15:00.000Z',
    asked: { options: { endpoint: 'inputs', maxRequests: 50, run, ...more }, from: folder.path },
    fingerprint: fingerprintOf(null, undefined),
    command: null,
  })
  return await cli(['resume', folder.path, ...flags], { env: { CREWLOAD_TOKEN: 'sesame' } })
}

test('a study at a deployment goes on only with a yes', async () => {
  const { code, stderr } = await resumed('--header', 'x-team: blue')
  expect(code).toBe(2)
  expect(stderr).toContain('target')
  expect(stderr).toContain('https://crew.invalid')
  expect(stderr).toContain('not interactive: pass --yes to confirm')
})

test('headers whose values are not stored have to be given again', async () => {
  const { code, stderr } = await resumed('--yes')
  expect([code, stderr]).toEqual([2, expect.stringContaining("give --header 'x-team: ...'")])
})

test('with them, it is sent to its target', async () => {
  const { code, stderr } = await resumed('--header', 'x-team: blue', '--yes')
  expect([code, stderr]).toEqual([5, expect.stringContaining('crew.invalid')])
})

test('what its kickoffs carry has to be given again, and nothing else', async () => {
  const carried = { inputs: '***', members: '***' }
  const kept = { endpoint: 'kickoff', maxKickoffs: 50, ...carried }
  const given = ['--header', 'x-team: blue', '--yes', '--inputs', '{"topic":"ants"}']
  const lacking = await resumedWith(kept, ...given)
  expect([lacking.code, lacking.stderr]).toEqual([2, expect.stringContaining('give --members ...')])
  const { code, stderr } = await resumedWith(kept, ...given, '--members', '{"meta":"a"}')
  expect([code, stderr]).toEqual([5, expect.stringContaining('crew.invalid')])
  const stranger = await resumed(...given)
  expect(stranger.stderr).toContain('--inputs: is not among the options of')
  const changed = await resumed('--header', 'x-team: blue', '--set', 'inputs.topic=ants')
  expect(changed.stderr).toContain('--set: does not apply to this kind of study')
})
