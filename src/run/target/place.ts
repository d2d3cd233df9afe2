/** Where the load of a run goes: a target that is there, or a fake crew started for the run. */
import { loadProfile } from '../../../fake-crew/profiles.ts'
import type { Plan } from '../../scenario/plan.ts'
import { UserError } from '../../base/mistakes.ts'
import type { FakeControl } from '../fake/control.ts'
import { findFakeControl, openFakeControl } from '../fake/control.ts'
import { startFakeProcess } from '../fake/process.ts'
import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { parseTarget } from './target.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface Place {
  target: URL
  tokens: readonly string[]
  /** The side door of a fake crew; null at a deployment. */
  fake: FakeControl | null
  /** `fake crew "default"`, or null. */
  profile: string | null
  /** A fake crew that was started for the run, and ends with it. */
  isOwn: boolean
  /** Resolves, with how and why, when the fake crew that was started for the run ends by itself. */
  died: Promise<string> | null
  close(): Promise<void>
}

export type PlaceOptions = Pick<
  RunOptions,
  'target' | 'profile' | 'dialect' | 'tokens' | 'onNote' | 'onTrouble'
>

/** Starts the fake crew where one is asked for. Throws UserError. */
export async function openPlace(
  options: PlaceOptions,
  plan: Pick<Plan, 'seed' | 'speed'>,
  env: Environment,
): Promise<Place> {
  const place = onePlace(options)
  if (place.kind === 'profile') return startedFake(place.profile, options, plan, env)
  return standingTarget(place.target, options.tokens ?? [], env)
}

/** Known before anything is started: for the printed plan. */
export function placeWords(options: PlaceOptions & Pick<RunOptions, 'engine'>): {
  target: string
  profile: string | null
} {
  if (engineOf(options).kind === 'virtual') {
    return { target: 'virtual time', profile: fakeName(demandProfile(options)) }
  }
  const place = onePlace(options)
  if (place.kind === 'target') return { target: place.target.href, profile: null }
  return { target: 'this machine', profile: fakeName(place.profile) }
}

/**
 * What virtual time simulates. Throws UserError for a target: there is nothing there that one could
 * be reached by.
 */
export function demandProfile(options: { target?: string; profile?: string }): string {
  const place = onePlace(options)
  if (place.kind === 'profile') return place.profile
  throw mistake('goes without --engine virtual, which simulates a fake crew: --profile NAME')
}

/**
 * The profile is read here first: its mistakes are told with their places, before a process is
 * started.
 */
async function startedFake(
  profile: string,
  options: PlaceOptions,
  plan: Pick<Plan, 'seed' | 'speed'>,
  env: Environment,
): Promise<Place> {
  const { speed, seed } = plan
  const own = loadProfile(profile)
  const process = await startFakeProcess({
    profile,
    speed: speed * own.speed,
    seed,
    dialect: options.dialect ?? null,
    env,
    onComplaint: (words) => (options.onTrouble ?? options.onNote)?.(words),
  })
  const target = new URL(process.url)
  let isGone = false
  void process.died.then(() => (isGone = true))
  return {
    target,
    tokens: [process.token],
    fake: await openFakeControl(target, adminTokenIn(env) ?? process.token, () => isGone),
    profile: fakeName(profile),
    isOwn: true,
    died: process.died,
    close: async () => process.stop(),
  }
}

async function standingTarget(
  target: URL,
  tokens: readonly string[],
  env: Environment,
): Promise<Place> {
  const fake = await findFakeControl(target, adminTokenIn(env))
  const name = fake?.profileName ?? null
  return {
    target,
    tokens,
    fake,
    profile: name === null ? null : fakeName(name),
    isOwn: false,
    died: null,
    close: async () => {},
  }
}

/** Of the control of a fake crew, never of a deployment. */
export function adminTokenIn(env: Environment): string | undefined {
  return env['CREWLOAD_FAKE_ADMIN_TOKEN']
}

function fakeName(profile: string): string {
  return `fake crew ${JSON.stringify(profile)}`
}

type Choice = { kind: 'target'; target: URL } | { kind: 'profile'; profile: string }

/** Throws UserError unless exactly one of the two is given, or when the target is no base URL. */
export function onePlace({ target, profile }: { target?: string; profile?: string }): Choice {
  if (target !== undefined && profile !== undefined) {
    throw mistake('goes without --profile: choose one')
  }
  if (target !== undefined) return { kind: 'target', target: parseTarget(target) }
  if (profile !== undefined) return { kind: 'profile', profile }
  throw mistake('say where to go: --target URL, or --profile NAME for a fake crew')
}

function mistake(problem: string): UserError {
  return new UserError({ source: '--target', path: '', problem })
}
