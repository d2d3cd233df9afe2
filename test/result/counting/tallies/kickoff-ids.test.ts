/** A kickoff id that is given twice is found wherever the two executions ran. */
import { describe, expect, test } from 'vitest'
import { estimateMetric } from '../../../../src/result/metrics/estimate-metric.ts'
import type { JournalLine } from '../../../../src/execution/record/journal-lines.ts'
import { KickoffIds } from '../../../../src/result/counting/tallies/incidents.ts'
import { createRecorder } from '../../../../src/result/counting/recorder.ts'
import { CONTEXT, instanceLines } from '../../lines.ts'

/** Two instances of which execution 7 of one is given the id of execution 4 of the other. */
const TWO = {
  executions: 20,
  instances: 2,
  spoil: (record: { index: number; kickoffId: string | null }): void => {
    if (record.index === 7) record.kickoffId = 'id-4'
  },
}

function rulesIn(lines: readonly JournalLine[]) {
  const recorder = createRecorder()
  for (const line of lines) recorder.record(line)
  const { contract } = recorder.document({ ledger: null, ...CONTEXT })
  const metric = estimateMetric('contract.documented', recorder.standing().observations).value
  recorder.destroy()
  return { rules: contract.rules, metric }
}

describe('of two instances', () => {
  const first = instanceLines(0, TWO)
  const second = instanceLines(1, TWO)

  test.each([
    ['in order', [...first, ...second]],
    ['the other way round', [...second, ...first]],
  ])('%s', (_, lines) => {
    const { rules, metric } = rulesIn(lines)
    expect(metric).toBe(1)
    expect(rules).toMatchObject([
      {
        rule: 'kickoff-id-unique',
        basis: 'documented',
        count: 1,
        example: {
          index: 7,
          kickoffId: 'id-4',
          seen: 'kickoff_id: "id-4" again, as of execution 4',
        },
      },
    ])
  })

  test('each by itself has broken nothing', () => {
    expect(rulesIn(first).rules).toEqual([])
    expect(rulesIn(second).rules).toEqual([])
  })
})

describe('memory', () => {
  test('holds as many as it says exactly', () => {
    expect(brokenOf(1_000, (n) => n)).toBe(100)
  })

  test('holds a share beyond, the same in any order', () => {
    const ids = 10_000
    const found = brokenOf(ids, (n) => n)!
    expect(found).toBeGreaterThan(20)
    expect(found).toBeLessThan(200)
    expect(brokenOf(ids, (n) => 1.1 * ids - 1 - n)).toBe(found)
  })
})

/** So many ids, and then the first tenth again. */
function brokenOf(ids: number, order: (index: number) => number): number | undefined {
  const watched = new KickoffIds(1_000)
  for (let n = 0; n < ids * 1.1; n++) {
    const index = order(n)
    watched.note(`id-${index % ids}`, index)
  }
  return watched.broken?.count
}
