/** What another version of crewload wrote is refused: the sentence names it, and what to do. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cli, temporaryFolder } from '../../support/cli.ts'

const RUN = ['run', 'smoke', '--profile', 'fast', '--engine', 'virtual', '--quiet']

/** A run folder in which one file follows another schema. */
async function otherRun(out: string, file: string, ours: string, other: string): Promise<string> {
  expect(await cli([...RUN, '--out', out])).toMatchObject({ code: 0 })
  const [name = ''] = await readdir(out)
  const path = join(out, name, file)
  const text = await readFile(path, 'utf8')
  expect(text).toContain(`"schema":"${ours}"`)
  await writeFile(path, text.replace(ours, other))
  return join(out, name)
}

const refusal = (path: string, ours: string, other: string): string =>
  `crewload: ${path} schema: this version of crewload reads ${ours}: ` +
  `use the version that wrote it (found ${other})\n`

test('a journal, by every command that reads one', async () => {
  await using folder = await temporaryFolder()
  const [ours, other] = ['crewload/journal/1', 'crewload/journal/2']
  const run = await otherRun(folder.path, 'executions.ndjson', ours, other)
  const out = join(folder.path, 'out')
  const commands = [
    ['report', 'render', run],
    ['report', 'render', run, '--recover'],
    ['report', 'merge', run, '--out', out],
    ['resume', run],
    ['twin', run, '--reports', out],
    ['polling', run, '--out', out],
    ['limits', '--from', run, '--out', out],
    ['run', 'smoke', '--profile', 'fast', '--engine', 'virtual', '--network', run],
    ['capacity', 'smoke', '--slo', 'execution.p90 < 60s', '--from', run, '--out', out],
  ]
  const told = await Promise.all(
    commands.map(async (words) => {
      const { code, stderr } = await cli(words)
      return { words, code, stderr }
    }),
  )
  const stderr = refusal(join(run, 'executions.ndjson'), ours, other)
  expect(told).toEqual(commands.map((words) => ({ words, code: 2, stderr })))
})

test('a result, by what compares it; rendering the run writes it again', async () => {
  await using folder = await temporaryFolder()
  const [ours, other] = ['crewload/result/2', 'crewload/result/1']
  const run = await otherRun(folder.path, 'result.json', ours, other)
  const told = await cli(['compare', '--out', join(folder.path, 'out'), run, '--', run])
  expect(told).toMatchObject({ code: 2 })
  expect(told.stderr).toContain(refusal(join(run, 'result.json'), ours, other))
  expect(await cli(['report', 'render', run])).toMatchObject({ code: 0 })
  expect(await readFile(join(run, 'result.json'), 'utf8')).toContain(`"schema":"${ours}"`)
})

test('the document of a study', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'recovery.json')
  await writeFile(path, '{"schema":"crewload/recovery/9"}')
  expect(await cli(['report', 'render', folder.path])).toMatchObject({
    code: 2,
    stderr: refusal(path, 'crewload/recovery/2', 'crewload/recovery/9'),
  })
})
