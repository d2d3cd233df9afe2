/**
 * Measures what a report of many executions costs: CPU time and memory of `crewload report render`
 * and of `crewload report merge`. Usage: `render [executions [parts]]`, the executions of each part,
 * and the number of parts that are merged.
 */
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { pipeline } from 'node:stream/promises'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { readJournal } from '../../src/journal/reader.ts'
import { defineScenario } from '../../src/scenario/define.ts'
import { run } from '../../src/run/index.ts'
import { costOf } from '../support/process-cost.ts'

const EACH = Number(process.argv[2] ?? 100_000)
const PARTS = Number(process.argv[3] ?? 10)
const SAMPLE = 2_000
const LIMIT_MS = 1_200_000
const PROGRAM = join(import.meta.dirname, '../../../dist/bin/crewload.js')

/** The lines of a run in virtual time, which the parts repeat with other indexes and ids. */
async function sampleLines(folder: string): Promise<JournalLine[]> {
  const scenario = defineScenario({
    name: 'rendered',
    arrivals: { rate: '10/s', for: `${SAMPLE / 10}s`, process: 'uniform' },
    inputs: { topic: 'bees', audience: 'children' },
    tags: ({ index }) => ({ third: String(index % 3) }),
    checks: { 'says something': ({ output }) => output !== '' },
    polling: { fixed: '200ms' },
    deadline: '5m',
  })
  const out = join(folder, 'sample')
  const { folder: made } = await run(scenario, { engine: 'virtual', profile: 'fast', out, seed: 1 })
  if (made === null) throw new Error('the run left no folder')
  const lines: JournalLine[] = []
  for await (const line of readJournal(join(made, 'executions.ndjson'))) lines.push(line)
  return lines
}

/** The lines of instance `part` of `PARTS`; no other instance has its indexes. */
function* partOf(part: number, sample: readonly JournalLine[]): Generator<string> {
  const begun = sample[0]
  const finished = sample.at(-1)
  if (begun?.type !== 'run' || finished?.type !== 'finished') throw new Error('not a whole run')
  yield lineOf({ ...begun, instance: part, instances: PARTS })
  const spanMicros = finished.atMicros
  for (let copy = 0; copy * SAMPLE < EACH; copy++) {
    const first = part * EACH + copy * SAMPLE
    for (const line of sample) {
      const moved = movedLine(line, { part, first, byMicros: copy * spanMicros })
      if (moved !== null) yield lineOf(moved)
    }
  }
  const engine = { ...finished.engine, arrivals: EACH, ended: EACH, maxInFlight: null }
  yield lineOf({ ...finished, instance: part, engine })
}

const lineOf = (line: JournalLine): string => `${JSON.stringify(line)}\n`

interface Move {
  part: number
  first: number
  byMicros: number
}

function movedLine(line: JournalLine, { part, first, byMicros }: Move): JournalLine | null {
  const id = (own: string | null): string => `${own ?? ''}-${first}`
  const later = (micros: number | null): number | null =>
    micros === null ? null : micros + byMicros
  switch (line.type) {
    case 'started': {
      const { index, intendedMicros, atMicros } = line
      const times = { intendedMicros: intendedMicros + byMicros, atMicros: atMicros + byMicros }
      return { ...line, index: index + first, instance: part, ...times }
    }
    case 'accepted': {
      const { index, kickoffId, atMicros } = line
      const own = { index: index + first, instance: part, kickoffId: id(kickoffId) }
      return { ...line, ...own, atMicros: atMicros + byMicros }
    }
    case 'ended': {
      const { record } = line
      const own = {
        index: record.index + first,
        instance: part,
        kickoffId: id(record.kickoffId),
        intendedMicros: record.intendedMicros + byMicros,
        sentMicros: later(record.sentMicros),
        acceptedMicros: later(record.acceptedMicros),
        endedMicros: record.endedMicros + byMicros,
        lastNotDoneSentMicros: later(record.lastNotDoneSentMicros),
        firstDoneReceivedMicros: later(record.firstDoneReceivedMicros),
        changes: record.changes.map((each) => ({ ...each, atMicros: each.atMicros + byMicros })),
      }
      return { type: 'ended', record: { ...record, ...own } }
    }
    default:
      return null
  }
}

async function told(name: string, args: readonly string[]): Promise<void> {
  const command = { program: execPath, args: [PROGRAM, 'report', ...args, '--json'] }
  const cost = await costOf(command, LIMIT_MS)
  if (cost === null) throw new Error(`${name} took longer than ${LIMIT_MS / 1_000} s`)
  const megabytes = (cost.peakBytes / 1e6).toFixed(0)
  process.stdout.write(`${name}: ${cost.cpuSeconds.toFixed(1)} s of CPU, ${megabytes} MB\n`)
}

const place = await mkdtemp(join(tmpdir(), 'crewload-render-'))
try {
  const sample = await sampleLines(place)
  const paths = Array.from({ length: PARTS }, (_, part) => join(place, `part-${part}.ndjson`))
  for (const [part, path] of paths.entries()) {
    await pipeline(partOf(part, sample), createWriteStream(path))
  }
  const [first = ''] = paths
  const { size } = await stat(first)
  process.stdout.write(`${EACH} executions: ${(size / 1e6).toFixed(0)} MB of journal\n`)
  await told(`one part merged`, ['merge', first, '--out', join(place, 'one')])
  await told(`${PARTS} parts merged`, ['merge', ...paths, '--out', join(place, 'all')])
  const [folder = ''] = await readdir(join(place, 'all'))
  const page = await stat(join(place, 'all', folder, 'report.html'))
  process.stdout.write(`report.html of all: ${(page.size / 1e6).toFixed(2)} MB\n`)
} finally {
  await rm(place, { recursive: true, force: true })
}
