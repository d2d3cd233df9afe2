/** `crewload report`: a run rendered again, and two halves merged, are what the whole was. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ResultDocument } from 'crewload/run'
import { run } from 'crewload/run'
import { cli, temporaryFolder } from '../support/cli.ts'

const scenario = {
  name: 'halves',
  arrivals: { rate: '10/s', for: '3s' },
  inputs: { topic: 'bees', audience: 'children' },
  polling: { fixed: '100ms' },
  validity: { lateness: '2s', utilisation: 1 },
}

/** Without what says how and where a document was made, and what only a ledger tells. */
function measured(document: ResultDocument) {
  const run = { ...document.run, command: null, profile: null, node: null }
  return { ...document, run, ledger: null, findings: [] }
}

describe('crewload report', () => {
  it('renders a run again from its journal and ledger, to the same document', async () => {
    await using folder = await temporaryFolder()
    const whole = await run(scenario, { profile: 'fast', out: folder.path })
    const before = await readFile(join(whole.folder!, 'result.json'), 'utf8')
    const { stdout } = await cli(['report', whole.folder!])
    expect(stdout).toContain('PASSED')
    expect(JSON.parse(await readFile(join(whole.folder!, 'result.json'), 'utf8'))).toEqual(
      JSON.parse(before),
    )
  })

  it('merges two halves into exactly the whole', async () => {
    await using folder = await temporaryFolder()
    const whole = await run(scenario, { profile: 'fast', out: folder.path })
    const journal = join(whole.folder!, 'executions.ndjson')
    const lines = (await readFile(journal, 'utf8')).trim().split('\n')
    const [first, ...rest] = lines
    const half = (keep: (i: number) => boolean): string =>
      [first, ...rest.filter((_, i) => keep(i))].join('\n')
    const paths = [join(folder.path, 'a.ndjson'), join(folder.path, 'b.ndjson')]
    await writeFile(
      paths[0]!,
      half((i) => i % 2 === 0),
    )
    await writeFile(
      paths[1]!,
      half((i) => i % 2 === 1),
    )

    const out = join(folder.path, 'merged')
    const merged = await cli(['report', 'merge', ...paths, '--out', out, '--json'])
    const again = await cli(['report', 'merge', journal, '--out', out, '--json'])
    const [together, single] = [merged, again].map(
      ({ stdout }) => JSON.parse(stdout) as ResultDocument,
    )
    expect(measured(together!)).toEqual(measured(single!))
    const { outcomes, histograms } = measured(single!)
    expect(outcomes).toEqual(whole.document.outcomes)
    expect(histograms['status.response']).toBe(whole.document.histograms['status.response'])
  })
})
