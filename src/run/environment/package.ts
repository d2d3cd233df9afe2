/** This package: its root folder, its version, and how a path to it is written. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
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

/** The path as every system reads it, for a file or a command that may be used on another one. */
export function slashed(path: string, separator = sep): string {
  return path.replaceAll(separator, '/')
}

/** A script for browsers, as the build made it of `src/browser`. */
export function browserScript(name: 'report' | 'lab' | 'lab-worker' | 'ui'): string {
  return readFileSync(join(packageRoot(), 'dist', 'browser', `${name}.js`), 'utf8')
}

let known: string | null = null

export function version(): string {
  known ??= readVersion()
  return known
}

function readVersion(): string {
  const text = readFileSync(join(packageRoot(), 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
