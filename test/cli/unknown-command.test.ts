/** A word that is no command. */
import { expect, test } from 'vitest'
import { cli } from '../support/cli.ts'

test.each([['nonsense'], ['nonsense', '--flag'], ['rnu', '--seed', '1'], ['toString', '--json']])(
  '%s %s is named, and not its flags',
  async (...args) => {
    const { code, stderr } = await cli(args)
    expect(code).toBe(2)
    expect(stderr).toContain(`${args[0]}: no such command`)
    expect(stderr).not.toContain('unknown option')
  },
)
