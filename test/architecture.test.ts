/** The laws of the house hold, and the rules that watch them would notice a breach. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  circleBreaches,
  crowdedFolders,
  danglingImports,
  dialectBreaches,
  digitBreaches,
  longSentences,
  directionBreaches,
  doorBreaches,
  mutualBreaches,
  nameBreaches,
  purityBreaches,
  studyBreaches,
  walkBreaches,
  wideComments,
  wordBreaches,
} from './architecture/rules.ts'
import type { Step } from './architecture/rules.ts'
import { innerBreaches } from './architecture/doors.ts'
import { codeOf, importsOf } from './architecture/source.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

function read(...rooms: string[]): Map<string, string> {
  const files = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${room}/${file.replaceAll('\\', '/')}`),
  )
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
}

const SOURCES: ReadonlyMap<string, string> = read('src', 'fake-crew')
const TOOLS = read('tools/generate')
const TESTS = read('test')

function saying(words: string): Map<string, string> {
  return new Map([['src/cli/planted.ts', `const text = a => ${words}`]])
}

function plant(file: string, text: string): Map<string, string> {
  return new Map(SOURCES).set(file, `${text}\n${SOURCES.get(file) ?? ''}`)
}

/** What of a recipe in `tools/recipes` is looked at here: the files that it adds, with their text. */
interface Recipe {
  files: Record<string, string>
}

describe('the tree keeps the laws', () => {
  const files = SOURCES

  test('there is a tree to look at', () => {
    expect(files.size).toBeGreaterThan(50)
  })

  test('imports go one way', () => {
    expect(directionBreaches(files)).toEqual([])
  })

  test('folders beside each other do not import each other', () => {
    expect(mutualBreaches(files)).toEqual([])
  })

  test('parts of a run do not import each other back', () => {
    expect(circleBreaches(files)).toEqual([])
  })

  test('the name of a type is declared once', () => {
    expect(nameBreaches(files)).toEqual([])
  })

  test('pure rooms reach nothing impure through any chain', () => {
    expect(purityBreaches(files)).toEqual([])
  })

  test('pure rooms name no clock, timer, randomness or process', () => {
    expect(wordBreaches(files)).toEqual([])
  })

  test('texts say who does what, in plain words', () => {
    expect(dialectBreaches(files)).toEqual([])
  })

  test('the digits of a number are chosen in one place', () => {
    expect(digitBreaches(files)).toEqual([])
  })

  test('sentences have at most 20 words', () => {
    expect(longSentences(files)).toEqual([])
  })

  test('no folder holds more files than a reader can look over', () => {
    expect(crowdedFolders(files)).toEqual([])
  })

  test('every study has the same parts, and knows no other study', () => {
    expect(studyBreaches(files)).toEqual([])
  })

  test('files of folders are read through one door', () => {
    expect(doorBreaches(files)).toEqual([])
  })

  test('tests reach a folder through its doors', () => {
    expect(innerBreaches(files, TOOLS, TESTS)).toEqual([])
  })

  test('every relative import names a file', () => {
    expect(danglingImports(files)).toEqual([])
  })

  test('every file that a recipe adds imports files that exist', async () => {
    const added = new Map(files)
    const folder = join(root, 'tools/recipes/recipes')
    for (const name of readdirSync(folder)) {
      const recipes: Record<string, Recipe> = await import(join(folder, name))
      for (const recipe of Object.values(recipes)) {
        for (const [file, text] of Object.entries(recipe.files)) added.set(file, text)
      }
    }
    expect(added.size).toBeGreaterThan(files.size)
    expect(danglingImports(added)).toEqual([])
  })

  test('comments are at most 100 columns wide', () => {
    expect(wideComments(files)).toEqual([])
  })
})

describe('a planted import is caught', () => {
  test.each([
    ['up the house', 'src/crew/planted.ts', '../engine/host.ts'],
    ['up the house, types alone', 'src/base/units.ts', '../scenario/plan.ts'],
    ['to a peer', 'src/report/planted.ts', '../journal/writer.ts'],
    ['from the fake crew into the scenario', 'fake-crew/planted.ts', '../src/scenario/plan.ts'],
    ['from the model into its server', 'fake-crew/model/planted.ts', '../server/server.ts'],
    ['of the model by the engine', 'src/engine/planted.ts', '../../fake-crew/model/crew.ts'],
    ['of what is measured by the statistics', 'src/result/statistics/planted.ts', '../verdict.ts'],
    ['of the server by a host', 'src/host/node/planted.ts', '../../../fake-crew/index.ts'],
  ])('%s', (_, file, specifier) => {
    const breaches = directionBreaches(plant(file, `import type { X } from '${specifier}'`))
    expect(breaches).toEqual([expect.stringMatching(new RegExp(`^${file} imports `))])
  })

  test('the virtual host may import the model, and run the server', () => {
    const files = new Map([
      ['src/host/virtual/world.ts', "import { Crew } from '../../../fake-crew/model/crew.ts'"],
      ['src/run/start.ts', "import { startFakeCrew } from '../../fake-crew/index.ts'"],
    ])
    expect(directionBreaches(files)).toEqual([])
  })
})

test('a planted import back to a folder beside is caught', () => {
  const back = "import type { X } from '../mix/parts.ts'"
  expect(mutualBreaches(plant('src/run/bodies/planted.ts', back))).toEqual([
    'src/run/bodies -> src/run/mix imports back',
  ])
})

test('a planted import back among the parts of a run is caught, through any chain', () => {
  const back = "import type { X } from './mix/parts.ts'"
  expect(circleBreaches(plant('src/run/line-sink.ts', back))).toEqual(
    expect.arrayContaining([
      'src/run/line-sink.ts is imported by what it imports',
      'src/run/mix is imported by what it imports',
    ]),
  )
})

test('a planted name that another type has is caught', () => {
  const breaches = nameBreaches(plant('src/cli/planted.ts', 'interface Plan {}'))
  expect(breaches).toEqual(['Plan is declared again'])
})

test('a folder that grows beyond what a reader can look over is caught', () => {
  const files = new Map(Array.from({ length: 17 }, (_, i) => [`src/engine/part-${i}.ts`, '']))
  expect(crowdedFolders(files)).toEqual(['src/engine holds 17 files, at most 15'])
})

test.each([
  ["import { readFile } from 'node:fs/promises'", 'readFile'],
  ["import { stat, createReadStream as read } from 'node:fs'", 'createReadStream'],
  ["import { open } from 'fs/promises'", 'open'],
  ["import * as fs from 'node:fs'", 'all of fs'],
])('a file that is read beside the door is caught: %s', (text, found) => {
  expect(doorBreaches(plant('src/study/planted.ts', text))).toEqual([
    `src/study/planted.ts reads files with ${found}`,
  ])
})

test('a test that passes a door by is caught, and an exception that nothing needs', () => {
  const inner = 'src/engine/admission.ts'
  const planted = new Map([['test/engine/planted.ts', `import('../../${inner}')`]])
  expect(innerBreaches(SOURCES, TOOLS, new Map([...TESTS, ...planted]))).toEqual([
    `test/engine/planted.ts imports ${inner}, which is no door`,
  ])
  const needless = innerBreaches(SOURCES, TOOLS, new Map())
  expect(needless).not.toEqual([])
  for (const breach of needless) expect(breach).toMatch(/ needs no exception$/)
  const opened = new Map([['tools/generate/planted.ts', `import '../../${inner}'`]])
  expect(innerBreaches(SOURCES, opened, planted)).not.toContain(
    `test/engine/planted.ts imports ${inner}, which is no door`,
  )
})

test('a text that chooses its own digits is caught', () => {
  const planted = plant('src/report/run/report.ts', 'const words = `${ms.toFixed(1)} s`')
  expect(digitBreaches(planted)).toEqual(['src/report/run/report.ts'])
  const numbers = SOURCES.get('src/base/numbers.ts') ?? ''
  expect(digitBreaches(new Map([['src/base/numbers.ts', numbers]]))).toHaveLength(4)
})

test('a comment that is too wide is caught, and code is left to the formatter', () => {
  const wide = 'x'.repeat(100)
  const files = new Map([['src/base/a.ts', `/** ${wide} */\nconst a = '${wide}'\n  // ${wide}`]])
  expect(wideComments(files)).toEqual([
    'src/base/a.ts:1 is 107 wide',
    'src/base/a.ts:3 is 105 wide',
  ])
})

describe('a planted breach of the form of studies is caught', () => {
  test.each([
    [
      'what is no study beside the studies',
      'src/study/trial/trial.ts',
      '',
      'src/study/trial has trial, which is no part of a study',
    ],
    [
      'a part of its own in a study',
      'src/study/recovery/ladder/rung.ts',
      '',
      'src/study/recovery has ladder, which is no part of a study',
    ],
    [
      'a study without a document',
      'src/study/planted/study.ts',
      '',
      'src/study/planted has no document',
    ],
    [
      'a study that imports another one',
      'src/study/recovery/plan/planted.ts',
      "import type { X } from '../../saturation/document.ts'",
      'src/study/recovery/plan/planted.ts imports src/study/saturation/document.ts',
    ],
    [
      'what a family shares that imports one of it',
      'src/study/comparing/planted.ts',
      "import type { X } from './gate/document.ts'",
      'src/study/comparing/planted.ts imports src/study/comparing/gate/document.ts',
    ],
    [
      'a study of a family that imports another of it',
      'src/study/comparing/history/planted.ts',
      "import type { X } from '../gate/document.ts'",
      'src/study/comparing/history/planted.ts imports src/study/comparing/gate/document.ts',
    ],
    [
      'the frame that imports a study',
      'src/study/frame/planted.ts',
      "import type { X } from '../recovery/document.ts'",
      'src/study/frame/planted.ts imports src/study/recovery/document.ts',
    ],
    [
      'the frame that imports the list',
      'src/study/frame/conduct/planted.ts',
      "import { STUDIES } from '../../list.ts'",
      'src/study/frame/conduct/planted.ts imports src/study/list.ts',
    ],
  ])('%s', (_, file, text, breach) => {
    expect(studyBreaches(plant(file, text))).toContain(breach)
  })
})

describe('planted impurity is caught', () => {
  test('a node module, directly', () => {
    const breaches = purityBreaches(plant('src/scenario/planted.ts', "import 'node:fs'"))
    expect(breaches).toEqual(['src/scenario/planted.ts -> node:fs'])
  })

  test('a package with a body, through a chain that begins with a re-export', () => {
    const files = new Map([
      ['src/engine/a.ts', "export { b } from './b.ts'"],
      ['src/engine/b.ts', "const c = await import('../crew/c.ts')"],
      ['src/crew/c.ts', "import { request } from 'undici'"],
    ])
    expect(purityBreaches(files)).toContain(
      'src/engine/a.ts -> src/engine/b.ts -> src/crew/c.ts -> undici',
    )
  })

  test('in what a study concludes, and not in what carries it out', () => {
    const files = new Map([
      ['src/study/recovery/report/report.ts', "import 'node:fs'"],
      ['src/study/recovery/conduct/conduct.ts', "import 'node:fs'"],
    ])
    expect(purityBreaches(files)).toEqual(['src/study/recovery/report/report.ts -> node:fs'])
  })

  test('a type alone is no impurity', () => {
    const files = new Map([
      ['src/crew/a.ts', "import type { Socket } from 'node:net'"],
      ['src/crew/b.ts', "import { type Socket } from 'node:net'"],
    ])
    expect(purityBreaches(files)).toEqual([])
  })

  test.each([
    'Math.random()',
    'Date.now()',
    'performance.now()',
    'process.env',
    'setTimeout(f, 1)',
  ])('the words %s', (words) => {
    const breaches = wordBreaches(new Map([['src/engine/planted.ts', `const x = ${words}`]]))
    expect(breaches).toEqual([expect.stringMatching(/^src\/engine\/planted\.ts says /)])
  })

  test.each(["'what was told'", '`${a} of which b`', "'Ends. Where it begins'"])(
    'a text in a dialect: %s',
    (words) => {
      const files = new Map([['src/cli/planted.ts', `const told = ${words} // told`]])
      expect(dialectBreaches(files)).toHaveLength(1)
    },
  )

  test('a long sentence, in whatever pieces it is written', () => {
    const ten = 'one two three four five six seven eight nine ten'
    expect(longSentences(saying(`'${ten} ' + \`${ten} \${a ? \`\${a}\` : 'b'}\``))).toHaveLength(1)
    expect(longSentences(saying(`'${ten} ' +\n  '${ten}'`))).toEqual([])
    expect(longSentences(saying(`'${ten}. ${ten} ${ten} eleven'`))).toHaveLength(1)
    expect(longSentences(saying(`'${ten}: ${ten} < 5; eleven'`))).toHaveLength(1)
  })

  test('the same words in a comment, a string or a template are only words', () => {
    const text = "// Date.now()\nconst a = 'Math.random'\nconst b = `process.env ${a} Date.now`"
    expect(wordBreaches(new Map([['src/engine/a.ts', text]]))).toEqual([])
  })
})

/** A numbered line of a walk. */
const STEP =
  /^\d+\. (?<back>Back in )?`(?<file>[^`]+)`, `(?<name>[^`]+)`(?:, from `(?<giver>[^`]+)`)?: /gm

describe('the walks of docs/design.md', () => {
  const design = readFileSync(join(root, 'docs/design.md'), 'utf8')
  const [, section = ''] = design.split('## Three walks\n')
  const [walks = ''] = section.split(/^## /m)
  const named = walks
    .split(/^### /m)
    .slice(1)
    .map((text) => {
      const steps = text.matchAll(STEP)
      const [title = ''] = text.split('\n')
      return { title, walk: [...steps].map(({ groups }) => groups as unknown as Step) }
    })

  test.each(named)('$title', ({ walk }) => {
    expect(walkBreaches(SOURCES, walk)).toEqual([])
    const opened = walk.flatMap(({ file, giver = file }) => [file, giver])
    expect(walk.length).toBeGreaterThan(20)
    expect(new Set(opened).size).toBeLessThanOrEqual(25)
  })

  test('there are three, of steps without a gap, and a step that leads astray is caught', () => {
    expect(named).toHaveLength(3)
    expect(walks.match(/^\d+\. /gm)).toHaveLength(named.flatMap(({ walk }) => walk).length)
    const [{ walk }] = named as [(typeof named)[number]]
    const astray = (file: string, name: string, how: Partial<Step> = {}): string[] =>
      walkBreaches(SOURCES, [...walk, { file, name, ...how }])
    const [last = ''] = walk.map(({ file }) => file).slice(-1)
    expect(astray('src/none.ts', 'none')).toEqual(['src/none.ts does not exist'])
    expect(astray('src/cli/main.ts', 'none')).toEqual(['src/cli/main.ts has no none'])
    const pool = 'src/host/node/pool.ts'
    expect(astray(pool, 'LanePool')).toEqual([`${pool} is not reached from ${last}`])
    expect(astray(pool, 'LanePool', { back: 'Back in ' })).toEqual([])
    const run = 'src/run/run.ts'
    const writer = 'src/journal/writer.ts'
    expect(astray(writer, 'openJournal', { giver: run })).toHaveLength(1)
    expect(astray(writer, 'openJournal', { giver: pool })).toHaveLength(1)
  })
})

describe('reading imports', () => {
  test('over several lines, beside a default, and as a side effect', () => {
    const text =
      "import a, {\n  b,\n  type C,\n} from './a.ts'\nimport './b.ts'\nexport * from './c.ts'"
    expect(importsOf(text)).toEqual([
      { specifier: './a.ts', typeOnly: false, lazy: false },
      { specifier: './c.ts', typeOnly: false, lazy: false },
      { specifier: './b.ts', typeOnly: false, lazy: false },
    ])
  })

  test('not in a template, nor behind a comment, a quote in a regular expression or an export', () => {
    const text = [
      'const starter = `',
      "import { x } from 'planted'",
      '${[1].map((n) => { return `${n}` })}',
      "import { y } from 'planted'`",
      "// import 'planted'",
      String.raw`const quote = /['"\/]/.test(starter)`,
      "export const half = 4 / 2 // 'planted'",
      "export type Word = 'planted'",
    ].join('\n')
    expect(importsOf(text)).toEqual([])
  })

  test('code inside a template expression still counts', () => {
    expect(codeOf('`a ${Date.now()} b`')).toContain('Date.now()')
  })
})
