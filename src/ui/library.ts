/** The runs and studies of a folder, each as a row of the page that lists them, and their files. */
import { formatInterval } from '../base/numbers.ts'
import { studyCrewText } from '../study/frame/study-place.ts'
import { crewText } from '../report/frame/place-text.ts'
import { crewAt } from '../execution/record/crew-place.ts'
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { extname, join, relative, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { formatMistake, UserError } from '../base/mistakes.ts'
import { checked, readDocument } from '../journal/file/document.ts'
import { openRegular } from '../journal/file/regular.ts'
import { mixReport } from '../report/mix/report.ts'
import { MARKS, runHeadline } from '../report/run/report.ts'
import type { Headline } from '../report/frame/report.ts'
import { headParts } from '../report/frame/report.ts'
import { formatMetric } from '../result/metrics/sentences.ts'
import type { ResultDocument } from '../result/document.ts'
import { resultDocument } from '../result/document.ts'
import type { MixDocument } from '../result/mix.ts'
import { mixDocument } from '../result/mix.ts'
import { JOURNAL_FILE, partsOfName, RESULT_FILE, STUDY_FILE } from '../run/folder/folder.ts'
import { isHeld } from '../run/folder/lock.ts'
import { RESULT_DAMAGE } from '../run/folder/stored.ts'
import { REPORT_FILE } from '../run/reports.ts'
import type { StoredStudy } from '../study/frame/conduct/study-folder.ts'
import { readStudy } from '../study/frame/conduct/study-folder.ts'
import { reportOf } from '../study/frame/study.ts'
import { STUDIES } from '../study/list.ts'

export interface Entry extends FoundFolder {
  /** What is written of it: a verdict, or why there is none. */
  head: Pick<Headline, 'word' | 'sign' | 'tone'>
  /** The verdict by which a list is filtered: its word, without how many problems there are. */
  verdict: string
  cause: string
  /** Whether it has a result that can be compared: a mix has one of each part instead. */
  isComparable: boolean
  /** Of a run. */
  load: string
  /** The name of a study. */
  study: string | null
  scenario: string | null
  target: string
  /** Unix milliseconds. */
  atMs: number
  commit: string | null
  /** End to end, in milliseconds; Infinity stands for never. Of a mix, that of its slowest part. */
  p95: {
    text: string
    value: number
    low: number | null
    high: number | null
    interval: string | null
    part?: string
  } | null
  inFlight: readonly number[]
  /** The name of its page; null where there is none. */
  report: string | null
}

export interface FoundFolder {
  /** Its path below the folder, with forward slashes; `.` for the folder itself. */
  id: string
  path: string
  kind: 'run' | 'study'
  /** Whether a process carries it now. */
  isUnderWay: boolean
}

/** Below the folder; what is inside a run or a study belongs to it. */
const DEEPEST = 3
const MOST_ENTRIES = 2_000

export class Library {
  readonly folder: string
  readonly #known = new Map<string, { stamp: string; entry: Entry }>()

  constructor(folder: string) {
    this.folder = resolve(folder)
  }

  /** Rejects with a UserError for a folder that cannot be read. Null for an unknown id. */
  async find(id: string): Promise<FoundFolder | null> {
    return (await this.found()).find((each) => each.id === id) ?? null
  }

  /** Newest first, of those under way. */
  async underWay(): Promise<FoundFolder[]> {
    return (await this.found()).filter(({ isUnderWay }) => isUnderWay).reverse()
  }

  /** Newest first. What was read once is read again only when it has changed. */
  async entries(): Promise<Entry[]> {
    const entries: Entry[] = []
    for (const found of await this.found()) {
      entries.push(await this.#entryOf(found))
      // Requests are answered meanwhile.
      await setImmediate()
    }
    return entries.sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? 1 : -1))
  }

  /** By name, which ends with the time of its start. */
  async found(): Promise<FoundFolder[]> {
    const paths: Pick<FoundFolder, 'path' | 'kind'>[] = []
    await collect(this.folder, DEEPEST, paths)
    const found: FoundFolder[] = []
    for (const { path, kind } of paths) {
      const id = relative(this.folder, path).replaceAll('\\', '/') || '.'
      const isUnderWay = await isHeld(path).catch(() => false)
      found.push({ id, path, kind, isUnderWay })
    }
    return found
  }

  async #entryOf(found: FoundFolder): Promise<Entry> {
    const stamp = `${await stampOf(found)} ${found.isUnderWay}`
    const known = this.#known.get(found.id)
    if (known?.stamp === stamp) return known.entry
    const entry = await entryOf(found).catch((error: unknown): Entry => {
      const why = error instanceof UserError ? formatMistake(error.mistakes[0]!) : String(error)
      return { ...blank(found), head: UNREADABLE, verdict: UNREADABLE.word, cause: why }
    })
    const shown = found.isUnderWay
      ? { ...entry, head: UNDER_WAY, verdict: UNDER_WAY.word, cause: '' }
      : entry
    this.#known.set(found.id, { stamp, entry: shown })
    return shown
  }
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.json': 'application/json',
}

/**
 * `path` begins with the id of a run or a study. Null for what is in none, and for names that begin
 * with a dot. Rejects with a UserError for what is no file.
 */
export async function openFile(
  found: readonly FoundFolder[],
  path: string,
): Promise<{ stream: Readable; type: string } | null> {
  const names = path.split('/')
  const isPlain = names.every((name) => name !== '' && !name.startsWith('.'))
  const inside = found.find(({ id }) => id === '.' || path.startsWith(`${id}/`))
  if (!isPlain || inside === undefined) return null
  const own = inside.id === '.' ? names : names.slice(inside.id.split('/').length)
  const file = await openRegular(join(inside.path, ...own))
  if (file === null) return null
  return { stream: file.createReadStream(), type: TYPES[extname(path)] ?? 'text/plain' }
}

async function collect(
  path: string,
  depth: number,
  into: Pick<FoundFolder, 'path' | 'kind'>[],
): Promise<void> {
  const items = await readdir(path, { withFileTypes: true }).catch((error: Error) => {
    if (depth < DEEPEST) return [] as Dirent[]
    throw new UserError({ source: path, path: '', problem: unreadable(error) })
  })
  const names = new Set(items.map(({ name }) => name))
  const isStudy = names.has(STUDY_FILE) || STUDIES.some(({ name }) => names.has(`${name}.json`))
  if (isStudy) into.push({ path, kind: 'study' })
  else if (names.has(JOURNAL_FILE)) into.push({ path, kind: 'run' })
  else if (depth > 0) {
    for (const item of items.filter((each) => each.isDirectory()).sort(byName)) {
      if (into.length < MOST_ENTRIES) await collect(join(path, item.name), depth - 1, into)
    }
  }
}

function unreadable({ code, message }: NodeJS.ErrnoException): string {
  const expected = 'expected a folder with runs and studies, as --out of a run names it'
  if (code === 'ENOENT') return `there is no such folder; ${expected}`
  if (code === 'ENOTDIR') return `is not a folder; ${expected}`
  return `cannot be read: ${message}`
}

/** The time stands at the end of a name, behind a scenario. */
function byName(a: Dirent, b: Dirent): number {
  return partsOfName(a.name).time < partsOfName(b.name).time ? -1 : 1
}

/** Changes whenever what is shown of it may have changed. */
async function stampOf({ path, kind }: FoundFolder): Promise<string> {
  const names =
    kind === 'run' ? [RESULT_FILE] : [STUDY_FILE, ...STUDIES.map(({ name }) => `${name}.json`)]
  const stamps = names.map(async (name) => {
    const file = await stat(join(path, name)).catch(() => null)
    return file === null ? '' : `${file.mtimeMs}-${file.size}`
  })
  return (await Promise.all(stamps)).join(' ')
}

const UNDER_WAY = { word: 'UNDER WAY', sign: '●', tone: 'doubt' } as const
const CUT = { word: 'CUT', sign: '!', tone: 'doubt' } as const
const UNREADABLE = { word: 'UNREADABLE', sign: '!', tone: 'bad' } as const

function blank(found: FoundFolder): Entry {
  return {
    ...found,
    head: CUT,
    verdict: CUT.word,
    cause: 'it has no result; crewload resume or report render may make one',
    isComparable: false,
    load: '',
    study: null,
    scenario: null,
    target: '',
    atMs: 0,
    commit: null,
    p95: null,
    inFlight: [],
    report: null,
  }
}

async function entryOf(found: FoundFolder): Promise<Entry> {
  const names = await readdir(found.path)
  const report = names.includes(REPORT_FILE) ? REPORT_FILE : null
  const { mtimeMs } = await stat(found.path)
  const own = { ...blank(found), report, atMs: mtimeMs }
  if (found.kind === 'run') {
    const place = { path: join(found.path, RESULT_FILE), ...RESULT_DAMAGE }
    const read = await readDocument(place.path, z.looseObject({}), place)
    if (read === null) return { ...own, scenario: partsOfName(found.path).scenario }
    const isMix = read['schema'] === mixDocument.shape.schema.value
    const contents = isMix
      ? ofMix(checked(read, mixDocument, place), mtimeMs)
      : ofRun(checked(read, resultDocument, place), mtimeMs)
    return { ...own, ...contents }
  }
  const stored = await readStudy(found.path, STUDIES)
  return stored === null ? own : { ...own, ...ofStudy(stored) }
}

type FolderContents = Omit<Entry, keyof FoundFolder | 'report'>

function ofRun(document: ResultDocument, mtimeMs: number): FolderContents {
  const { run, series, verdict } = document
  const headline = runHeadline(document)
  return {
    head: headline,
    verdict: MARKS[verdict.outcome].word,
    cause: headline.cause ?? '',
    isComparable: true,
    load: headline.load ?? '',
    study: null,
    scenario: run.scenario,
    target: crewText(crewAt(run.place)),
    atMs: startOf(run, mtimeMs),
    commit: null,
    p95: p95Of(document),
    inFlight: series.inFlight,
  }
}

/** Virtual time has no date. */
function startOf({ network, startedAt }: ResultDocument['run'], mtimeMs: number): number {
  return network === null ? Date.parse(startedAt) : mtimeMs
}

function p95Of({ metrics }: ResultDocument): Entry['p95'] {
  const p95 = metrics['execution.p95']
  if (p95 === undefined || p95.value === null) return null
  return {
    text: formatMetric(p95),
    value: msOf(p95.value),
    low: p95.low === null ? null : msOf(p95.low),
    high: p95.high === null ? null : msOf(p95.high),
    interval: formatInterval(p95, 'ms'),
  }
}

function ofMix(document: MixDocument, mtimeMs: number): FolderContents {
  const { headline } = mixReport(document)
  const { mix, parts, verdict } = document
  const p95s = parts.flatMap(({ part, result }) => {
    const p95 = p95Of(result)
    return p95 === null ? [] : { part, ...p95 }
  })
  return {
    head: headline,
    verdict: MARKS[verdict.outcome].word,
    cause: headParts(headline)[0],
    isComparable: false,
    load: headline.load ?? '',
    study: null,
    scenario: mix.name,
    target: parts.map(({ part }) => part).join(', '),
    atMs: startOf(parts[0]!.result.run, mtimeMs),
    commit: null,
    p95: p95s.sort((a, b) => b.value - a.value)[0] ?? null,
    inFlight: [],
  }
}

function msOf(value: number | 'never'): number {
  return value === 'never' ? Infinity : value
}

function ofStudy({ study, document }: StoredStudy): FolderContents {
  const { headline } = reportOf(study, document)
  const { commit = null } = document as { commit?: string | null }
  return {
    head: headline,
    verdict: headline.word,
    cause: headParts(headline)[0],
    isComparable: false,
    load: '',
    study: study.name,
    scenario: document.scenario,
    target: studyCrewText(document.place),
    atMs: Date.parse(document.startedAt),
    commit,
    p95: null,
    inFlight: [],
  }
}
