/**
 * Proves the recipes of CONTRIBUTING.md: in a copy of the tree it makes exactly the edits that they
 * list, compiles, generates, runs the tests concerned, and checks what each addition does. All
 * recipes share one copy, which is compiled once. Exit code 1 when a recipe does not hold.
 */
import { strict as assert } from 'node:assert'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { differences, editsNamed } from './contributing.mjs'
import { arrivals } from './recipes/arrivals.mjs'
import { command } from './recipes/command.mjs'
import { fault } from './recipes/fault.mjs'
import { finding } from './recipes/finding.mjs'
import { limiter } from './recipes/limiter.mjs'
import { option } from './recipes/option.mjs'
import { polling } from './recipes/polling.mjs'
import { recordField } from './recipes/record-field.mjs'
import { requestField } from './recipes/request-field.mjs'
import { rule } from './recipes/rule.mjs'
import { section } from './recipes/section.mjs'
import { study } from './recipes/study.mjs'
import { Tree } from './tree.mjs'

const RECIPES = [
  fault,
  limiter,
  polling,
  arrivals,
  rule,
  section,
  study,
  command,
  option,
  recordField,
  requestField,
  finding,
]

/** Tests of every kind of list, and those to which recipes add. */
const TEST_FILES = [
  'test/architecture.test.ts',
  'test/cli/commands.test.ts',
  'test/crew/contract.test.ts',
  'test/execution/request-log.test.ts',
  'test/fake-crew/faults/http-faults.test.ts',
  'test/fake-crew/model/limits/algorithms.test.ts',
  'test/generated.test.ts',
  'test/result/findings.test.ts',
  'test/scenario/arrivals/process.test.ts',
  'test/scenario/polling.test.ts',
  'test/verdicts/broken.test.ts',
]

/** Tests that every tree must pass. */
const LAWS = [
  'schemas/',
  'docs/',
  'imports go one way',
  'pure rooms',
  'no folder holds more',
  'every relative import',
]

const tree = new Tree()
try {
  await tree.copyFrom(fileURLToPath(new URL('../..', import.meta.url)))
  const contributing = tree.read('CONTRIBUTING.md')
  for (const recipe of RECIPES) holdAgainst(contributing, recipe)
  for (const recipe of RECIPES) apply(recipe)
  await compileAndTest()
  for (const recipe of RECIPES) await prove(recipe)
} catch (error) {
  for (let each = error; each instanceof Error; each = each.cause) say(each.message)
  process.exitCode = 1
} finally {
  tree.remove()
}

/** The files that a person edits, each once, however many lines change. */
function editsOf({ files, lines, written = [] }) {
  return [...new Set([...Object.keys(files), ...lines.map(({ path }) => path), ...written])]
}

/**
 * The lines that an addition takes in the code beside its one file, which is new, or else the first
 * of its list.
 */
function linesElsewhere({ files, lines }) {
  const created = Object.keys(files)
  const own = created.length > 0 ? created : [lines[0].path]
  return lines
    .filter(({ path }) => !path.startsWith('test/') && !own.includes(path))
    .reduce((sum, { text }) => sum + text.trim().split('\n').length, 0)
}

function namedBy(contributing, { headings, name }) {
  return headings.flatMap((heading) => editsNamed(contributing, heading, name))
}

/**
 * The listed files must be those that are edited, a list without one of them must not pass, and an
 * addition takes as many lines elsewhere as its recipe says.
 */
function holdAgainst(contributing, recipe) {
  const { headings, elsewhere } = recipe
  assert.equal(linesElsewhere(recipe), elsewhere, `${headings[0]}: lines beside its one file`)
  const edits = editsOf(recipe)
  const named = namedBy(contributing, recipe)
  assert.deepEqual(differences(named, edits), [], recipe.headings[0])
  for (const path of named) {
    const less = named.filter((other) => other !== path)
    assert.equal(differences(less, edits).length > 0, true, `${recipe.headings[0]} without ${path}`)
  }
}

function apply({ files, lines }) {
  for (const [path, text] of Object.entries(files)) tree.create(path, text)
  for (const line of lines) tree.insert(line)
}

async function compileAndTest() {
  const tsc = 'node_modules/typescript/bin/tsc'
  say('compile')
  await tree.node([tsc])
  await tree.node(['tools/bundle.mjs'])
  await tree.node([tsc, '-p', 'test/tsconfig.json'])
  say('generate')
  const stale = await tree.node(['tools/generate.mjs'])
  assert.equal(stale.includes('docs/reference.md'), true, 'nothing was generated')
  say('test')
  const before = written()
  const titles = [...LAWS, ...RECIPES.flatMap(({ tests }) => tests)]
  const report = join(tree.work, 'tests.json')
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts']
  const told = ['--reporter=default', '--reporter=json', `--outputFile=${report}`]
  await tree.node([...vitest, ...told, '-t', titles.join('|'), ...TEST_FILES], {
    CREWLOAD_SKIP_BUILD: '1',
    CREWLOAD_WRITE_VERDICTS: '1',
  })
  const passed = passedIn(JSON.parse(readFileSync(report, 'utf8')))
  for (const title of titles) {
    assert.equal(
      passed.some((name) => name.includes(title)),
      true,
      `no test "${title}" ran`,
    )
  }
  for (const [path, text] of before) assert.notEqual(tree.read(path), text, `${path} is as before`)
}

function passedIn({ testResults }) {
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed')
    .map(({ fullName }) => fullName)
}

/** The files that a command writes. */
function written() {
  return new Map(
    RECIPES.flatMap(({ written: paths = [] }) => paths).map((path) => [path, tree.read(path)]),
  )
}

async function prove(recipe) {
  const [heading] = recipe.headings
  try {
    await recipe.prove(tree.hands())
  } catch (error) {
    throw new Error(`${heading} does not do what it should`, { cause: error })
  }
  const edits = editsOf(recipe)
  const created = Object.keys(recipe.files).length
  say(`${heading}: ${edits.length} files, ${created} new; lines elsewhere: ${recipe.elsewhere}`)
  for (const path of edits) say(`  ${path}`)
}

function say(line) {
  process.stdout.write(`${line}\n`)
}
