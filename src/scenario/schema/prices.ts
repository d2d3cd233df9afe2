/** What tokens cost, as an author writes it: prices per million tokens. */
import { z } from 'zod'
import type { ModelPrices, PricesPlan } from '../plan.ts'
import { number, reject, section, text } from './quantities.ts'

const MAX_PRICE = 1_000_000
const price = () => number(0, MAX_PRICE)

const own = section({ input: price(), output: price(), cached: price().optional() })

export const prices = section({
  currency: text('the name of a currency like "USD"')
    .regex(/^[A-Za-z]{1,10}$/, { error: 'expected the name of a currency like "USD"' })
    .optional(),
  input: price().optional(),
  output: price().optional(),
  cached: price().optional(),
  models: z.record(z.string(), own, { error: 'expected an object of prices by model' }).default({}),
}).transform((written, context): PricesPlan => {
  const { currency = null, input, output, cached, models } = written
  const priced = Object.entries(models).map(([name, each]) => [name, modelPrices(each)] as const)
  const plan = { currency, models: Object.fromEntries(priced) }
  if (input !== undefined && output !== undefined) {
    return { ...plan, every: modelPrices({ input, output, cached }) }
  }
  const isBare = input === undefined && output === undefined && cached === undefined
  if (isBare && priced.length > 0) return { ...plan, every: null }
  const lacks = input === undefined ? 'input' : 'output'
  return reject(context, written, `expected a price of ${lacks}, or models with their own prices`)
})

/** Cached input costs as much as other input where no price of it is given. */
function modelPrices({ input, output, cached = input }: z.output<typeof own>): ModelPrices {
  return { input, output, cached }
}
