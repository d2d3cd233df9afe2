/** Builds `dist` before the tests, and before each run of a watch: what runs is what is built. */
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { tellSkipped } from './experiments.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

export default function buildBefore(project: TestProject): void {
  tellSkipped()
  build()
  project.onTestsRerun(build)
}

function build(): void {
  if (process.env['CREWLOAD_SKIP_BUILD'] === '1') return
  run('node_modules/typescript/bin/tsc')
  if (!isBundled()) run('tools/bundle.mjs')
}

function run(script: string): void {
  execFileSync(process.execPath, [script], { cwd: ROOT, stdio: 'inherit' })
}

/** What bundles are made of: the compiler writes only what has changed. */
const FILES = ['package.json', 'package-lock.json', 'tools/bundle.mjs']
const FOLDERS = ['dist/src', 'dist/fake-crew', 'src/browser', 'tools/bundle']
const WRITTEN_LAST = 'dist/LICENSES.txt'

function isBundled(): boolean {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
  const bundled = changedMs(WRITTEN_LAST)
  return [...FILES, ...inFolders].every((file) => changedMs(file) <= bundled)
}

/** 0 for what is not there. */
function changedMs(file: string): number {
  return statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
}
