/** What `--help` and its relatives tell. */
import { expect, test } from 'vitest'
import { shippedScenarios } from '../../../src/run/scenario/load.ts'
import { cli } from '../../support/cli.ts'

test.each([
  ['run', '--help'],
  ['help', 'run'],
])('%s %s tells of run, with every shipped scenario', async (...args) => {
  const { code, stdout, stderr } = await cli(args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const words = stdout.replaceAll(/\s+/g, ' ')
  const names = (await shippedScenarios()).filter((name) => name !== 'demo')
  for (const name of names) expect(words).toMatch(new RegExp(`shipped name: [^)]*\\b${name}\\b`))
})

test('lists help among the commands', async () => {
  const { stdout } = await cli(['--help'])
  expect(stdout).toContain('help [command]')
})
