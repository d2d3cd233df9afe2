/** Lists of the control go out in pieces that hold nobody else up for long. */
import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { ndjson } from '../../../../fake-crew/server/control/control.ts'

function* rowsOf(count: number, eachMs: number): Generator<{ row: number }> {
  for (let row = 0; row < count; row++) {
    const until = performance.now() + eachMs
    while (performance.now() < until);
    yield { row }
  }
}

async function piecesOf(rows: Iterable<unknown>): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of ndjson(rows)) pieces.push(String(piece))
  return pieces
}

test('rows that take long to make go out a few at a time', async () => {
  const pieces = await piecesOf(rowsOf(50, 2))
  expect(pieces.length).toBeGreaterThanOrEqual(16)
  const lines = pieces.join('').trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { row: number }).row)).toEqual([
    ...Array(50).keys(),
  ])
})

test('rows that take no time go out some hundreds at a time', async () => {
  expect((await piecesOf(rowsOf(1_024, 0))).length).toBeLessThan(40)
})
