import { describe, expect, test } from 'vitest'
import { askBefore } from '../../../src/cli/shared/ask-before.ts'
import type { Io } from '../../../src/cli/io/io.ts'
import { startedFakeCrew, startedStub } from '../../support/targets/loopback.ts'

async function asked(
  flags: { target?: string; yes?: boolean },
  typed: string | null,
  unasked = false,
): Promise<{ goesOn: boolean; text: string }> {
  let text = ''
  const output = {
    write: (more: string) => void (text += more),
    isTerminal: typed !== null,
    width: 80,
  }
  const io: Io = {
    args: [],
    stdout: output,
    stderr: output,
    env: {},
    ask: async (question) => {
      text += question
      return typed
    },
    onInterrupt: () => () => {},
    onFailure: () => () => {},
    parentGone: async () => new Promise(() => {}),
    tellParent: () => {},
  }
  return { goesOn: await askBefore('Start?', flags, io, { shown: 'the plan\n', unasked }), text }
}

const target = 'https://crew.example'

test.each([
  ['a fake crew of its own', {}, null, true, ''],
  ['a deployment, with --yes', { target, yes: true }, null, true, 'the plan\n'],
  ['a deployment, with a yes', { target }, ' Yes', true, 'the plan\nStart? [y/N] '],
  ['a deployment, with y', { target }, 'y', true, 'the plan\nStart? [y/N] '],
  ['a deployment, with just Enter', { target }, '', false, 'the plan\nStart? [y/N] '],
  ['a deployment, with another word', { target }, 'yesterday', false, 'the plan\nStart? [y/N] '],
  [
    'a deployment, without a terminal',
    { target },
    null,
    false,
    'the plan\nStart? [y/N] crewload: not interactive: pass --yes to confirm\n',
  ],
] as const)('%s', async (_, flags, typed, goesOn, text) => {
  expect(await asked(flags, typed)).toEqual({ goesOn, text })
})

test('a fake crew that was already running is not asked about', async () => {
  await using crew = await startedFakeCrew()
  expect(await asked({ target: crew.url }, 'n')).toEqual({ goesOn: true, text: '' })
})

describe('what listens on loopback and is no fake crew', () => {
  test('is asked about like any deployment', async () => {
    await using there = await startedStub()
    const question = 'the plan\nStart? [y/N] '
    expect(await asked({ target: there.url }, 'n')).toEqual({ goesOn: false, text: question })
    expect(await asked({ target: there.url }, 'y')).toEqual({ goesOn: true, text: question })
  })

  test('goes on with --yes, and without a terminal by its budget, after its plan', async () => {
    await using there = await startedStub()
    const goesOn = { goesOn: true, text: 'the plan\n' }
    expect(await asked({ target: there.url, yes: true }, 'n')).toEqual(goesOn)
    const { goesOn: without, text } = await asked({ target: there.url }, null)
    expect([without, text]).toEqual([true, 'the plan\nStart? [y/N] '])
  })

  test('gets no request where its limits shall be found untouched', async () => {
    await using there = await startedStub()
    expect(await asked({ target: there.url, yes: true }, null, true)).toMatchObject({
      goesOn: true,
    })
    expect(there.paths).toEqual([])
    expect(await asked({ target: there.url }, 'n', true)).toMatchObject({ goesOn: false })
    expect(there.paths).toEqual(['/__fake__/clock'])
  })
})
