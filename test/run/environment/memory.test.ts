/** Short memory is said, and is no fault of crewload or of a scenario. */
import { expect, test } from 'vitest'
import { memoryProblem } from '../../../src/run/environment/shortages.ts'
import { compileMistakes } from '../../../src/run/scenario/load.ts'

const WASM = 'WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance'

test.each([
  new RangeError(WASM),
  new RangeError('Array buffer allocation failed'),
  Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' }),
])('%s', (error) => {
  expect(memoryProblem(error)).toContain(`could not get the memory it needs (${error.message})`)
})

test.each([new RangeError('Invalid array length'), new Error(WASM), null])(
  '%s is something else',
  (error) => expect(memoryProblem(error)).toBeNull(),
)

test.each(['The service was stopped', 'The service is no longer running: write EPIPE'])(
  'a compiler that ended is not a mistake of the scenario: %s',
  (message) => {
    const [mistake] = compileMistakes(new Error(message), 'steady.ts')
    expect(mistake!.source).toBe('esbuild')
    expect(mistake!.problem).toContain('if it was short of memory')
  },
)
