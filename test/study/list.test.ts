/** Every study is named where the documents list them. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { LISTED } from '../../src/study/list.ts'

const read = async (name: string): Promise<string> =>
  readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

const formats = await read('file-formats.md')
const design = await read('design.md')

test.each(LISTED.map(({ study: { name } }) => [name]))('%s is in the lists of docs/', (name) => {
  expect(formats).toContain(`\`${name}.json\``)
  expect(formats).toContain(`\`${name}\``)
  expect(design).toContain(`\`${name}\``)
})
