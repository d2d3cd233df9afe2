/** Fake crews whose workers scale, or do not last, searched in virtual time. */
import { allText } from '../../../../src/report/frame/report.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { conducting } from '../../../../src/study/capacity/conduct/conduct.ts'
import type { CapacityDocument } from '../../../../src/study/capacity/document.ts'
import { capacitySchema } from '../../../../src/study/capacity/document.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

const SCENARIO = `export default {
  name: 'ask', arrivals: { rate: '1/m', for: '1h' }, inputs: { topic: 'tides' },
  polling: { fixed: '1s' }, deadline: '30m',
}`

/** Half a minute each, promised within a minute and a half. */
async function found(capacity: string, kickoffs = 900, more = ''): Promise<CapacityDocument> {
  await using folder = await temporaryFolder()
  const [profile, scenario] = [join(folder.path, 'crew.yaml'), join(folder.path, 'ask.mjs')]
  const task = '{ id: work, agent: A, duration: { gamma: { mean: 30s, cv: 0.3 } } }'
  await writeFile(profile, `tasks: [${task}]\ncapacity: { ${capacity} }\n${more}`)
  await writeFile(scenario, SCENARIO)
  const slo = 'execution.p95 < 90s'
  const asked = { within: '10%', simulated: 50_000, out: false } as const
  return (
    await conductStudy(conducting, {
      scenario,
      slo,
      ...asked,
      run: { profile, budget: { kickoffs } },
    })
  ).document
}

describe('workers that scale from two to six', () => {
  test('are followed: the answer is for six, with the time that it took and a cold start', async () => {
    const document = await found('workers: { from: 2, to: 6, upAfter: 1m, downAfter: 10m }')
    expect(capacitySchema.safeParse(JSON.parse(JSON.stringify(document))).error).toBeUndefined()
    const { verdict, model, scaling, capacity, confirmation, limit, findings } = document
    expect([verdict.outcome, model!.slots.value, model!.accepted]).toEqual(['answered', 6, true])
    expect(scaling).toMatchObject({ from: 2, to: 6, stands: true })
    // Four more workers, one each minute.
    expect(scaling!.tookMs / 60_000).toBeCloseTo(4, 1)
    // Six workers finish 720 an hour, and two a third of that.
    expect(capacity!.perHour).toBeGreaterThan(560)
    expect(capacity!.perHour).toBeLessThan(700)
    expect(confirmation!.load).toBeGreaterThan(0.8)
    expect([limit!.kind, findings]).toEqual(['workers', []])
    const { caughtUpMs, p95Ms, broken } = scaling!.coldStart!
    expect(caughtUpMs).toBeGreaterThan(scaling!.tookMs)
    expect(p95Ms).toBeGreaterThan(120_000)
    expect(broken!.promise).toBe('execution.p95 < 90s')
    expect(broken!.share).toBeGreaterThan(0.3)
    expect(allText(verdict)).toMatch(
      /That is the crew as scaled: it grew from 2 to 6 workers in 240 s\. If such a load starts on 2 workers, the crew needs [\d.]+ min to catch up\. Until then [\d.]+ % of the executions take longer than execution\.p95 < 90s allows/,
    )
  })

  test('without the budget to see them stand: nothing is answered for fewer', async () => {
    const { verdict, capacity, scaling } = await found(
      'workers: { from: 2, to: 60, upAfter: 1m, downAfter: 10m }',
      300,
    )
    expect([verdict.outcome, capacity, scaling!.stands]).toEqual(['unresolved', null, false])
    expect(verdict.reasons).toMatchObject([
      { code: 'still-growing', message: expect.stringContaining('grew from 2 to ') as string },
    ])
  })

  test('that go again between arrivals are refused, with that reason', async () => {
    const { verdict, capacity } = await found(
      'workers: { from: 2, to: 6, upAfter: 1m, downAfter: 5s }',
    )
    expect([verdict.outcome, capacity, verdict.reasons[0]!.code]).toEqual([
      'refused',
      null,
      'workers-leave',
    ])
  })
})

test('a crew that restarts is refused, with that reason', async () => {
  const { verdict, capacity } = await found(
    'workers: 6',
    900,
    'faults: [{ name: again, restart: { loses: running }, window: { from: 5m } }]\n',
  )
  expect([verdict.outcome, capacity, verdict.reasons[0]!.code]).toEqual([
    'refused',
    null,
    'restarted',
  ])
})
