import { expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'

test.each([
  ['resume', ['folder'], '--prometheus', /would be missing/],
  ['gate', ['steady'], '--otlp', /a study makes many runs/],
  ['recovery', ['recovery'], '--otlp-traces', /a study makes many runs/],
  ['limits', [], '--prometheus', /a study makes many runs/],
])('crewload %s refuses metrics of a running run, and says why', async (name, args, flag, why) => {
  for (const value of [[], ['9464']]) {
    const { code, stdout, stderr } = await cli([name, ...args, flag, ...value])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(new RegExp(`^crewload: ${flag}: only allowed with crewload run: `))
    expect(stderr).toMatch(why)
    expect(stderr).not.toContain('null')
  }
})

test('a port that there is not is refused with those that there are', async () => {
  const { code, stderr } = await cli(['run', 'smoke', '--profile', 'fast', '--prometheus', '99999'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('a port from 0 to 65535')])
})
