/**
 * The faults of a run's crew in its document: the same over real sockets and in virtual time, and
 * after the report is made again.
 */
import { expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import { mergedRuns } from '../../../src/run/merge.ts'
import { readRun } from '../../../src/run/folder/stored.ts'
import { run } from '../../../src/run/run.ts'
import {
  EXECUTIONS,
  inVirtualTime,
  overSockets,
  profileText,
} from '../../fake-crew/faults/support.ts'
import { temporaryFolder } from '../../support/cli.ts'

const FAULTS = `
- { name: slow kickoff, latency: 20ms, operations: [kickoff] }
- { name: first polls, status: { code: 503 }, operations: [status], first: 6 }
- { name: refused, refuse: {}, window: { from: 30m, for: 1s } }
- { name: skewed, clockSkew: { behind: 90s }, operations: [status], window: { from: 0s, for: 30m } }
`

const ENGINES: [string, () => Promise<ResultDocument>][] = [
  ['over sockets', async () => (await overSockets(FAULTS)).document],
  ['in virtual time', async () => inVirtualTime(FAULTS)],
]

test.each(ENGINES)('%s they are told with what they touched and when', async (_, carry) => {
  const { faults, run: info, metrics, generator } = await carry()
  const told = new Map((faults ?? []).map((fault) => [fault.name, fault]))
  expect([...told.keys()].sort()).toEqual(['first polls', 'skewed', 'slow kickoff'])
  const { touched } = told.get('slow kickoff')!
  expect(touched).toEqual({ inputs: 0, kickoff: EXECUTIONS, status: 0 })
  expect(told.get('first polls')).toMatchObject({ always: true, bands: [], times: 0 })
  expect(told.get('first polls')!.touched.status).toBe(6)
  const skewed = told.get('skewed')!
  expect(skewed.bands).toEqual([{ fromMs: 0, toMs: info.durationMs }])
  const polls = Number(metrics['polls.perExecution']!.value) * EXECUTIONS
  expect(skewed.touched.status).toBe(polls + generator.confirmations)
  const counted = skewed.counts.reduce((sum, count) => sum + count, 0)
  expect(counted).toBe(skewed.touched.status)
})

test('a report made again tells the same; without a ledger nobody knows of any', async () => {
  await using folder = await temporaryFolder()
  const { document, folder: made } = await run('smoke', {
    profile: profileText(FAULTS),
    engine: 'virtual',
    out: folder.path,
  })
  const { journal, ledger } = await readRun(made!)
  expect((await mergedRuns([journal], { ledger })).document.faults).toEqual(document.faults)
  expect((await mergedRuns([journal])).document.faults).toBeNull()
})
