/** Tokens are taken out of a target's texts in every form in which it may echo them. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { notReached, unsentRecord } from '../../src/execution/machine.ts'
import { blank, withoutTokens } from '../../src/host/secrets.ts'
import { crewSaid } from '../support/reasons.ts'

const TOKEN = 'se/cr+et~"0123'

test.each([
  ['as it is', TOKEN],
  ['as JSON', JSON.stringify(TOKEN).slice(1, -1)],
  ['as JSON of PHP', JSON.stringify(TOKEN).slice(1, -1).replaceAll('/', '\\/')],
  ['as part of a URL', encodeURIComponent(TOKEN)],
  [
    'as part of a URL, in lower case',
    encodeURIComponent(TOKEN).replaceAll(/%../g, (hex) => hex.toLowerCase()),
  ],
])('%s', (_, form) => {
  expect(blank(`you sent ${form}, twice: ${form}`, ['another-token', TOKEN])).toBe(
    'you sent ***, twice: ***',
  )
})

test.each([
  ['ApiKey super-secret-1', 'super-secret-1'],
  ['Token token=super-secret-1', 'super-secret-1'],
  ['Digest username="load", response="super-secret-1"', 'super-secret-1'],
  ['super-secret-1 more', 'super-secret-1 more'],
])('a part of a header is a secret too: %s', (header, secret) => {
  const echoed = Buffer.from(secret).toString('base64')
  expect(blank(`got ${header}, ${secret}, ${echoed}.`, [header])).toMatch(
    /^got \*\*\*, \*\*\*, .{0,4}\*\*\*.{0,4}\.$/,
  )
})

test('in base64 at any position, of either alphabet, no six letters of it stay', () => {
  const ascii = fc.string({
    minLength: 8,
    maxLength: 40,
    unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
  })
  const beside = fc.string({ maxLength: 8 })
  fc.assert(
    fc.property(
      ascii,
      beside,
      beside,
      fc.constantFrom('base64', 'base64url'),
      (token, before, after, alphabet) => {
        const whole = Buffer.from(before + token + after).toString(alphabet)
        const clean = blank(`a ${whole} b`, [token])
        expect(clean).toContain('***')
        const left = clean
          .slice(2, -2)
          .split('***')
          .map((part) => Buffer.from(part, 'base64').toString())
        for (const part of left) expect(part).not.toContain(token.slice(0, 6))
      },
    ),
    { seed: 3, numRuns: 300 },
  )
})

test('a token of fewer than eight characters is left, and what stands around it stays readable', () => {
  expect(blank('connect EMFILE e', ['e', 'EMFILE', 'abcdefg'])).toBe('connect EMFILE e')
})

test('leaves the journal in the reason of an execution, whoever cited it', () => {
  const arrival = { index: 0, instance: 0, intendedMicros: 0, warmUp: false }
  const author = { code: 'author-error', part: 'inputs', text: `no ${TOKEN}` } as const
  const stop = { code: 'asked', why: `for ${TOKEN}` } as const
  const stopped = { code: 'stopped', when: 'unsent', stop } as const
  const lines = [crewSaid(`bad ${TOKEN}`), author, stopped].map((reason) => {
    const record = unsentRecord(arrival, notReached(reason), 0)
    return JSON.stringify(withoutTokens({ type: 'ended', record }, [TOKEN]))
  })
  expect(lines[0]).toContain('"reason":{"code":"crew-error","text":"bad ***"}')
  expect(lines[1]).toContain('"part":"inputs","text":"no ***"')
  expect(lines[2]).toContain('"code":"asked","why":"for ***"')
})
