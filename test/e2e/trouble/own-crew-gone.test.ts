/**
 * A run that was cut together with the fake crew started for it: nothing is left to follow, and no
 * word advises to.
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from 'crewload/run'
import { expect, test } from 'vitest'
import { cli, temporaryFolder } from '../../support/cli.ts'
import { indexesOf, linesIn } from '../../support/killed-run.ts'

const SCENARIO = `
import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'cut',
  arrivals: { rate: '20/s', for: '1s', warmUp: '500ms' },
  inputs: { topic: 'a', audience: 'b' },
  polling: { fixed: '20ms' },
  thresholds: { 'outcome.completed': '> 50%' },
})
`

/** A whole run, of whose journal nothing is left but that five kickoffs were sent and accepted. */
async function cutRun(out: string): Promise<string> {
  const scenario = join(out, 'cut.ts')
  await writeFile(scenario, SCENARIO)
  const { folder } = await run(scenario, { profile: 'fast', out })
  await rm(join(folder!, 'ledger.ndjson'))
  const lines = await linesIn(folder!)
  const five = new Set(indexesOf(lines, 'accepted').slice(0, 5))
  const kept = lines.filter(
    (line) =>
      line.type === 'run' ||
      ((line.type === 'started' || line.type === 'accepted') && five.has(line.index)),
  )
  const text = kept.map((line) => `${JSON.stringify(line)}\n`).join('')
  await writeFile(join(folder!, 'executions.ndjson'), text)
  return folder!
}

test('gives no advice to resume', async () => {
  await using out = await temporaryFolder()
  const folder = await cutRun(out.path)

  const refused = await cli(['report', 'render', folder])
  expect(refused.stderr).toContain(
    'the run was cut before its end; crewload report render --recover',
  )
  expect(refused.stderr).not.toContain('resume')

  const recovered = await cli(['report', 'render', folder, '--recover'])
  expect(recovered.stderr).toMatch(/^note: \S+ledger\.ndjson: is missing, .*\n$/)
  expect(recovered.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'note: 5 executions in flight when the run was cut: the fake crew of the run ended with ' +
      'it: nothing is left to continue',
  )
  expect(recovered.stdout).not.toContain('resume')
})

test('says of a resumed run what became of its executions, and that they cost nothing', async () => {
  await using out = await temporaryFolder()
  const folder = await cutRun(out.path)
  const { stdout, stderr, code } = await cli(['resume', folder])
  const text = stdout.replaceAll(/\s+/g, ' ')
  expect(stderr).toContain('there is nothing to poll, and what was in flight ends as aborted')
  expect(text).toMatch(
    /the run was cut after .{1,10}, and the fake crew of the run ended with it: 5 executions could not be continued: run again for a verdict/,
  )
  expect(text).toContain('5 warm-up executions, not counted in any metric: 5 aborted')
  expect(text).toContain('not reached 10; after the warm-up, 0 in every other outcome')
  expect(text).not.toMatch(/stopped early|cost|picked up/)
  expect(code).toBe(4)
})
