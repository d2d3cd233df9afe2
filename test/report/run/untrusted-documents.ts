/** Documents of runs that cannot be trusted. */
import type { ResultDocument } from '../../../src/result/document.ts'
import { steadyDocument } from './sample-document.ts'
import { instanceOf } from './sample-instances.ts'
import { generatorChecks } from './sample-numbers.ts'

/** One of four instances was killed. */
export function severalDocument(): ResultDocument {
  const base = steadyDocument(120, 3)
  const message = 'instance 3 of 4 did not finish: 12 executions without an end'
  const killed = { ...instanceOf(3, 18), finished: false, maxInFlight: null, utilisation: null }
  return {
    ...base,
    run: { ...base.run, engine: 'k6', instances: 4, stopped: 'crashed' },
    verdict: {
      outcome: 'invalid',
      valid: false,
      problems: 0,
      reasons: [{ code: 'records-missing', message, remedy: 'run again' }],
      sentence: `Invalid. ${message}.`,
    },
    generator: {
      ...base.generator,
      checks: generatorChecks('ok', { name: 'records', measured: message }),
      instances: [
        { ...killed, peakMemoryBytes: null },
        ...[0, 1, 2].map((instance) => instanceOf(instance, 34)),
      ],
    },
  }
}

/** The generator was late: nothing of it may be trusted. */
export function invalidDocument(): ResultDocument {
  const base = steadyDocument(120, 3)
  return {
    ...base,
    verdict: {
      outcome: 'invalid',
      valid: false,
      problems: 0,
      reasons: [
        {
          code: 'lateness',
          message: 'the generator was late: p99 38 ms, bound 5 ms',
          remedy: 'lower the rate or use several k6 processes',
        },
      ],
      sentence: 'Invalid. The generator was late: p99 38 ms, bound 5 ms.',
    },
    generator: {
      ...base.generator,
      checks: generatorChecks('ok', { name: 'lateness', measured: '38 ms' }),
    },
  }
}
