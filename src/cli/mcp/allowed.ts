/**
 * What a person allowed when starting the server, and what a tool may therefore send, read and
 * execute. A program that calls tools is trusted with nothing else.
 */
import { realpath } from 'node:fs/promises'
import { extname, isAbsolute, relative, resolve } from 'node:path'
import { isLoopback } from '../../base/loopback.ts'
import { isProfileText } from '../../crew/fake/profile-text.ts'
import type { RunOptions } from '../../run/options.ts'
import type { LoadedScenario } from '../../run/scenario/load.ts'
import { loaded, scenarioFile, shippedScenarios } from '../../run/scenario/load.ts'
import { onePlace } from '../../run/target/chosen-place.ts'
import { namedFiles } from '../../scenario/schema/index.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { SharedBudget } from './budget.ts'
import { Refused } from './refused.ts'

export interface Allowed {
  /** Deployments. What is on loopback needs no naming. */
  targets: readonly URL[]
  budget: SharedBudget
  /** For the named targets alone: nobody else receives tokens and headers of the person. */
  connection: Required<Pick<RunOptions, 'tokens' | 'headers' | 'tls'>> &
    Pick<RunOptions, 'tokenSource' | 'tokensFrom'>
  env: NonNullable<RunOptions['env']>
  /** The folder in which run folders are created. */
  out: string
  /** Whether scenarios may be programs, which run in this process, beside the tokens. */
  code: boolean
}

export interface AskedPlace {
  target?: string | undefined
  profile?: string | undefined
  token?: string | undefined
}

interface AllowedPlace {
  /** `paid`: every kickoff counts. `asked`: only if the target does not name itself a fake crew. */
  cost: 'free' | 'paid' | 'asked'
  reach: Pick<RunOptions, 'target' | 'profile' | keyof Allowed['connection'] | 'env'>
}

/** Throws UserError for no place or two, and Refused for one that was not allowed. */
export async function allowedPlace(
  { token, ...asked }: AskedPlace,
  { targets, connection, env }: Allowed,
): Promise<AllowedPlace> {
  const place = onePlace(given(asked))
  if (place.kind === 'profile') {
    const { profile } = place
    if (!isProfileText(profile) && /[/\\]|\.ya?ml$/.test(profile)) {
      await demandInside(profile, 'profile')
    }
    return { cost: 'free', reach: { profile, env } }
  }
  const { target } = place
  const isNamed = targets.some(({ href }) => href === target.href)
  if (isNamed) return { cost: 'paid', reach: { target: target.href, ...connection, env } }
  if (!isLoopback(target.hostname)) {
    const named = targets.length === 0 ? 'none was' : targets.map(({ href }) => href).join(', ')
    const problem = `not a target that a person named when starting the server (${named})`
    throw new Refused('target', 'target', problem, target.href)
  }
  const tokens = token === undefined ? [] : [token]
  const tokensFrom = 'the argument token'
  return { cost: 'asked', reach: { target: target.href, tokens, tokensFrom, env } }
}

function given({ target, profile }: AskedPlace): { target?: string; profile?: string } {
  return {
    ...(target === undefined ? {} : { target }),
    ...(profile === undefined ? {} : { profile }),
  }
}

/**
 * Loads it once for all: its file may change meanwhile. Throws Refused for a scenario that is a
 * program, and for files outside of the working folder: its own, and those that it names.
 */
export async function allowedScenario(
  scenario: string | object,
  set: Readonly<Record<string, string>>,
  { code }: Allowed,
): Promise<LoadedScenario> {
  if (code) return loaded(scenario)
  const isFile = typeof scenario === 'string' && !(await shippedScenarios()).includes(scenario)
  if (isFile) {
    await demandInside(scenario, 'scenario')
    await scenarioFile(scenario)
    const names = [scenario, await realOf(scenario)]
    if (names.some((name) => extname(name) !== '.json')) throw isProgram(scenario)
  }
  const from = await loaded(scenario)
  const { rows, replay } = namedFiles(from.scenario, set)
  for (const file of [rows, replay?.path ?? null]) {
    if (file !== null) await demandInside(resolve(from.folder, file), 'scenario')
  }
  return from
}

function isProgram(scenario: string): Refused {
  const problem =
    "a program would run beside this server's tokens: give an object or a .json file, " +
    'or a person sets --allow-code'
  return new Refused('program', 'scenario', problem, scenario)
}

/** Throws Refused for pushes from or to other machines. */
export function demandAllowedPlan({ webhooks }: Plan): void {
  if (webhooks === undefined) return
  const { host, publicUrl } = webhooks
  const hosts = [host, ...(publicUrl === null ? [] : [new URL(publicUrl).hostname])]
  const other = hosts.find((each) => !isLoopback(each))
  if (other === undefined) return
  throw new Refused('target', 'webhooks', 'only allowed on this machine', other)
}

/** Throws Refused for a path outside of the working folder and of `others`. */
export async function demandInside(
  path: string,
  source: string,
  others: readonly string[] = [],
): Promise<void> {
  const real = await realOf(path)
  const roots = await Promise.all(['.', ...others].map(realOf))
  const isInside = roots.some((root) => {
    const below = relative(root, real)
    return !below.startsWith('..') && !isAbsolute(below)
  })
  if (!isInside) throw new Refused('file', source, 'outside of the working folder', path)
}

/** Of a file that does not exist: where it would be. */
async function realOf(path: string): Promise<string> {
  const whole = resolve(path)
  return realpath(whole).catch(() => whole)
}
