/** A budget and its parts: none is passed, whatever shares it, and nothing is lost of it. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Spent } from '../../src/engine/sending-budget.ts'
import { SendingBudget, NO_LIMITS } from '../../src/engine/sending-budget.ts'

const amount = fc.nat(12)
const amounts = fc.record({ kickoffs: amount, requests: amount })

/** One of three parts takes one, reserves, or ends and begins anew. */
const step = fc.record({
  part: fc.nat(2),
  act: fc.oneof(
    fc.record({ kind: fc.constantFrom('kickoff' as const, 'request' as const) }),
    fc.record({ most: amounts }),
    fc.record({ end: fc.constantFrom('settle' as const, 'discard' as const) }),
  ),
})

test('three parts take no more than the whole has, and what is reserved can be sent', () => {
  fc.assert(
    fc.property(amounts, fc.array(step, { maxLength: 120 }), (limits, steps) => {
      const whole = new SendingBudget(limits)
      const partOf = () => ({
        budget: new SendingBudget(NO_LIMITS, { whole }),
        sent: none(),
        held: none(),
      })
      const parts = [partOf(), partOf(), partOf()]
      const kept = none()
      let areKept = true
      for (const { part: i, act } of steps) {
        const part = parts[i]!
        if ('most' in act) {
          if (part.budget.reserve(act.most)) part.held = sum([part.held, act.most])
        } else if ('end' in act) {
          part.budget[act.end]()
          if (act.end === 'settle') Object.assign(kept, sum([kept, part.sent]))
          parts[i] = partOf()
        } else {
          const key = `${act.kind}s` as const
          const wasHeld = part.held[key] > 0
          const isSent = part.budget.spend(act.kind)
          areKept &&= isSent || !wasHeld
          if (isSent) part.sent[key]++
          if (wasHeld) part.held[key]--
        }
        const spent = sum([kept, ...parts.map(({ sent }) => sent)])
        const reserved = sum(parts.map(({ held }) => held))
        expect(areKept).toBe(true)
        expect(whole.spent).toEqual(spent)
        expect(whole.reservedByParts).toEqual(reserved)
        for (const key of ['kickoffs', 'requests'] as const) {
          expect(whole.left[key]).toBe(limits[key] - spent[key] - reserved[key])
          expect(whole.left[key]).toBeGreaterThanOrEqual(0)
        }
      }
    }),
  )
})

const none = (): Spent => ({ kickoffs: 0, requests: 0 })

const sum = (all: readonly Spent[]): Spent => ({
  kickoffs: all.reduce((total, { kickoffs }) => total + kickoffs, 0),
  requests: all.reduce((total, { requests }) => total + requests, 0),
})

describe('a part', () => {
  test('takes from both, and neither where one of them has none left', () => {
    const whole = new SendingBudget({ kickoffs: 3, requests: null })
    const part = new SendingBudget({ kickoffs: 2, requests: 1 }, { whole })
    expect([1, 2, 3].map(() => part.spend('kickoff'))).toEqual([true, true, false])
    const other = new SendingBudget(NO_LIMITS, { whole })
    expect([1, 2].map(() => other.spend('kickoff'))).toEqual([true, false])
    expect([part.spent, other.spent, whole.spent].map(({ kickoffs }) => kickoffs)).toEqual([
      2, 1, 3,
    ])
    expect(other.left).toEqual({ kickoffs: 0, requests: null })
  })

  test('counts what was spent before as its own, and not once more in the whole', () => {
    const whole = new SendingBudget(
      { kickoffs: null, requests: 10 },
      { spent: { kickoffs: 0, requests: 7 } },
    )
    const part = new SendingBudget(NO_LIMITS, { whole, spent: { kickoffs: 0, requests: 4 } })
    expect([1, 2, 3, 4].map(() => part.spend('request'))).toEqual([true, true, true, false])
    expect([part.spent.requests, whole.spent.requests]).toEqual([7, 10])
  })
})

test('the first of the shares of a budget holds what was spent before', () => {
  const spent = { kickoffs: 0, requests: 3 }
  const whole = new SendingBudget({ kickoffs: 5, requests: 10 }, { spent })
  const shares = [0, 1].map((instance) => whole.shareOf({ instance, instances: 2 }))
  expect(shares.map(({ left }) => left)).toEqual([
    { kickoffs: 3, requests: 4 },
    { kickoffs: 2, requests: 3 },
  ])
  expect(shares.map((share) => share.spent.requests)).toEqual([3, 0])
})
