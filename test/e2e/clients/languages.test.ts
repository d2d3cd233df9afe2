/** The fixtures for tests in other languages, in a project that has crewload installed. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../support/cli.ts'
import { ROOT } from '../documents/documents.ts'

const CLIENTS = join(ROOT, 'docs/clients')
const IN_CI = process.env['CREWLOAD_CI'] === '1'

/** Where `.ci/run` has Maven put it. */
const JUNIT = join(
  homedir(),
  '.m2/repository/org/junit/platform/junit-platform-console-standalone/1.11.4',
  'junit-platform-console-standalone-1.11.4.jar',
)

function runs(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

const HAS_PYTEST = runs('python3', '-m', 'pytest', '--version')
const HAS_JUNIT = existsSync(JUNIT) && runs('javac', '--version')

function sh(cwd: string, command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', timeout: 170_000 })
}

/** The files of one language, as somebody copies them. */
async function projectOf(language: string) {
  const folder = await temporaryFolder()
  const bin = join(folder.path, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  symlinkSync(ROOT, join(folder.path, 'node_modules/crewload'))
  symlinkSync('../crewload/dist/bin/crewload.js', join(bin, 'crewload'))
  cpSync(join(CLIENTS, language), folder.path, { recursive: true })
  cpSync(join(CLIENTS, 'crew.yaml'), join(folder.path, 'crew.yaml'))
  return folder
}

/** Names of tests, as Python would write them. */
function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) =>
    name.replaceAll(/\W+/g, '_').toLowerCase(),
  )
}

describe('fixtures for other languages', () => {
  test.skipIf(!IN_CI && !HAS_PYTEST)('pytest: the ten tests of the documents', async () => {
    await using folder = await projectOf('python')
    expect(sh(folder.path, 'python3', '-m', 'pytest', '-q')).toMatch(/^10 passed/m)
    const python = readFileSync(join(CLIENTS, 'python/test_client.py'), 'utf8')
    const javascript = readFileSync(join(ROOT, 'docs/your-tests.md'), 'utf8')
    expect(namesIn(python, /^def test_(\w+)/gm)).toEqual(
      namesIn(javascript, /^test\('(.*)', async/gm),
    )
  })

  test.skipIf(!IN_CI && !HAS_PYTEST)('pytest: why the crew did not start', async () => {
    await using folder = await projectOf('python')
    appendFileSync(join(folder.path, 'crew.yaml'), 'stuk: 3\n')
    const { stdout } = spawnSync('python3', ['-m', 'pytest', '-q'], {
      cwd: folder.path,
      encoding: 'utf8',
    })
    expect(stdout).toMatch(/^the fake crew did not start\n-+ Captured.*\n.* stuk: unknown key/m)
  })

  test.skipIf(!IN_CI && !HAS_JUNIT)('JUnit 5', async () => {
    await using folder = await projectOf('java')
    const sources = readdirSync(folder.path).filter((name) => name.endsWith('.java'))
    sh(folder.path, 'javac', '-d', 'classes', '-cp', JUNIT, ...sources)
    const scan = ['execute', '-cp', 'classes', '--scan-classpath', '--details=summary']
    expect(sh(folder.path, 'java', '-jar', JUNIT, ...scan)).toMatch(/^\[ +2 tests successful +\]$/m)
  })

  test('have about 30 lines each', () => {
    for (const file of ['python/conftest.py', 'java/FakeCrew.java']) {
      const lines = readFileSync(join(CLIENTS, file), 'utf8').trimEnd().split('\n')
      expect(lines.length).toBeLessThanOrEqual(35)
    }
  })
})
