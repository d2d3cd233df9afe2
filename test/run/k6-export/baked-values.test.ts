/**
 * A script and a manifest carry no value that the scenario read from the environment of whoever
 * made them.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/base/mistakes.ts'
import { exportedScript } from '../../../src/run/k6-export/script-file.ts'
import { temporaryFolder } from '../../support/cli.ts'

const SECRET = 'sk-4711-not-for-everyone'

/** The loader runs the file in this process, whose environment is the real one. */
async function scripted(parts: string, options: { set?: Record<string, string> } = {}) {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'mine.ts')
  await writeFile(
    path,
    `export default { name: 'mine', arrivals: { rate: '1/s', for: '10s' }, ${parts} }`,
  )
  process.env['CREW_TEST_KEY'] = SECRET
  process.env['CREW_TEST_TOPIC'] = 'bees'
  try {
    return await exportedScript(path, options, { vus: 1 })
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  } finally {
    delete process.env['CREW_TEST_KEY']
    delete process.env['CREW_TEST_TOPIC']
  }
}

describe('a script', () => {
  test.each([
    ['an input', 'inputs: { key: process.env.CREW_TEST_KEY }', 'CREW_TEST_KEY'],
    ['part of one', "inputs: { key: 'Bearer ' + process.env['CREW_TEST_KEY'] }", 'CREW_TEST_KEY'],
    ['a short one', 'inputs: [{ topic: process.env.CREW_TEST_TOPIC }]', 'CREW_TEST_TOPIC'],
    ['a tag', "tags: { by: process.env.CREW_TEST_KEY }, inputs: { a: 'b' }", 'CREW_TEST_KEY'],
  ])('that would carry a variable as %s is refused by name', async (_name, parts, variable) => {
    const refused = await scripted(parts)
    expect(refused).toBeInstanceOf(UserError)
    const [mistake] = (refused as UserError).mistakes
    expect(mistake).toMatchObject({ path: `process.env.${variable}` })
    expect(mistake!.problem).toContain(`(globalThis.__ENV ?? process.env).${variable}`)
    expect((refused as UserError).message).not.toContain(SECRET)
  })

  test('may hold a text that is a variable by chance, and one that --set gives', async () => {
    expect(await scripted("inputs: { topic: 'bees' }")).toContain('bees')
    const set = { 'inputs.key': SECRET }
    const kept = await scripted('inputs: { key: process.env.CREW_TEST_KEY }', { set })
    expect(kept).toContain(SECRET)
  })

  test('that reads the variable when it runs holds no value', async () => {
    const parts = 'inputs: () => ({ key: (globalThis.__ENV ?? process.env).CREW_TEST_KEY })'
    const script = await scripted(parts)
    expect(script).toContain('CREW_TEST_KEY')
    expect(script).not.toContain(SECRET)
  })
})
