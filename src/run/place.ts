/** Where the load of a run goes: a target that is there, or a fake crew started for the run. */
import { loadProfile } from '../../fake-crew/profiles.ts'
import { isLoopback } from '../loopback.ts'
import type { Plan } from '../scenario/plan.ts'
import { UserError } from '../mistakes.ts'
import type { FakeControl } from './fake-control.ts'
import { openFakeControl } from './fake-control.ts'
import { startFakeProcess } from './fake-process.ts'
import type { RunOptions } from './options.ts'
import { parseTarget } from './target.ts'

export interface Place {
  target: URL
  tokens: readonly string[]
  /** The side door of a fake crew; null at a deployment. */
  fake: FakeControl | null
  /** `fake crew "default"`, or null. */
  profile: string | null
  close(): Promise<void>
}

/** Throws UserError when the options name no place, or two. */
export async function openPlace(
  options: RunOptions,
  plan: Plan,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Place> {
  const { target, profile } = options
  if (target !== undefined && profile !== undefined) {
    throw new UserError({
      source: '--target',
      path: '',
      problem: 'goes without --profile: choose one',
    })
  }
  if (profile !== undefined) return startedFake(profile, options, plan, env)
  if (target === undefined) throw noPlace()
  return standingTarget(parseTarget(target), options.tokens ?? [])
}

/** Known before anything is started: for the printed plan. */
export function placeWords(options: RunOptions): { target: string; profile: string | null } {
  const { target, profile } = options
  if (target !== undefined) return { target: parseTarget(target).href, profile: null }
  if (profile === undefined) throw noPlace()
  return { target: 'this machine', profile: fakeName(profile) }
}

/** The profile is read here first: its mistakes are told with their places, before a process is started. */
async function startedFake(
  profile: string,
  options: RunOptions,
  plan: Plan,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Place> {
  const { speed, seed } = plan
  loadProfile(profile)
  const process = await startFakeProcess({
    profile,
    speed,
    seed,
    dialect: options.dialect ?? null,
    env,
  })
  const target = new URL(process.url)
  return {
    target,
    tokens: [process.token],
    fake: await openFakeControl(target, process.token),
    profile: fakeName(profile),
    close: async () => process.stop(),
  }
}

/** Only on this machine is a target asked whether it is a fake crew: a deployment gets the requests of the interface alone. */
async function standingTarget(target: URL, tokens: readonly string[]): Promise<Place> {
  const fake = isLoopback(target.hostname) ? await openFakeControl(target, tokens[0] ?? '') : null
  const name = fake?.profileName ?? null
  return {
    target,
    tokens,
    fake,
    profile: name === null ? null : fakeName(name),
    close: async () => {},
  }
}

function fakeName(profile: string): string {
  return `fake crew ${JSON.stringify(profile)}`
}

function noPlace(): UserError {
  return new UserError({
    source: '--target',
    path: '',
    problem: 'say where the load goes: --target URL, or --profile NAME for a fake crew',
  })
}
