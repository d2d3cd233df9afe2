/** Bundles a scenario, the engine and the k6 host into one script, which any k6 can run. */
import type { BuildResult, Plugin } from 'esbuild'
import { join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Bundled } from '../../host/k6/script.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { PortablePlan } from '../../scenario/plan-data.ts'
import { needsScenario, portablePlan } from '../../scenario/plan-data.ts'
import { rehearse } from '../../scenario/author/rehearsal.ts'
import { compileMistakes, ownEntry, scenarioFile } from '../scenario/load.ts'
import { packageRoot } from '../environment/package.ts'
import type { Origin } from '../bodies/body.ts'
import { runLine } from '../bodies/body.ts'
import { readFile } from 'node:fs/promises'
import { builtinModules, createRequire } from 'node:module'

export interface K6Bundle {
  /**
   * An ES module. Target, tokens and header values are not in it: `VARIABLES` of the k6 host names
   * the variables that supply them.
   */
  code: string
  /** The source map of the bundle, for mistakes with their places in the source. */
  map: string
}

export interface K6BundleOptions {
  /** What `loadScenario` takes; null when the plan does not come from a file. */
  scenario: string | null
  /** VUs of all processes together; each is an instance of the run. */
  vus: number
  /**
   * Whether the script reports its measurements to k6's outputs, as named metrics. Default: false.
   */
  metrics?: boolean
  /** Built into the script, so the environment need not supply it. Default: none. */
  target?: string | null
}

/**
 * Throws UserError for a scenario that k6 cannot run: one that imports a module of Node, with the
 * place of the import, or one that has functions but no file. The content of the author's file is
 * part of the script, except for comments in functions.
 */
export async function bundleForK6(plan: Plan, options: K6BundleOptions): Promise<K6Bundle> {
  const portable = portablePlan(plan)
  const file = needsScenario(portable) ? await authorsFile(plan, options.scenario) : null
  const resolveDir = join(packageRoot(), 'dist', 'src', 'host', 'k6')
  const { build } = await import('esbuild')
  const result: BuildResult<{ write: false }> = await build({
    stdin: { contents: entry(plan, portable, options, file), resolveDir },
    // esbuild keeps the folder that was current when its service started.
    absWorkingDir: resolve('.'),
    bundle: true,
    write: false,
    outfile: 'crewload.js',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    format: 'esm',
    target: 'es2022',
    // Shorter without being hard to read; each of k6's VUs keeps all of it in memory.
    minifySyntax: true,
    external: ['k6', 'k6/*'],
    sourcemap: 'external',
    legalComments: 'none',
    logLevel: 'silent',
    alias: { crewload: ownEntry() },
    define: file === null ? {} : { 'import.meta.url': JSON.stringify(pathToFileURL(file).href) },
    plugins: [NO_NODE, NO_SPELLING, prepared(packageRoot())],
  }).catch((error: unknown) => {
    throw new UserError(compileMistakes(error, file ?? plan.name), { cause: error })
  })
  const text = (ending: string): string =>
    result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return { code: text('.js'), map: text('.map') }
}

async function authorsFile({ name }: Plan, scenario: string | null): Promise<string> {
  if (scenario !== null) return scenarioFile(scenario)
  const problem =
    'k6 is another process, which takes no functions: ' +
    'put the scenario into a file and give its name'
  throw new UserError({ source: name, problem })
}

/** The parts of the run line that only the instances will know. */
const UNKNOWN: Origin = {
  runId: '',
  engine: 'k6',
  instance: 0,
  instances: 1,
  place: { kind: 'deployment', target: '' },
  anchorUnixMs: 0,
}

/**
 * Data travels as JSON in a string: as an object literal, a key `__proto__` would set the
 * prototype.
 */
function entry(
  plan: Plan,
  portable: PortablePlan,
  { vus, target = null, metrics = false }: K6BundleOptions,
  file: string | null,
): string {
  const { arrivals, http, inputs } = portable
  const blank = Object.fromEntries(Object.keys(http.headers).map((name) => [name, '']))
  const bundled: Bundled = {
    plan: {
      ...portable,
      arrivals: arrivals.kind === 'replay' ? { kind: 'replay', offsetsMicros: [] } : arrivals,
      http: { ...http, headers: blank },
      inputs: { ...inputs, rows: [] },
    },
    line: runLine(plan, UNKNOWN),
    vus,
    rehearsed: rehearse(plan).answered,
    target,
  }
  const offsets = arrivals.kind === 'replay' ? arrivals.offsetsMicros : []
  return [
    `import { k6Script } from './entry.js'`,
    metrics ? `import { k6Metrics } from './metrics-entry.js'` : '',
    file === null ? 'const author = null' : `import author from ${JSON.stringify(file)}`,
    `const script = k6Script(${parse(bundled)}, {`,
    `  rows: () => ${parse(inputs.rows)},`,
    `  offsetsMicros: () => ${parse(offsets)},`,
    `}, author, ${metrics ? 'k6Metrics()' : 'null'})`,
    'export const options = script.options',
    'export default script.iteration',
  ].join('\n')
}

function parse(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`
}

/** esbuild adds the place of the import to the error. */
const NO_NODE: Plugin = {
  name: 'no-node',
  setup: (build) => {
    const names = builtinModules.filter((name) => !name.startsWith('_')).join('|')
    build.onResolve({ filter: new RegExp(`^(node:.*|${names})$`) }, ({ path }) => ({
      errors: [{ text: `${JSON.stringify(path)} is a Node module, which k6 does not have` }],
    }))
  },
}

/**
 * The module suggests names in messages of the command line. k6 does not use it, but every VU would
 * build its table.
 */
const NO_SPELLING: Plugin = {
  name: 'no-spelling',
  setup: (build) => {
    const path = createRequire(import.meta.url).resolve('fastest-levenshtein')
    build.onResolve({ filter: /^fastest-levenshtein$/ }, () => ({ path, sideEffects: false }))
  },
}

/** A comment on lines of its own, as the compiler leaves them. */
const COMMENT = /^ *(?:\/\*[^]*?\*\/|\/\/.*)$/gm

/**
 * Files of crewload itself, in `own`, lose their comments: esbuild keeps those between the members
 * of a class, and each VU would keep them in memory. The numbers of the lines stay.
 *
 * The JavaScript engine of k6 2.2 panics on `field = () => this...` in a class: in code that the
 * author wrote or installed, fields become assignments of the constructor. Files of crewload do
 * without such fields and are not transformed, because private fields would become slow.
 */
function prepared(own: string): Plugin {
  const [source, compiled] = ['src', 'dist'].map((folder) => `${own}${sep}${folder}${sep}`)
  return {
    name: 'prepared',
    setup: (build) => {
      build.onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
        if (path.startsWith(source!)) return undefined
        const text = await readFile(path, 'utf8')
        if (path.startsWith(compiled!)) {
          const contents = text.replace(COMMENT, (comment) => comment.replace(/.+/g, ''))
          return { contents, loader: 'js' }
        }
        if (!/\bclass\b/.test(text)) return undefined
        const { code: contents } = await build.esbuild.transform(text, {
          loader: /\.[cm]?ts$/.test(path) ? 'ts' : 'js',
          sourcefile: path,
          sourcemap: 'inline',
          supported: { 'class-field': false },
        })
        return { contents, loader: 'js' }
      })
    },
  }
}
