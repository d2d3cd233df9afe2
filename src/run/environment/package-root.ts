/** Finds the root folder of this package, from its sources and from `dist` alike. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assert } from '../../base/assert.ts'

/** The folder of this package's own package.json, which holds scenarios, profiles and schemas. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    assert(parent !== folder, 'crewload lies outside its package')
    folder = parent
  }
  return folder
}
