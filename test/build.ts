/**
 * Builds `dist` before the tests, so that those that start the built command line never see a stale
 * one.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export default function build(): void {
  if (process.env['CREWLOAD_SKIP_BUILD'] === '1') return
  const root = fileURLToPath(new URL('..', import.meta.url))
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc'], {
    cwd: root,
    stdio: 'inherit',
  })
}
