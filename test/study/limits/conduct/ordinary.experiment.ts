/**
 * Twenty limiters of public libraries and products, each with its headers, its words and its scope:
 * kind, limit, window within 5 % and scope are right in 19, within 600 requests. The one that may
 * be missed is told as uncertain: no limit is recommended that does not hold.
 */
import { expect, test } from 'vitest'
import { ORDINARY } from '../../../../bench/truth/limits/ordinary.ts'
import type { OrdinaryTrial } from '../../../../bench/truth/limits/ordinary-trial.ts'
import { ordinaryTrial } from '../../../../bench/truth/limits/ordinary-trial.ts'
import { temporaryFolder } from '../../../support/cli.ts'

const SEED = 1
/** A study of an operation may take so many, and what finds its scope is among them. */
const MOST_REQUESTS = 600

test('of twenty ordinary limiters at least nineteen are answered right', async () => {
  await using folder = await temporaryFolder()
  const trials: OrdinaryTrial[] = []
  for (const limiter of ORDINARY) trials.push(await ordinaryTrial(limiter, folder.path, SEED))
  expect(trials).toHaveLength(20)
  const wrong = trials.filter(({ isRight }) => !isRight)
  expect(wrong.slice(1).map(({ limiter, sentence }) => [limiter.name, sentence])).toEqual([])
  expect(wrong.filter(({ isAnswered }) => isAnswered)).toEqual([])
  const dear = trials.filter(({ status }) => status.requests > MOST_REQUESTS)
  expect(dear.map(({ limiter }) => limiter.name)).toEqual([])
}, 600_000)
