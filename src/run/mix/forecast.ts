/** What a mix is going to do, known before anything is sent. */
import type { PlanText } from '../../report/frame/render/terminal.ts'
import { leastOf } from '../../engine/sending-budget.ts'
import { forecastOf } from '../plan/forecast.ts'
import type { Forecast } from '../forecast.ts'
import { budgetWords, renderForecast } from '../plan/text.ts'
import { renderPlanText } from '../../report/frame/render/terminal.ts'
import { formatCount } from '../../base/numbers.ts'
import type { RunOptions } from '../options.ts'
import type { PreparedMix } from './parts.ts'

export interface MixForecast extends Pick<Forecast, 'kickoffs' | 'cost' | 'budget'> {
  mix: string
  parts: readonly { part: string; facts: Forecast }[]
}

export function mixForecastOf(
  { name, parts, budget }: PreparedMix,
  options: Pick<RunOptions, 'maxCost'>,
): MixForecast {
  const { maxCost } = options
  const forecasts = parts.map((part) => ({
    part: part.name,
    facts: forecastOf(part.plan, part.options),
  }))
  const sumOf = (key: 'kickoffs' | 'cost'): number | null => {
    const known = forecasts.flatMap((each) => each.facts[key] ?? [])
    return known.length < forecasts.length ? null : known.reduce((sum, each) => sum + each, 0)
  }
  const cost = leastOf(sumOf('cost'), maxCost)
  return {
    mix: name,
    kickoffs: leastOf(sumOf('kickoffs'), budget.kickoffs),
    cost,
    budget: { ...budget, maxCost: maxCost ?? null },
    parts: forecasts,
  }
}

/** The plan of each part, and below them what they may spend together. */
export function renderMixForecast({ mix, parts, kickoffs, cost, budget }: MixForecast): string {
  const rows: PlanText['rows'] = [
    ['parts', parts.map(({ part }) => part).join(', ')],
    ['kickoffs', kickoffs === null ? 'as many as the clients complete' : formatCount(kickoffs)],
    ...(cost === null ? [] : [['cost', formatCount(cost)] as const]),
    ['budget', `${budgetWords(budget)}, of all parts together`],
  ]
  const own = parts.map(({ part, facts }) =>
    renderForecast({ ...facts, scenario: `${mix}: ${part}` }),
  )
  return [...own, renderPlanText({ title: `mix ${mix}`, rows })].join('\n')
}
