/**
 * `crewload run --engine virtual` on the command line: the same seed gives the same bytes, over a
 * named network and over a learned one.
 */
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli, temporaryFolder } from '../support/cli.ts'

/** Too few for an interval to decide: their values are good. */
const ARRIVALS = ['--set', 'arrivals={"rate":"30/m","for":"5m"}', '--judge', 'value']

/** The folder it left, its journal, and what it said. */
async function virtually(
  out: string,
  network: string,
): Promise<{ folder: string; journal: string; stdout: string }> {
  const place = ['--engine', 'virtual', '--profile', 'fast', '--network', network, '--out', out]
  const { code, stdout, stderr } = await cli([
    'run',
    'steady',
    ...place,
    ...ARRIVALS,
    '--seed',
    '5',
  ])
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  const [name] = await readdir(out)
  const folder = join(out, name!)
  return { folder, journal: await readFile(join(folder, 'executions.ndjson'), 'utf8'), stdout }
}

describe('virtual time on the command line', () => {
  test('writes the same journal twice, over a named network and over one learned from that run', async () => {
    await using folder = await temporaryFolder()
    const at = (name: string): string => join(folder.path, name)
    const named = await virtually(at('1'), 'lan')
    expect(named.journal.split('\n').length).toBeGreaterThan(300)
    expect((await virtually(at('2'), 'lan')).journal).toBe(named.journal)

    const learned = await virtually(at('3'), named.folder)
    expect(learned.journal).not.toBe(named.journal)
    expect((await virtually(at('4'), named.folder)).journal).toBe(learned.journal)
  })
})
