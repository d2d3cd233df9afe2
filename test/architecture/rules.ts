/**
 * Which folder may import which, and which stay pure, as functions over a map from file names to
 * their text.
 */
import { dirname, join } from 'node:path/posix'
import { transformSync } from 'esbuild'
import { DIALECT } from '../support/page-faults.ts'
import { codeOf, importsOf, wordsOf } from './source.ts'

/** Repository-relative path with forward slashes -> source text. */
export type FileMap = ReadonlyMap<string, string>

/** One sentence a breach, naming the file and, for chains, every step of it. */
export type Breach = string

/** From the ground up; rooms of one level are peers and do not import each other. */
const LEVELS: readonly (readonly string[])[] = [
  ['base'],
  ['crew'],
  ['scenario'],
  ['execution'],
  ['engine'],
  ['result'],
  ['host', 'journal', 'report'],
  ['run'],
  ['study'],
  ['ui'],
  ['browser'],
  ['cli'],
]

const FAKE_CREW_MAY_IMPORT = new Set(['base', 'crew', 'fake-crew', 'fake-crew/model'])
const MODEL_MAY_IMPORT = new Set(['base', 'crew', 'fake-crew/model'])
const MAY_IMPORT_MODEL = new Set(['fake-crew', 'fake-crew/model', 'host/virtual'])
const MAY_IMPORT_FAKE_CREW = new Set(['fake-crew', 'run', 'study', 'ui', 'cli'])

const PURE_ROOMS = new Set([
  'base',
  'crew',
  'scenario',
  'execution',
  'engine',
  'result',
  'report',
  'host/virtual',
  'fake-crew/model',
])

/** Mathematics: it knows nothing of what is measured. */
const STATISTICS = 'src/result/statistics/'

/** The package's front door stands on the ground floor and opens onto the rooms above. */
const PUBLIC_ENTRIES = new Set(['src/index.ts'])

const PURE_PACKAGES = new Set([
  'd3-scale',
  'd3-shape',
  'fastest-levenshtein',
  'hdr-histogram-js',
  'hdr-histogram-js/dist/JsHistogram.encoding.js',
  'yaml',
  'zod',
])

const IMPURE_WORDS = [
  /\bMath\.random\b/,
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bperformance\.\w/,
  /(?<![.\w])process\.(env|argv|exit|pid|cwd|std|hrtime|memoryUsage|cpuUsage|uptime|on|nextTick|kill|version|platform)/,
  /(?<![.\w])(setTimeout|setInterval|setImmediate|queueMicrotask)\(/,
  /(?<![.\w])Buffer\.\w/,
  /(?<![.\w])crypto\.\w/,
]

/**
 * `src/host/node/index.ts` -> `host`; `src/base/units.ts` -> `base`; the two rooms with laws of
 * their own keep their names.
 */
function roomOf(file: string): string {
  if (file.startsWith('fake-crew/model/')) return 'fake-crew/model'
  if (file.startsWith('fake-crew/')) return 'fake-crew'
  if (file.startsWith('src/host/virtual/')) return 'host/virtual'
  const [, room, ...rest] = file.split('/')
  return rest.length === 0 || room === undefined ? 'base' : room
}

/** Every import, whether types alone or not, goes down: never up, never to a peer. */
export function directionBreaches(files: FileMap): Breach[] {
  return [...files].flatMap(([file, text]) =>
    importsOf(text)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => join(dirname(file), specifier))
      .filter((imported) => !mayImport(file, imported))
      .map((imported) => `${file} imports ${imported}`),
  )
}

function mayImport(file: string, imported: string): boolean {
  if (PUBLIC_ENTRIES.has(file)) return true
  if (file.startsWith(STATISTICS)) {
    return imported.startsWith(STATISTICS) || imported === 'src/base/assert.ts'
  }
  const from = roomOf(file)
  const to = roomOf(imported)
  if (from === to) return true
  if (from === 'fake-crew') return FAKE_CREW_MAY_IMPORT.has(to)
  if (from === 'fake-crew/model') return MODEL_MAY_IMPORT.has(to)
  if (to === 'fake-crew/model') return MAY_IMPORT_MODEL.has(from)
  if (to === 'fake-crew') return MAY_IMPORT_FAKE_CREW.has(from)
  if (outerRoom(from) === outerRoom(to)) return true
  return levelOf(to) < levelOf(from)
}

/** Of two folders beside each other in a room, one imports the other, and is not imported by it. */
export function mutualBreaches(files: FileMap): Breach[] {
  const arrows = new Set([...files].flatMap(([file, text]) => arrowsOf(file, text)))
  return [...arrows]
    .filter((arrow) => {
      const [from = '', to = ''] = arrow.split(' -> ')
      return from < to && arrows.has(`${to} -> ${from}`)
    })
    .map((pair) => `${pair} imports back`)
}

/** From the folder of a file to each that is neither around nor within it, in the same room. */
function arrowsOf(file: string, text: string): string[] {
  const from = dirname(file)
  return importsOf(text)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => dirname(join(from, specifier)))
    .filter((to) => !`${to}/`.startsWith(`${from}/`) && !`${from}/`.startsWith(`${to}/`))
    .filter((to) => outerRoom(roomOf(`${to}/file`)) === outerRoom(roomOf(file)))
    .map((to) => `${from} -> ${to}`)
}

/** The parts of `src/run`, its folders and the files beside them, do not import each other back. */
export function circleBreaches(files: FileMap): Breach[] {
  const imports = new Map<string, Set<string>>()
  for (const [file, text] of files) {
    if (!file.startsWith(RUN)) continue
    const found = imports.get(partOf(file)) ?? new Set<string>()
    imports.set(partOf(file), found)
    for (const { specifier } of importsOf(text)) {
      const to = join(dirname(file), specifier)
      if (to.startsWith(RUN) && partOf(to) !== partOf(file)) found.add(partOf(to))
    }
  }
  const reached = (from: string): Set<string> => {
    const found = new Set(imports.get(from))
    for (const each of found) for (const next of imports.get(each) ?? []) found.add(next)
    return found
  }
  return [...imports.keys()]
    .filter((part) => reached(part).has(part))
    .map((part) => `${RUN}${part} is imported by what it imports`)
}

const RUN = 'src/run/'

function partOf(file: string): string {
  return file.slice(RUN.length).split('/')[0] ?? ''
}

const DECLARATION = /^(?:export )?(?:interface|type|class) ([A-Z]\w*)/gm

/** A type has a name of its own, wherever it is declared. */
export function nameBreaches(files: FileMap): Breach[] {
  const [once, again] = [new Set<string>(), new Set<string>()]
  for (const text of files.values()) {
    for (const [, name = ''] of codeOf(text).matchAll(DECLARATION)) {
      if (once.has(name)) again.add(name)
      once.add(name)
    }
  }
  return [...again].map((name) => `${name} is declared again`)
}

function outerRoom(room: string): string {
  return room.split('/')[0] ?? room
}

function levelOf(room: string): number {
  const level = LEVELS.findIndex((rooms) => rooms.includes(outerRoom(room)))
  if (level === -1) throw new Error(`no level is set for this folder: ${room}`)
  return level
}

/**
 * No pure room reaches Node or an impure package through any chain of imports that exist at run
 * time.
 */
export function purityBreaches(files: FileMap): Breach[] {
  return [...files.keys()]
    .filter(isPure)
    .flatMap((file) => impureChain(file, files, new Set()) ?? [])
}

/**
 * The first chain to something impure, or undefined. Type-only imports are erased and do not count.
 */
function impureChain(file: string, files: FileMap, seen: Set<string>): string | undefined {
  seen.add(file)
  for (const { specifier, typeOnly } of importsOf(files.get(file) ?? '')) {
    if (typeOnly) continue
    if (!specifier.startsWith('.')) {
      if (!PURE_PACKAGES.has(specifier)) return `${file} -> ${specifier}`
      continue
    }
    const next = join(dirname(file), specifier)
    const chain = seen.has(next) ? undefined : impureChain(next, files, seen)
    if (chain !== undefined) return `${file} -> ${chain}`
  }
  return undefined
}

/** No file of a pure room names a clock, a timer, randomness or the process. */
export function wordBreaches(files: FileMap): Breach[] {
  return [...files]
    .filter(([file]) => isPure(file))
    .flatMap(([file, text]) => {
      const code = codeOf(text)
      return IMPURE_WORDS.flatMap((word) => {
        const found = word.exec(code)
        return found === null ? [] : [`${file} says ${found[0]}`]
      })
    })
}

/** What a user reads is in plain words; a string without a space is a name. */
export function dialectBreaches(files: FileMap): Breach[] {
  return [...files].flatMap(([file, text]) =>
    wordsOf(text)
      .filter((words) => words.includes(' ') && DIALECT.test(words))
      .map((words) => `${file} says ${words}`),
  )
}

const MOST_WORDS = 20
/** Pages, scripts, style sheets, and the loops that `polling` writes. */
const NO_SENTENCE = /[{}]|=>|<[/!\w]+[\s>]|^def [^]*=/
/** What a user reads is short, up to its full stop. */
export function longSentences(files: FileMap): Breach[] {
  return [...files]
    .filter(([file]) => file.endsWith('.ts'))
    .flatMap(([file, text]) =>
      wordsOf(joined(text))
        .filter((words) => !NO_SENTENCE.test(words))
        .flatMap((words) => words.split(/(?<=[.?!])\s+|\n\s+/))
        .filter((sentence) => (sentence.match(/\S*[\w…]\S*/g)?.length ?? 0) > MOST_WORDS)
        .map((sentence) => `${file} says ${sentence}`),
    )
}

/** Texts that are added, and a text that stands in a template. */
const SUM = /['"`]\s*\+|\+\s*['"`]|\$\{\s*['"`]/

/** With each sum of texts as one text. */
function joined(text: string): string {
  if (!SUM.test(text)) return text
  return transformSync(text, {
    loader: 'ts',
    minifySyntax: true,
    target: 'esnext',
    charset: 'utf8',
  }).code
}

/** A step of a walk: a file, and what to look for in it. */
export interface Step {
  file: string
  name: string
  /** The way returns to a caller. */
  back?: string | undefined
  /** Which file has given the former step a function of this one. */
  giver?: string | undefined
}

/** Each file is there, says the name, and is reached from the step before it. */
export function walkBreaches(files: FileMap, walk: readonly Step[]): Breach[] {
  const imports = (file: string): string[] => valueImports(file, files)
  return walk.flatMap((step, at) => {
    const { file, name } = step
    if (!files.has(file)) return [`${file} does not exist`]
    const words = codeOf(files.get(file) ?? '').split(/[^\w#$]+/)
    if (!words.includes(name)) return [`${file} has no ${name}`]
    const former = walk[at - 1]
    if (former === undefined || isReached(step, former, imports)) return []
    return [`${file} is not reached from ${former.file}`]
  })
}

/**
 * A step is reached by a call, for which its file is imported with a value; by a return, to a file
 * from which the former one is reached; or by a function that a third file, from which both are
 * reached, has given the former one.
 */
function isReached(
  { file, back, giver }: Step,
  former: Step,
  imports: (file: string) => string[],
): boolean {
  const leads = (from: string, to: string): boolean => chained(from, imports).has(to)
  if (giver !== undefined) {
    const isDirect = [file, former.file].some((each) => imports(giver).includes(each))
    return isDirect && leads(giver, file) && leads(giver, former.file)
  }
  if (back !== undefined) return leads(file, former.file)
  return file === former.file || imports(former.file).includes(file)
}

/** What a file reaches at run time, at once or later. */
function chained(from: string, imports: (file: string) => string[]): ReadonlySet<string> {
  const found = new Set([from])
  for (const file of found) for (const each of imports(file)) found.add(each)
  return found
}

function valueImports(file: string, files: FileMap): string[] {
  return importsOf(files.get(file) ?? '')
    .filter(({ typeOnly }) => !typeOnly)
    .map(({ specifier }) => join(dirname(file), specifier))
}

/** A relative import that names no file would silently end a chain. */
export function danglingImports(files: FileMap): Breach[] {
  return [...files].flatMap(([file, text]) =>
    importsOf(text)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => join(dirname(file), specifier))
      .filter((imported) => !files.has(imported) && !imported.endsWith('.json'))
      .map((imported) => `${file} imports ${imported}, which does not exist`),
  )
}

/** A comment is text: oxfmt does not wrap it. Directives for tools have to stay on one line. */
export function wideComments(files: FileMap): Breach[] {
  return [...files].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, at) => {
      const isComment = /^\s*(?:\/\/(?! oxlint)|\/\*|\*)/.test(line)
      return isComment && line.length > WIDEST ? [`${file}:${at + 1} is ${line.length} wide`] : []
    }),
  )
}

const WIDEST = 100

/** One number has one text: digits are chosen in `base/numbers`. */
export function digitBreaches(files: FileMap): Breach[] {
  const found = [...files].filter(([, text]) => /\.to(?:Fixed|Precision)\(/.test(text))
  const choosing = found.map(([file]) => file).filter((file) => file !== DIGITS)
  const unneeded = Object.keys(OTHER_DIGITS).filter((file) => !choosing.includes(file))
  return [
    ...choosing.filter((file) => !(file in OTHER_DIGITS)),
    ...unneeded.map((file) => `${file} needs no exception`),
  ]
}

const DIGITS = 'src/base/numbers.ts'
/** What these write is no text of a report. */
const OTHER_DIGITS: Readonly<Record<string, string>> = {
  'fake-crew/assertions/index.ts': 'a column of times, as wide in every line',
  'fake-crew/model/limits/headers.ts': 'a header field',
  'src/report/frame/render/junit.ts': 'the seconds of JUnit',
  'src/result/counting/histogram.ts': 'the log format of HdrHistogram',
}

function isPure(file: string): boolean {
  return PURE_ROOMS.has(roomOf(file)) || isPureInStudy(file)
}

/** What opens files to read them. */
const READS = /\b(?:readFile|readFileSync|createReadStream|open|openSync)\b/
/** `import { readFile as r } from 'node:fs/promises'`, and the whole module under a name. */
const FS_IMPORT = /import\s+(?!type\b)([^;'"]*?)\s+from\s+['"](?:node:)?fs(?:\/promises)?['"]/g
const THE_DOOR = 'src/journal/file/regular.ts'
/** Those that open files which are in no folder of a run, or which they write themselves. */
const OTHER_READERS: Readonly<Record<string, string>> = {
  'fake-crew/profiles.ts': 'profiles',
  'src/cli/commands/init.ts': 'the starters and the manifest of this package',
  'src/cli/commands/schema.ts': 'the schemas of this package',
  'src/cli/io/signals.ts': 'how the process was started',
  'src/cli/flags/reach.ts': 'certificates, and tokens, which may come through a pipe',
  'src/journal/line-tail.ts': 'what k6 is writing for us',
  'src/journal/writer.ts': 'the journal that it writes',
  'src/run/environment/package.ts': 'the manifest of this package',
  'src/run/folder/artefacts.ts': 'the names that it wrote',
  'src/run/folder/lock.ts': 'processes',
  'src/run/k6/bundle.ts': 'modules',
  'src/run/k6-export/manifest.ts': 'the version of k6',
  'src/run/k6/process.ts': 'what k6 says',
  'src/run/scenario/load.ts': 'scenarios',
  'src/run/scenario/files.ts': 'rows of inputs',
  'src/study/comparing/gate/conduct/started.ts': 'the log of a command that it started',
  'src/study/saturation/conduct/ladder/visit.ts': 'the CPU times of the system',
}

/** Files of folders are read through one door, which survives whatever is in their place. */
export function doorBreaches(files: FileMap): Breach[] {
  return [...files].flatMap(([file, text]) => {
    if (file === THE_DOOR || file in OTHER_READERS) return []
    return [...text.matchAll(FS_IMPORT)].flatMap(([, names = '']) => {
      const found = names.startsWith('{') ? READS.exec(names)?.[0] : 'all of fs'
      return found === undefined ? [] : [`${file} reads files with ${found}`]
    })
  })
}

/**
 * The parts of a study: each a file, or a folder where it is more than one idea. A short plan stands
 * in `conduct`, and a short report in `study`.
 */
const STUDY_PARTS = [
  'document',
  'sentences',
  'options',
  'plan',
  'conduct',
  'analyse',
  'report',
  'study',
]
const MAY_BE_SHORT = new Set(['plan', 'report'])
/**
 * A plan reads scenarios and profiles, conduct measures, and gates keep a file of their history; the
 * others only conclude and show.
 */
const IMPURE_IN_STUDY = new Set(['plan', 'conduct', 'trial', 'gate-files'])

/** Rooms of studies that share more than the frame. */
const FAMILIES = new Set(['comparing'])

interface StudyFile {
  /**
   * `recovery`, or `comparing/gate` of a family; `frame` for what all studies share, `comparing`
   * for what a family shares; null for the list of them.
   */
  study: string | null
  /** `report` of `report.ts` and of `report/chart.ts`. */
  part: string
}

function inStudies(file: string): StudyFile | null {
  const [root, room, first = '', second, third] = file.split('/')
  if (root !== 'src' || room !== 'study') return null
  if (second === undefined) return { study: null, part: first }
  const isOfFamily = FAMILIES.has(first) && third !== undefined
  const study = isOfFamily ? `${first}/${second}` : first
  return { study, part: (isOfFamily ? third : second).replace(/\.ts$/, '') }
}

/** `src/study/recovery/document.ts`: a part of a study, in the place that its form fixes. */
export function isPartOfStudy(file: string): boolean {
  const { study = null, part = '' } = inStudies(file) ?? {}
  return STUDY_PARTS.includes(part) && file === `src/study/${study}/${part}.ts`
}

/** The list loads what conducts each study when it is needed. */
function isPureInStudy(file: string): boolean {
  const found = inStudies(file)
  return found !== null && found.study !== null && !IMPURE_IN_STUDY.has(found.part)
}

/**
 * Beside the frame and the list are only studies; each has all its parts and nothing else, and
 * imports no other study: what two of them need belongs to the frame, which imports none, or to
 * their family, which imports the frame alone.
 */
export function studyBreaches(files: FileMap): Breach[] {
  const parts = new Map<string, Set<string>>()
  for (const file of files.keys()) {
    const { study = null, part = '' } = inStudies(file) ?? {}
    if (study === null || study === 'frame' || FAMILIES.has(study)) continue
    parts.set(study, (parts.get(study) ?? new Set()).add(part))
  }
  return [
    ...[...parts].flatMap(([study, found]) => partBreaches(study, found)),
    ...[...files].flatMap(([file, text]) => foreignStudies(file, text)),
  ]
}

function partBreaches(study: string, found: ReadonlySet<string>): Breach[] {
  // Before it has a `study`, it is not one yet: nobody can list it.
  const needed = STUDY_PARTS.filter((part) => !MAY_BE_SHORT.has(part))
  const missing = found.has('study') ? needed.filter((part) => !found.has(part)) : []
  const unknown = [...found].filter((part) => !STUDY_PARTS.includes(part))
  return [
    ...missing.map((part) => `src/study/${study} has no ${part}`),
    ...unknown.map((part) => `src/study/${study} has ${part}, which is no part of a study`),
  ]
}

function foreignStudies(file: string, text: string): Breach[] {
  const own = inStudies(file)
  if (own === null || own.study === null) return []
  return importsOf(text)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => join(dirname(file), specifier))
    .filter((imported) => {
      const other = inStudies(imported)
      if (other === null || other.study === own.study || other.study === 'frame') return false
      return other.study === null || !`${own.study}/`.startsWith(`${other.study}/`)
    })
    .map((imported) => `${file} imports ${imported}`)
}

/**
 * So many files beside each other can be looked over; a registry of one file a kind may be longer.
 */
const MOST_FILES = 15
const REGISTRIES = new Set(['fake-crew/model/faults/kinds'])

/** No folder holds more files than a reader can look over. */
export function crowdedFolders(files: FileMap): Breach[] {
  const counts = new Map<string, number>()
  for (const file of files.keys()) {
    const folder = dirname(file)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([folder, count]) => count > MOST_FILES && !REGISTRIES.has(folder))
    .map(([folder, count]) => `${folder} holds ${count} files, at most ${MOST_FILES}`)
}
