/** A saturation over sockets: against fake crews, and within its budgets. */
import { expect, test } from 'vitest'
import type { FakeCrew } from '../../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { conducting } from '../../../../src/study/saturation/conduct/conduct.ts'
import type { SaturationDocument } from '../../../../src/study/saturation/document.ts'
import type { SaturateOptions } from '../../../../src/study/saturation/options.ts'
import { PACED } from '../../../support/studies.ts'
import { startedStub } from '../../../support/targets/loopback.ts'

const QUICK = { connections: '2', duration: '1s', warmUp: '100ms', repeats: 1 } as const

async function saturated(options: SaturateOptions): Promise<SaturationDocument> {
  return (await conductStudy(conducting, { out: false, ...options })).document
}

const at = ({ url, token }: FakeCrew): SaturateOptions['run'] => ({ target: url, tokens: [token] })

const codesOf = ({ verdict }: SaturationDocument): string[] =>
  verdict.reasons.map(({ code }) => code)

test('visits each rung as often as was asked, and tells each between its visits', async () => {
  const ladder = { connections: '1,2', duration: '1s', warmUp: '100ms', repeats: 3 } as const
  const { trials, rungs, ended } = await saturated({
    endpoint: 'inputs',
    ...ladder,
    run: { profile: PACED },
  })
  expect(ended).toBe('complete')
  expect(trials.map(({ pass }) => pass)).toEqual([1, 1, 2, 2, 3, 3])
  for (const { connections, visits, throughput, errors } of rungs) {
    const own = trials.filter((visit) => visit.connections === connections)
    const rates = own.map((visit) => visit.throughput.value!)
    expect([visits, errors.value]).toEqual([3, 0])
    expect(throughput.low).toBeLessThan(Math.min(...rates))
    expect(throughput.high).toBeGreaterThan(Math.max(...rates))
  }
})

test('follows to its end an execution that it kicks off itself at a fake crew of its own', async () => {
  const notes: string[] = []
  const document = await saturated({
    endpoint: 'status',
    ...QUICK,
    polling: '4s',
    onNote: (note: string) => void notes.push(note),
    run: { profile: PACED },
  })
  expect(notes.join()).toContain('first the execution is polled to its end')
  expect(document.kickoffs).toBe(1)
  expect(codesOf(document)).not.toContain('mixed')
  // A machine whose CPU time others take has no ceiling to trust, and then feeds nobody.
  const { ceiling, feeds, rungs } = document
  expect(rungs.every(({ requests, errors }) => requests > 0 && errors.value === 0)).toBe(true)
  const inFlight = expect.closeTo(4 * (ceiling?.throughput.value ?? 0)) as number
  const fed = [{ kind: 'polling', intervalMs: 4_000, inFlight }]
  expect(feeds).toEqual(ceiling === null ? [] : fed)
})

test.each([
  [[], 'requires a token, and none was given'],
  [['wrong'], 'refused our token;'],
])('says of a crew that refuses the tokens %j: %s', async (tokens, words) => {
  await using crew = await startFakeCrew({ profile: 'fast' })
  const run = { target: crew.url, tokens }
  const study = saturated({ endpoint: 'inputs', ...QUICK, run })
  await expect(study).rejects.toThrow(words)
  const from = { ...run, tokensFrom: '--token-command' }
  const advised = saturated({ endpoint: 'inputs', ...QUICK, run: from })
  await expect(advised).rejects.toThrow('; give a valid one: --token-command (found 401)')
})

test('passes its budget of kickoffs by not a single one, by the ledger of the fake crew', async () => {
  await using crew = await startFakeCrew({ profile: 'fast' })
  const { kickoffs } = await saturated({
    endpoint: 'kickoff',
    connections: '8,9',
    maxKickoffs: 131,
    run: at(crew),
  })
  expect(crew.ledger().length).toBeGreaterThan(20)
  expect(crew.ledger().length).toBeLessThanOrEqual(kickoffs)
  expect(kickoffs).toBeLessThanOrEqual(131)
})

test('of status takes one kickoff, and none for an execution that is named', async () => {
  await using crew = await startFakeCrew({ profile: PACED })
  const own = await saturated({ endpoint: 'status', ...QUICK, maxKickoffs: 1, run: at(crew) })
  expect(own.kickoffs).toBe(1)
  const [row] = crew.ledger()
  // It ends within the ladder, which has then measured two kinds of answers.
  expect(own.verdict.reasons.find(({ code }) => code === 'mixed')).toMatchObject({
    message: expect.stringContaining('from running to completed') as string,
    remedy: `poll this one again: --kickoff-id ${row!.kickoff_id}`,
  })
  const kickoffId = row!.kickoff_id
  const named = await saturated({ endpoint: 'status', ...QUICK, kickoffId, run: at(crew) })
  expect([named.kickoffs, named.trials[0]?.errors.value]).toEqual([0, 0])
  expect(codesOf(named)).not.toContain('mixed')
  expect(crew.ledger()).toHaveLength(1)
})

test('holds its budget of requests for everything that is sent', async () => {
  await using target = await startedStub((_, response) => response.end('{"inputs":[]}'))
  const { requests } = await saturated({
    endpoint: 'inputs',
    connections: '4,5',
    maxRequests: 50,
    run: { target: target.url, tokens: ['sesame'] },
  })
  // The fake crew's control is asked once whether it is there: that is no request of the interface.
  expect(target.paths.length).toBeGreaterThan(30)
  expect(target.paths.length).toBeLessThanOrEqual(51)
  expect(requests).toBeLessThanOrEqual(50)
})
