/** The folder of a study read again. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UserError } from '../../../../src/base/mistakes.ts'
import { studyFiles, readStudy } from '../../../../src/study/frame/conduct/study-folder.ts'
import { STUDIES } from '../../../../src/study/list.ts'
import { recovery } from '../../../../src/study/recovery/study.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { disagreeing } from '../../recovery/sample-recoveries.ts'

async function told(text: string): Promise<string> {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'recovery.json'), text)
  try {
    await readStudy(folder.path, STUDIES)
    return ''
  } catch (error) {
    if (error instanceof UserError) return error.message.replaceAll(folder.path, 'FOLDER')
    throw error
  }
}

test('a document with foreign text is read as it was written', async () => {
  await using folder = await temporaryFolder()
  const text = studyFiles(recovery, disagreeing())['recovery.json']!
  await writeFile(join(folder.path, 'recovery.json'), text)
  const stored = await readStudy(folder.path, STUDIES)
  expect(stored?.study.name).toBe('recovery')
  expect(stored?.document).toEqual(JSON.parse(text))
})

test('a folder without a document is no study', async () => {
  await using folder = await temporaryFolder()
  expect(await readStudy(folder.path, STUDIES)).toBeNull()
})

test('what is no document of this version is refused, with place and reason', async () => {
  const document = disagreeing()
  expect(await told('{')).toMatch(
    /^FOLDER\/recovery.json: the file is damaged: it is not JSON \(.*restore it from a copy/,
  )
  expect(await told(JSON.stringify({ ...document, schema: 'crewload/recovery/2' }))).toBe(
    'FOLDER/recovery.json schema: this version of crewload reads crewload/recovery/1: ' +
      'use the version that wrote it (found crewload/recovery/2)',
  )
  expect(await told(JSON.stringify({ ...document, runs: 'many' }))).toMatch(
    /^FOLDER\/recovery.json runs: .*\(found "many"\)$/,
  )
})

test('every study has a name of its own', () => {
  const names = STUDIES.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})
