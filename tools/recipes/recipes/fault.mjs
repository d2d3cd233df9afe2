/** A fault of the fake crew: a gateway that demands payment. */
import { equal } from 'node:assert/strict'

export const fault = {
  headings: ['A fault of the fake crew'],
  name: 'payment',
  files: {
    'fake-crew/model/faults/kinds/payment.ts': `/** A gateway that answers 402 in place of the crew. */
import { jsonContent } from '../../exchange.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault, noParameters } from '../definition.ts'

export const payment = defineFault({
  kind: 'payment',
  description: 'The account is empty: 402.',
  reach: EVERY_OPERATION,
  written: noParameters,
  effect: () => ({
    instead: () => jsonContent(402, { error: 'Payment Required', message: 'No credit is left' }),
  }),
  examples: [{ name: 'no credit', payment: {}, operations: AFTER_INPUTS, chance: '1%' }],
})
`,
  },
  lines: [
    {
      path: 'fake-crew/model/faults/kinds/list.ts',
      before: 'import { backwards, ',
      text: "import { payment } from './payment.ts'\n",
    },
    { path: 'fake-crew/model/faults/kinds/list.ts', before: '  denied,\n', text: '  payment,\n' },
    {
      path: 'test/fake-crew/faults/cases.ts',
      before: '  denied: [\n',
      text: "  payment: [onKickoff('payment: {}', 'rejected', '402', null, 0)],\n",
    },
    {
      path: 'test/verdicts/broken.ts',
      before: '  denied: [\n',
      text: "  payment: [ofAnswers('payment: {}', 'Two in five kickoffs are turned away.')],\n",
    },
  ],
  /** The file that a command of the recipe writes at the end. */
  written: ['bench/results/verdicts.md'],
  elsewhere: 2,
  tests: ['payment', 'broken crews'],

  async prove({ load, read }) {
    const { run } = await load('src/run/index.ts')
    const faults = '{ payment: {}, operations: [kickoff] }'
    const { document } = await run('smoke', {
      profile: 'fast',
      engine: 'virtual',
      out: false,
      faults,
    })
    equal(document.outcomes.rejected, 5)
    equal(document.errors[0].answer, 402)
    for (const file of [
      'schemas/profile.schema.json',
      'docs/reference.md',
      'bench/results/verdicts.md',
    ]) {
      equal(read(file).includes('payment'), true, file)
    }
    equal(read('fake-crew/profiles/chaos.yaml').includes('no credit'), true)
  },
}
