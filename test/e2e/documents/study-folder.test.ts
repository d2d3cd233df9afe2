/** What becomes of a study's folder: rendered again, and gone on with after a cut. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cli, finished, startCli, temporaryFolder } from '../../support/cli.ts'

const PATIENT = { timeout: 20_000 }
const SHORT =
  '--profile metastable --seeds 1 --no-bisect --no-control --for 20s --before 65s --observe 100s ' +
  '--set arrivals.warmUp=10s --set deadline=25s'

test('its reports are written again from its document, with the same verdict', async () => {
  await using folder = await temporaryFolder()
  const storm = ['recovery', 'retry-storm', ...SHORT.split(' '), '--out', folder.path]
  const told = await cli(storm)
  const [name = ''] = await readdir(folder.path)
  const study = join(folder.path, name)
  const files = ['report.html', 'summary.md', 'junit.xml']
  const read = async (): Promise<string[]> =>
    Promise.all(files.map(async (file) => readFile(join(study, file), 'utf8')))
  const before = await read()
  for (const file of files) await rm(join(study, file))
  const again = await cli(['report', study])
  expect([again.code, again.stdout, again.stderr]).toEqual([1, told.stdout, ''])
  expect(await read()).toEqual(before)
})

test('killed between two trials, it goes on with the second', async () => {
  await using folder = await temporaryFolder()
  const args = ['recovery', 'recovery', ...SHORT.split(' '), '--seeds', '2', '--out', folder.path]
  const child = startCli(args)
  const told = finished(child)
  const study = async (): Promise<string> => join(folder.path, (await readdir(folder.path))[0]!)
  const kept = async (): Promise<string> => readFile(join(await study(), 'trials.ndjson'), 'utf8')
  await expect.poll(async () => kept().catch(() => ''), PATIENT).toContain('"seed 42"')
  child.kill('SIGKILL')
  await told
  const cut = await cli(['report', await study()])
  expect([cut.code, cut.stderr]).toEqual([
    2,
    `crewload: ${await study()}: the study was cut before its end; crewload resume ${await study()} runs the missing trials\n`,
  ])
  const resumed = await cli(['resume', await study()])
  expect(resumed.stdout).toMatch(/^RECOVERS /)
  expect([resumed.code, resumed.stderr]).toEqual([
    0,
    expect.stringMatching(/^(trial 2 of 2: seed 43[^\n]*\n)* seed 43 {2}recovers[^\n]*\n$/),
  ])
  const document = JSON.parse(await readFile(join(await study(), 'recovery.json'), 'utf8'))
  expect(document).toMatchObject({ ended: 'complete', runs: 2, command: expect.any(String) })
})

test('Ctrl-C says how to go on', async () => {
  await using folder = await temporaryFolder()
  const args = ['recovery', 'recovery', ...SHORT.split(' '), '--seeds', '20', '--out', folder.path]
  const child = startCli(args)
  const told = finished(child)
  const stderr: string[] = []
  child.stderr!.on('data', (text: string) => stderr.push(text))
  await expect.poll(() => stderr.join(''), PATIENT).toContain(' seed 42')
  child.kill('SIGINT')
  const { code, stderr: all } = await told
  const [name = ''] = await readdir(folder.path)
  expect(code).toBe(130)
  expect(all).toContain(`crewload resume ${join(folder.path, name)} runs the missing trials`)
})

test.each(['resume', 'report'])(
  '%s of what is neither a run nor a study names both',
  async (name) => {
    await using folder = await temporaryFolder()
    const { code, stderr } = await cli([name, folder.path])
    const documents = 'saturation.json, recovery.json, limits.json'
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        `${folder.path}: contains neither a run (executions.ndjson) nor a study (study.json, or one of ${documents}`,
      ),
    ])
    const absent = await cli([name, join(folder.path, 'absent')])
    expect(absent.stderr).toContain('does not exist; expected the folder of a run or of a study')
  },
)

test('a study that left its document alone is not resumed as a run', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'recovery.json'), '{}')
  const { code, stderr } = await cli(['resume', folder.path])
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('contains a study (recovery) without study.json'),
  ])
})
