/** Paths that are written to files. */
import { win32 } from 'node:path'
import { expect, test } from 'vitest'
import { slashed } from '../../../src/run/environment/package.ts'

test('a path of Windows has slashes; elsewhere a backslash is a character of a name', () => {
  const path = win32.relative('C:\\work\\crew', 'C:\\work\\node_modules\\crewload\\schemas')
  expect(slashed(path, win32.sep)).toBe('../node_modules/crewload/schemas')
  expect(slashed('odd\\name/schemas', '/')).toBe('odd\\name/schemas')
})
