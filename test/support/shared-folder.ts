/** A folder that all tests of a file use. */
import { join } from 'node:path'
import { beforeAll } from 'vitest'
import { temporaryFolder } from './cli.ts'

/** Paths in a folder that is there before the first test, and gone after the last. */
export function sharedFolder(): (...names: string[]) => string {
  let path = ''
  beforeAll(async () => {
    const folder = await temporaryFolder()
    path = folder.path
    return async () => folder[Symbol.asyncDispose]()
  })
  return (...names) => join(path, ...names)
}
