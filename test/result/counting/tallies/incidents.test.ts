/** What was seen outside executions, from lines in any order. */
import { expect, test } from 'vitest'
import type { IncidentLine, TargetProbed } from '../../../../src/execution/record/journal-lines.ts'
import { IncidentsTally } from '../../../../src/result/counting/tallies/incidents.ts'

function probed(instance: number, atMicros: number, found: Partial<TargetProbed>): IncidentLine {
  const incident = { kind: 'target-probed', usable: true, probes: 0, last: 200, ...found } as const
  return { type: 'incident', instance, atMicros, index: null, incident }
}

test('what each instance found of the target is known, of a resumed one what it found last', () => {
  const lines = [
    probed(0, 50, { usable: false, probes: 3, last: 'refused' }),
    probed(0, 900, { probes: 1, last: 404 }),
    probed(2, 60, {}),
    probed(1, 70, { usable: false, probes: 3, last: 503 }),
  ]
  for (const order of [lines, lines.toReversed()]) {
    const tally = new IncidentsTally()
    for (const line of order) tally.line(line)
    expect(tally.probes).toMatchObject([
      { usable: true, probes: 1, last: 404 },
      { usable: false, probes: 3, last: 503 },
      { usable: true, probes: 0, last: 200 },
    ])
  }
})
