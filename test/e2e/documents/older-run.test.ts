/**
 * A run folder that an older version left (result/1, before `ownCrew` stood in the journal): it is
 * rendered, recovered and merged as one of today.
 */
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from 'crewload/run'
import { cli, temporaryFolder } from '../../support/cli.ts'

const STORED = fileURLToPath(new URL('../../golden/older-run', import.meta.url))

interface Stored extends Pick<ResultDocument, 'arrivals' | 'outcomes' | 'metrics'> {
  schema: string
}

async function storedResult(): Promise<Stored> {
  return JSON.parse(await readFile(join(STORED, 'result.json'), 'utf8')) as Stored
}

async function copied(): Promise<AsyncDisposable & { path: string }> {
  const folder = await temporaryFolder()
  await cp(STORED, folder.path, { recursive: true })
  return folder
}

describe('a run folder of an older version', () => {
  test('is rendered again: the same executions, judged by the rules of today', async () => {
    await using folder = await copied()
    const { stdout, stderr } = await cli(['report', folder.path, '--json'])
    const document = JSON.parse(stdout) as ResultDocument
    const stored = await storedResult()
    expect(stored.schema).toBe('crewload/result/1')
    expect(stderr).not.toContain('could not be read')
    expect(document.schema).toBe('crewload/result/2')
    expect(document.arrivals).toBe(stored.arrivals)
    expect(document.outcomes).toEqual({ ...stored.outcomes, paused: 0 })
    expect(document.metrics['status.service.p50']?.value).toBe(
      stored.metrics['status.service.p50']?.value,
    )
    expect(document.ledger).toMatchObject({ agreed: 12, disagreements: [] })
    expect(await readFile(join(folder.path, 'report.html'), 'utf8')).toContain('older')
  })

  test('that was cut is recovered: what ended counts', async () => {
    await using folder = await copied()
    const journal = join(folder.path, 'executions.ndjson')
    const lines = (await readFile(journal, 'utf8')).split('\n')
    const ends = lines.flatMap((line, at) => (line.startsWith('{"type":"ended"') ? [at] : []))
    await writeFile(journal, `${lines.slice(0, ends[2]).join('\n')}\n`)
    await rm(join(folder.path, 'result.json'))
    const { stdout } = await cli(['report', folder.path, '--recover', '--json'])
    const document = JSON.parse(stdout) as ResultDocument
    expect(document.run.stopped).toBe('crashed')
    expect(document.outcomes.completed).toBe(2)
  })

  test('is merged', async () => {
    await using folder = await temporaryFolder()
    const out = join(folder.path, 'merged')
    const merge = ['report', 'merge', join(STORED, 'executions.ndjson'), '--out', out, '--json']
    const document = JSON.parse((await cli(merge)).stdout) as ResultDocument
    expect(document.outcomes).toEqual({
      ...(await storedResult()).outcomes,
      paused: 0,
    })
  })
})
