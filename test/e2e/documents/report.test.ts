/** `crewload report`: a run rendered again, and two halves merged, are what the whole was. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from 'crewload/run'
import { run } from 'crewload/run'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { cli, temporaryFolder } from '../../support/cli.ts'

const scenario = {
  name: 'halves',
  arrivals: { rate: '10/s', for: '3s' },
  inputs: { topic: 'bees', audience: 'children' },
  polling: { fixed: '100ms' },
  validity: { lateness: '2s', utilisation: 1 },
}

/** Whatever wrote a journal, it is merged alike. */
const simulated = { profile: 'fast', engine: 'virtual' } as const

/**
 * The journal of a run as two instances would have written it: each its own executions and its own
 * part of the counts.
 */
function halves(lines: readonly JournalLine[]): [JournalLine[], JournalLine[]] {
  return [half(lines, 0), half(lines, 1)]
}

function half(lines: readonly JournalLine[], instance: 0 | 1): JournalLine[] {
  const records = lines.flatMap((line) => (line.type === 'ended' ? [line.record] : []))
  const own = records.filter(({ index }) => index % 2 === instance)
  const integral = own.reduce((sum, { acceptedMicros, endedMicros }) => {
    return sum + (acceptedMicros === null ? 0 : endedMicros - acceptedMicros)
  }, 0)
  return lines.flatMap((line): JournalLine[] => {
    switch (line.type) {
      case 'run':
        return [{ ...line, instance, instances: 2 }]
      case 'finished': {
        const counts = { arrivals: own.length, ended: own.length, inFlightIntegralMicros: integral }
        return [{ ...line, instance, engine: { ...line.engine, ...counts } }]
      }
      case 'ended':
        return own.includes(line.record) ? [{ ...line, record: { ...line.record, instance } }] : []
      case 'started':
      case 'accepted':
        return line.index % 2 === instance ? [{ ...line, instance }] : []
      case 'finding':
        return line.finding.kind === 'target-probed' ? [{ ...line, instance }] : []
      default:
        return []
    }
  })
}

/**
 * What the client alone tells, the same for one instance and for two: no ledger, no peak of a sum,
 * nobody's own word on the target.
 */
function byClient([name]: [string, unknown]): boolean {
  return !/detectionDelay|ledger|inFlight|alive/.test(name)
}

describe.concurrent('crewload report', () => {
  test('renders a run again from its journal and ledger, to the same document', async () => {
    await using folder = await temporaryFolder()
    const whole = await run(scenario, { profile: 'fast', out: folder.path })
    const before = await readFile(join(whole.folder!, 'result.json'), 'utf8')
    const { stdout } = await cli(['report', whole.folder!])
    expect(stdout).toContain('PASSED')
    expect(JSON.parse(await readFile(join(whole.folder!, 'result.json'), 'utf8'))).toEqual(
      JSON.parse(before),
    )
  })

  test('shows the result where the reports cannot be written, and says so', async () => {
    await using folder = await temporaryFolder()
    const whole = await run(scenario, { ...simulated, out: folder.path })
    const page = join(whole.folder!, 'report.html')
    await rm(page)
    await mkdir(join(page, 'in the way'), { recursive: true })
    const { code, stdout, stderr } = await cli(['report', whole.folder!])
    expect(code).toBe(3)
    expect(stdout).toContain('What users wait for')
    expect(stderr).toContain(`the reports could not be written to ${whole.folder}: report.html: `)
    expect(stderr).not.toContain('crewload itself failed')
  })

  test('merges the journals of two instances into exactly the whole', async () => {
    await using folder = await temporaryFolder()
    const whole = await run(scenario, { ...simulated, out: folder.path })
    const text = await readFile(join(whole.folder!, 'executions.ndjson'), 'utf8')
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JournalLine)
    const paths = [join(folder.path, 'a.ndjson'), join(folder.path, 'b.ndjson')]
    for (const [i, part] of halves(lines).entries()) {
      await writeFile(paths[i]!, part.map((line) => JSON.stringify(line)).join('\n'))
    }

    const out = join(folder.path, 'merged')
    const merged = await cli(['report', 'merge', ...paths, '--out', out, '--json'])
    const together = JSON.parse(merged.stdout) as ResultDocument
    expect(together.run.instances).toBe(2)
    expect(together.verdict.reasons).toEqual([])
    expect(together.metrics['target.alive']).toMatchObject({ value: 1, n: 2 })
    for (const key of ['arrivals', 'outcomes', 'tags', 'errors', 'series'] as const) {
      expect(together[key]).toEqual(whole.document[key])
    }
    for (const key of ['metrics', 'histograms'] as const) {
      const [a, b] = [together[key], whole.document[key]].map((table) =>
        Object.entries(table).filter(byClient),
      )
      expect(a!.length).toBeGreaterThan(8)
      expect(a).toEqual(b)
    }
  })

  test('refuses to merge a journal with itself', async () => {
    await using folder = await temporaryFolder()
    const { folder: once } = await run(scenario, { ...simulated, out: folder.path })
    const twice = await cli(['report', 'merge', once!, once!, '--out', folder.path])
    expect(twice.code).toBe(2)
  })
})
