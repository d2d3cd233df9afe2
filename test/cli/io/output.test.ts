/** The width of an output, as its stream tells it. */
import { expect, test } from 'vitest'
import { outputOf } from '../../../src/cli/io/process-io.ts'

test.each([
  ['of a terminal that says its width', 132, 132],
  ['of a terminal whose size nobody has set', 0, 80],
  ['of a file', undefined, 80],
])('the width %s', (_name, columns, width) => {
  const stream = { columns: columns as number, isTTY: columns !== undefined, write: () => true }
  expect(outputOf(stream).width).toBe(width)
})
