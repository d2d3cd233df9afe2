/** A fault of the fake crew: a gateway that demands payment. */
import { equal } from 'node:assert/strict'

export const fault = {
  headings: ['A fault of the fake crew'],
  name: 'payment',
  files: {},
  lines: [
    {
      path: 'fake-crew/model/faults/kinds/answers.ts',
      before: '/** RFC 6750, section 3.1. */\n',
      text: `export const payment = defineFault({
  kind: 'payment',
  description: 'The account is empty: 402.',
  reach: EVERY_OPERATION,
  written: noParameters,
  effect: () => ({
    instead: () => ({ status: 402, headers: {}, body: 'Payment Required' }),
  }),
  examples: [{ name: 'no credit', payment: {}, operations: AFTER_INPUTS, chance: '1%' }],
})

`,
    },
    {
      path: 'fake-crew/model/faults/kinds/list.ts',
      before: '  denied: ',
      text: '  payment: answers.payment,\n',
    },
    {
      path: 'test/fake-crew/faults/cases.ts',
      before: '  denied: [\n',
      text: "  payment: [onKickoff('payment: {}', 'rejected', '402', null, 0)],\n",
    },
    {
      path: 'test/verdicts/broken.ts',
      before: '  denied: [\n',
      text: "  payment: [ofAnswers('payment: {}')],\n",
    },
  ],
  /** The file that a command of the recipe writes at the end. */
  written: ['bench/results/verdicts.md'],
  elsewhere: 1,
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
