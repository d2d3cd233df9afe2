/** Builds `dist` before the tests, and before each run of a watch: what runs is what is built. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { tellSkipped } from './experiments.ts'

export default function buildBefore(project: TestProject): void {
  tellSkipped()
  build()
  project.onTestsRerun(build)
}

function build(): void {
  if (process.env['CREWLOAD_SKIP_BUILD'] === '1') return
  const root = fileURLToPath(new URL('..', import.meta.url))
  for (const step of ['node_modules/typescript/bin/tsc', 'tools/bundle.mjs']) {
    execFileSync(process.execPath, [step], { cwd: root, stdio: 'inherit' })
  }
}
