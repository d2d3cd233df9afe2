/**
 * Loads a scenario file, by path or shipped name: it is bundled with esbuild, so that TypeScript
 * and `crewload` work in any folder, and then imported.
 */
import { isObject } from '../../crew/json.ts'
import type { BuildFailure, BuildResult } from 'esbuild'
import { readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { authorText } from '../../base/author-text.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError, nearTo } from '../../base/mistakes.ts'
import { endedEarly } from '../environment/shortages.ts'
import { packageRoot } from '../environment/package.ts'
import { temporaryFolder } from '../folder/temporary.ts'
import { listed } from '../../base/text.ts'

const ENDINGS = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json']

export interface LoadedScenario {
  /** The default export of the file as it is; `planScenario` checks it. */
  scenario: unknown
  /** The path as given, or the shipped name, for messages. */
  source: string
  /** The folder to which files named by the scenario are relative. */
  folder: string
  /** The file and what it imports as one module; null without a file. */
  code: string | null
}

/** What was given in code is as good as loaded. */
export async function loaded(scenario: unknown): Promise<LoadedScenario> {
  if (typeof scenario === 'string') return loadScenario(scenario)
  return { scenario, source: 'scenario', folder: '.', code: null }
}

/**
 * `reference` is a shipped name (`steady`) or the path of a .ts, .mts, .js, .mjs, .cjs or .json
 * file; a shipped name takes precedence over a file. Throws UserError, with file, line and column
 * where they are known, when there is no such file, or it does not compile, throws, or has no
 * default export.
 */
export async function loadScenario(reference: string): Promise<LoadedScenario> {
  const file = await scenarioFile(reference)
  const text = authorText(await readFile(file), display(file))
  const bundle = await bundled(file, text)
  const { default: scenario } = await imported(bundle, file)
  if (scenario === undefined) {
    const problem = 'no default export: write "export default defineScenario({ ... })"'
    throw new UserError({ source: reference, problem })
  }
  const complete = withOrigins(scenario, originsOf(bundle.map, file))
  return { scenario: complete, source: reference, folder: dirname(file), code: bundle.code }
}

/** Names of the scenarios that come with the package. */
export async function shippedScenarios(): Promise<string[]> {
  const files = await readdir(shippedFolder())
  return files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => basename(file, '.ts'))
    .sort()
}

/** The file of a shipped name or path. Throws UserError when there is none. */
export async function scenarioFile(reference: string): Promise<string> {
  const names = await shippedScenarios()
  if (names.includes(reference)) return join(shippedFolder(), `${reference}.ts`)
  const file = resolve(reference)
  const found = await stat(file).catch(() => null)
  if (found?.isFile() === true) return ofKnownKind(file, reference)
  if (found?.isDirectory() === true) throw notAFile(reference)
  const problem = `no such file, and no shipped scenario of this name (${names.join(', ')})`
  const hint = /^[\w-]+$/.test(reference) ? nearTo(reference, names) : {}
  throw new UserError({ source: reference, problem, ...hint })
}

function ofKnownKind(file: string, reference: string): string {
  const ending = extname(file)
  if (ENDINGS.includes(ending)) return file
  const isProfile = ending === '.yaml' || ending === '.yml'
  const meant = isProfile ? '; a profile of a fake crew is given with --profile' : ''
  const problem = `expected a scenario, which is a ${listed(ENDINGS, 'or')} file${meant}`
  throw new UserError({ source: reference, problem })
}

function notAFile(reference: string): UserError {
  const problem = 'is a folder; expected the file of a scenario, such as crewload.scenario.ts'
  return new UserError({ source: reference, problem })
}

function shippedFolder(): string {
  return join(packageRoot(), 'scenarios')
}

interface Bundle {
  code: string
  /** The source map. */
  map: string
}

/**
 * Packages that the file imports are bundled too: the bundle runs in a folder without packages.
 * esbuild follows links and goes by the name behind them, but what is named .json is no program.
 */
async function bundled(file: string, contents: string): Promise<Bundle> {
  const { build } = await import('esbuild')
  const url = JSON.stringify(pathToFileURL(file).href)
  const result: BuildResult<{ write: false }> = await build({
    ...(extname(file) === '.json'
      ? { stdin: { contents, loader: 'json', sourcefile: display(file) } }
      : { entryPoints: [file] }),
    // esbuild keeps the working directory from the start of its service.
    absWorkingDir: resolve('.'),
    bundle: true,
    write: false,
    outfile: `${file}.bundle.mjs`,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'external',
    logLevel: 'silent',
    alias: { crewload: ownEntry() },
    define: { 'import.meta.url': url },
    banner: { js: REQUIRE_FOR_COMMONJS.replace('URL', url) },
  }).catch((error: unknown) => {
    throw new UserError(compileMistakes(error, file), { cause: error })
  })
  const text = (ending: string): string =>
    result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return { code: text('.mjs'), map: text('.map') }
}

/**
 * CommonJS packages call `require` for Node's own modules, but an ES module has no `require`. This
 * is one line, which the source map counts.
 */
const REQUIRE_FOR_COMMONJS =
  "import { createRequire as createRequire_ } from 'node:module'; " +
  'const require = createRequire_(URL);'

/** The path of `crewload` itself, as scenarios import it. */
export function ownEntry(): string {
  return join(packageRoot(), 'dist', 'src', 'index.js')
}

/** esbuild's words for the end of its own process, which says nothing about the scenario. */
const SERVICE_ENDED = /service (?:was stopped|is no longer running)/i

/** Turns esbuild's errors into mistakes with their places in the author's files. */
export function compileMistakes(error: unknown, file: string): Mistake[] {
  const { errors = [], message = '' } = error as Partial<BuildFailure>
  if (SERVICE_ENDED.test(message)) {
    return [{ source: 'esbuild', problem: endedEarly('compiles scenarios', message) }]
  }
  if (errors.length === 0) return [{ source: display(file), problem: String(error) }]
  return errors.map(({ text, location }) => {
    if (location === null) return { source: display(file), problem: text }
    const { line, column, file: source } = location
    return { source, line, column: column + 1, problem: text }
  })
}

async function imported({ code, map }: Bundle, file: string): Promise<{ default?: unknown }> {
  const folder = await temporaryFolder('scenario')
  const path = join(folder.path, 'scenario.mjs')
  try {
    await writeFile(path, code)
    return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as { default?: unknown }
  } catch (error) {
    throw new UserError(thrownMistake(error, map, file), { cause: error })
  } finally {
    await folder.remove()
  }
}

/**
 * The mistake for an exception while the file ran: the first stack frame in the bundle, mapped to
 * the source.
 */
function thrownMistake(error: unknown, map: string, file: string): Mistake {
  const problem = `it threw ${String(error)}`
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const [, line, column] = /scenario\.mjs:(\d+):(\d+)/.exec(stack) ?? []
  const origin = line === undefined ? null : originsOf(map, file)(Number(line), Number(column))
  return { ...(origin ?? { source: display(file) }), problem }
}

/** Maps a place of the bundle to the author's files; null for a place that none of them has. */
function originsOf(map: string, file: string): Origins {
  let origins: SourceMap | null = null
  return (line, column) => {
    origins ??= new SourceMap(JSON.parse(map))
    const origin = origins.findEntry(line - 1, column - 1)
    if (!('originalSource' in origin)) return null
    return {
      source: display(resolve(dirname(file), origin.originalSource)),
      line: origin.originalLine + 1,
      column: origin.originalColumn + 1,
    }
  }
}

function display(file: string): string {
  const short = relative('.', file)
  return short.startsWith('..') ? file : short
}

/**
 * Maps a place in the bundle to the author's; null when there is none. Lines and columns count from
 * 1.
 */
type Origins = (
  line: number,
  column: number,
) => { source: string; line: number; column: number } | null

/** The exported scenario with its functions wrapped. */
function withOrigins(scenario: unknown, origins: Origins): unknown {
  if (!isObject(scenario)) return scenario
  const wrapped = (key: string): Record<string, unknown> =>
    key in scenario ? { [key]: withOrigin(scenario[key], origins) } : {}
  const { checks } = scenario
  return {
    ...scenario,
    ...wrapped('inputs'),
    ...wrapped('tags'),
    ...(isObject(checks)
      ? {
          checks: Object.fromEntries(
            Object.entries(checks).map(([name, check]) => [name, withOrigin(check, origins)]),
          ),
        }
      : {}),
  }
}

function withOrigin(value: unknown, origins: Origins): unknown {
  if (typeof value !== 'function') return value
  return function called(this: unknown, ...args: unknown[]): unknown {
    try {
      return Reflect.apply(value, this, args)
    } catch (error) {
      relocate(error, origins)
      throw error
    }
  }
}

const PLACE = /(?<![^\s()])(?:file:\/\/)?[^\s()]*scenario\.mjs:(\d+):(\d+)/g

function relocate(error: unknown, origins: Origins): void {
  if (!(error instanceof Error) || error.stack === undefined) return
  const stack = error.stack.replaceAll(PLACE, (place, line: string, column: string) => {
    const origin = origins(Number(line), Number(column))
    return origin === null ? place : `${origin.source}:${origin.line}:${origin.column}`
  })
  // A frozen error keeps its stack.
  Reflect.set(error, 'stack', stack)
}
