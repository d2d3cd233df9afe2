/** Makes the plans of a mix: its parts, each with its scenario and its options. */
import { resolve } from 'node:path'
import { env as processEnv } from 'node:process'
import type { Mistake } from '../../base/mistakes.ts'
import { demandNone, nearTo, UserError } from '../../base/mistakes.ts'
import { hashText } from '../../base/random.ts'
import type { BudgetPlan, Plan } from '../../scenario/plan.ts'
import type { ParsedMix, ParsedPart } from '../../scenario/schema/mix.ts'
import { isMix, parseMix } from '../../scenario/schema/mix.ts'
import { demandMixable } from '../chosen-engine.ts'
import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { affordable, limited, prepare } from '../plan/prepare.ts'
import type { LoadedScenario } from '../scenario/load.ts'
import { loadScenario, shippedScenarios } from '../scenario/load.ts'
import { parseTarget } from '../target/chosen-place.ts'
import { InputsRefused } from '../target/refused-inputs.ts'
import type { PreparedPart } from '../bodies/together.ts'

export interface PreparedMix extends Pick<ParsedMix, 'name' | 'description'> {
  /** Of all parts together. */
  budget: BudgetPlan
  /** Of the crew that all parts load, where it is made for the run. */
  crew: Pick<Plan, 'seed' | 'speed'>
  parts: readonly PreparedPart[]
}

/** A part with what its plan is made of. */
export interface OrderedPart extends Omit<PreparedPart, 'plan'> {
  scenario: () => Promise<LoadedScenario>
}

export interface OrderedMix extends Omit<PreparedMix, 'parts'> {
  /** Without what money bounds: that follows from the prices of the parts. */
  budget: BudgetPlan
  parts: readonly OrderedPart[]
}

/** What was loaded, where it is a mix; null for one scenario. */
export function mixIn(from: LoadedScenario): LoadedScenario | null {
  return isMix(from.scenario) ? from : null
}

/**
 * What is known of the places of a mix before it is prepared: every target, that of the options
 * first where a part has none of its own. `isWhole`: the parts need no other. Throws UserError for
 * what is no mix.
 */
export function mixPlaces(
  from: LoadedScenario,
  { target, profile }: Pick<RunOptions, 'target' | 'profile'>,
): { targets: readonly string[]; isWhole: boolean; haveTokens: boolean } {
  const { parts } = parseMix(from.scenario, from.source)
  const own = parts.flatMap((part) => part.target ?? [])
  const haveOwn = own.length === parts.length
  return {
    targets: [...(haveOwn || target === undefined ? [] : [target]), ...own],
    isWhole: haveOwn && profile === undefined,
    haveTokens: parts.every(({ tokenFrom }) => tokenFrom !== null),
  }
}

/** Throws UserError with every mistake of the mix and of its parts. */
export async function prepareMix(from: LoadedScenario, options: RunOptions): Promise<PreparedMix> {
  const { parts: ordered, ...mix } = orderMix(from, options)
  const made = await Promise.allSettled(
    ordered.map(async ({ scenario, ...part }): Promise<PreparedPart> => {
      const plan = await prepare(scenario(), part.options, 'measured')
      return Object.assign(part, { plan })
    }),
  )
  const parts = made.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  if (parts.length < made.length) throw allMistakes(made)
  demandMixable(options, parts)
  demandOneCurrency(parts)
  return { ...mix, budget: budgetTogether(mix, parts, options), parts }
}

/** Throws UserError for amounts that no budget can add up. */
function demandOneCurrency(parts: readonly PreparedPart[]): void {
  const priced = parts.flatMap(({ name, plan: { budget, prices } }) =>
    budget.cost === undefined || prices === undefined ? [] : { name, currency: prices.currency },
  )
  const [first, ...others] = priced
  const mistakes = others
    .filter(({ currency }) => currency !== first!.currency)
    .map(({ name, currency }) => ({
      source: name,
      path: 'prices.currency',
      found: currency ?? 'none',
      problem: `expected ${first!.currency ?? 'none'}, as of ${first!.name}: --max-cost bounds all parts together`,
    }))
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** Where a part has prices, money bounds what all of them cost in place of kickoffs. */
export function budgetTogether(
  { budget }: Pick<OrderedMix, 'budget'>,
  parts: readonly Pick<PreparedPart, 'plan'>[],
  options: RunOptions,
): BudgetPlan {
  const cost = parts.flatMap(({ plan }) => plan.budget.cost ?? [])[0]
  return cost === undefined
    ? limited(budget, options.budget, affordable(options))
    : { ...budget, cost }
}

/** One UserError with all of their mistakes, or the first error of another kind. */
export function allMistakes(settled: readonly PromiseSettledResult<unknown>[]): unknown {
  const errors = settled.flatMap((each): unknown[] =>
    each.status === 'rejected' ? [each.reason] : [],
  )
  const other = errors.find((error) => !(error instanceof UserError))
  if (other !== undefined) return other
  const mistakes = errors.flatMap((error) => (error as UserError).mistakes)
  const wereSent = errors.some((error) => error instanceof InputsRefused)
  return wereSent ? new InputsRefused(mistakes) : new UserError(mistakes)
}

/** What is known before any scenario is read. Throws UserError with every mistake in it. */
export function orderMix(from: LoadedScenario, options: RunOptions): OrderedMix {
  const { source } = from
  const { name, description, ...mix } = parseMix(from.scenario, source)
  affordable(options)
  const budget = limited(mix.budget, options.budget)
  const crew = { seed: options.seed ?? mix.seed, speed: options.speed ?? 1 }
  const names = mix.parts.map((part) => part.name)
  const { target } = options
  demandNone([
    ...changesOfNoPart(names, options),
    ...exporterMistakes(options),
    ...(target === undefined ? [] : targetMistakes(target, { source: '--target' })),
    ...mix.parts.flatMap((part) => placeMistakes(part, source, options)),
  ])
  const home = homeOf(mix.parts, options)
  demandNone(mix.parts.flatMap((part) => strangeTokenMistakes(part, source, home)))
  const parts = mix.parts.map((part): OrderedPart => ({
    name: part.name,
    scenario: async () => scenarioOf(part, from),
    options: optionsOf(part, isAtHome(part, home) ? options : atAnotherOrigin(part.name, options), {
      budget,
      seed: crew.seed,
    }),
    hasOwnToken: part.tokenFrom !== null,
  }))
  return { name, description, budget, crew, parts }
}

async function scenarioOf(part: ParsedPart, from: LoadedScenario): Promise<LoadedScenario> {
  const { scenario } = part
  if (typeof scenario !== 'string') {
    return { ...from, scenario, source: `${from.source} parts.${part.name}` }
  }
  const isShipped = (await shippedScenarios()).includes(scenario)
  return loadScenario(isShipped ? scenario : resolve(from.folder, scenario))
}

/** Equal scenarios in two parts must not draw the same arrivals. */
function seedOf(seed: number, part: string): number {
  return hashText(`${seed} ${part}`)
}

function optionsOf(
  { name, target, tokenFrom }: ParsedPart,
  { tokenSource, ...options }: RunOptions,
  { budget, seed }: { budget: BudgetPlan; seed: number },
): RunOptions {
  const { set = {}, env = processEnv } = options
  const crew = target ?? options.target
  const token = tokenFrom === null ? null : (env[tokenFrom] ?? '')
  const prefix = `${name}.`
  const own = Object.entries(set).filter(([path]) => path.startsWith(prefix))
  return {
    ...options,
    budget: Object.fromEntries(Object.entries(budget).filter(([, limit]) => limit !== null)),
    seed: seedOf(seed, name),
    set: Object.fromEntries(own.map(([path, value]) => [path.slice(prefix.length), value])),
    ...(crew === undefined ? {} : { target: parseTarget(crew).href }),
    tokensFrom: `${tokenFrom ?? options.tokensFrom ?? 'the token of the run'} (part ${name})`,
    ...(token === null ? (tokenSource === undefined ? {} : { tokenSource }) : { tokens: [token] }),
  }
}

/**
 * The one origin that tokens and headers of the run are meant for; null where that may be several.
 */
function homeOf(parts: readonly ParsedPart[], { target }: RunOptions): string | null {
  const targets = target === undefined ? parts.flatMap((part) => part.target ?? []) : [target]
  const [home = null, ...others] = new Set(targets.map((each) => parseTarget(each).origin))
  return others.length === 0 ? home : null
}

function isAtHome({ target }: ParsedPart, home: string | null): boolean {
  return target === null || parseTarget(target).origin === home
}

/** The token of the run is not sent to whoever serves another origin. */
function strangeTokenMistakes(part: ParsedPart, source: string, home: string | null): Mistake[] {
  const { name, target, tokenFrom } = part
  if (tokenFrom !== null || isAtHome(part, home)) return []
  const whose =
    home === null
      ? 'the parts have targets of several origins, and --target does not say which of them gets ' +
        'the token'
      : `the token of the run is for ${home}, and is not sent to another origin`
  const problem = `is missing: ${whose}; name the environment variable that holds the token of this part`
  const found = JSON.stringify(target)
  return [{ source, path: `parts.${name}.tokenFrom`, problem, found }]
}

/** For a part at another origin than that of the run. */
function atAnotherOrigin(part: string, { headers = {}, tls = {}, ...options }: RunOptions) {
  const { insecure = false, cert, key: _, ...trusted } = tls
  const kept = [
    ...Object.keys(headers).map((name) => `--header ${name}`),
    ...(insecure ? ['--insecure'] : []),
    ...(cert === undefined ? [] : ['--cert']),
  ]
  if (kept.length > 0) {
    options.onNote?.(
      `${part}: its target has another origin than the run, so it is not given ${kept.join(', ')}. ` +
        'Give `headers` in its scenario, and --ca for its certificate',
    )
  }
  return { ...options, tls: trusted }
}

/** A path begins with the name of the part whose scenario it changes. */
function changesOfNoPart(names: readonly string[], { set = {} }: RunOptions): Mistake[] {
  return Object.keys(set).flatMap((path) => {
    const [first = ''] = path.split('.')
    if (names.includes(first) && path !== first) return []
    const problem = `expected the name of a part first, like "${names[0]}.arrivals.rate"`
    return [{ source: '--set', path, problem, ...nearTo(first, names) }]
  })
}

/** Each part would serve or push the metrics of one scenario under the names of all. */
function exporterMistakes({ prometheus, otlp }: RunOptions): Mistake[] {
  const problem = 'not with a mix, whose parts are measured apart'
  return [
    ...(prometheus === undefined ? [] : [{ source: '--prometheus', problem }]),
    ...(otlp === undefined ? [] : [{ source: '--otlp', problem }]),
  ]
}

function placeMistakes(
  { name, target, tokenFrom }: ParsedPart,
  source: string,
  { profile, env = processEnv, ...options }: RunOptions,
): Mistake[] {
  const at = (key: string): Pick<Mistake, 'source' | 'path'> => ({
    source,
    path: `parts.${name}.${key}`,
  })
  const mistakes: Mistake[] = []
  if (target !== null && profile !== undefined) {
    const problem = 'not beside --profile, which starts one fake crew for all parts'
    mistakes.push({ ...at('target'), problem, found: JSON.stringify(target) })
  } else if (target !== null) {
    mistakes.push(...targetMistakes(target, at('target')))
  }
  if (tokenFrom !== null && (env[tokenFrom] ?? '') === '') {
    const problem = 'is not set: the token of this part is expected in that environment variable'
    if (engineOf(options).kind !== 'virtual') {
      mistakes.push({ ...at('tokenFrom'), problem, found: tokenFrom })
    }
  }
  return mistakes
}

function targetMistakes(target: string, place: Pick<Mistake, 'source' | 'path'>): Mistake[] {
  try {
    parseTarget(target)
    return []
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.mistakes.map((mistake) => Object.assign(mistake, place))
  }
}
