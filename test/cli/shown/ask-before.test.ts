import { expect, test } from 'vitest'
import { askBefore } from '../../../src/cli/shown/ask-before.ts'
import type { Io } from '../../../src/cli/io/io.ts'

async function asked(
  flags: { target?: string; yes?: boolean },
  typed: string | null,
): Promise<{ goesOn: boolean; text: string }> {
  let text = ''
  const output = { write: (more: string) => void (text += more), isTerminal: true, width: 80 }
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
    parentGone: new Promise(() => {}),
  }
  return { goesOn: await askBefore('Start?', flags, io, 'the plan\n'), text }
}

const target = 'https://crew.example'

test.each([
  ['a fake crew of its own', {}, null, true, ''],
  ['a target on this machine', { target: 'http://127.0.0.1:8000' }, null, true, ''],
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
