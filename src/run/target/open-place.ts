/**
 * The place that receives the load of a run: an existing target, or a fake crew started for the
 * run.
 */
import type { CrewPlace } from '../../execution/record/crew-place.ts'
import type { CrewEnd } from '../../execution/record/reason.schema.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { FakeControl } from '../fake/control.ts'
import { adminTokenIn, findFakeControl, openFakeControl } from '../fake/control.ts'
import { startFakeProcess } from '../fake/process.ts'
import type { PlaceOptions } from './chosen-place.ts'
import { baseText, onePlace, profileName } from './chosen-place.ts'
import { isPaidBehind } from './paid.ts'
import type { Environment } from '../options.ts'

export interface OpenPlace {
  target: URL
  tokens: readonly string[]
  /** The control of a fake crew; null for a deployment. */
  fake: FakeControl | null
  crew: CrewPlace
  /** Whether its executions may cost money. */
  isPaid: boolean
  /** Whether the fake crew was started for the run, and ends with it. */
  isOwn: boolean
  /** Resolves when the fake crew that was started for the run ends by itself; null otherwise. */
  died: Promise<CrewEnd> | null
  close(): Promise<void>
}

/**
 * Starts the fake crew when one is asked for. A target on loopback is asked whether it is a fake
 * crew, which takes a request, unless it is to be left `unasked`. Throws UserError.
 */
export async function openPlace(
  options: PlaceOptions,
  plan: Pick<Plan, 'seed' | 'speed'>,
  env: Environment,
  unasked: 'unasked' | null = null,
): Promise<OpenPlace> {
  const place = onePlace(options)
  if (place.kind === 'profile') return startedFake(place.profile, options, plan, env)
  const { target } = place
  const fake = unasked === null ? await findFakeControl(target, adminTokenIn(env)) : null
  if (fake?.isManual === true) throw standsStill(target)
  return {
    target,
    tokens: options.tokens ?? [],
    fake,
    crew: foundCrew(target, fake),
    isPaid: await isPaidBehind(fake, env),
    isOwn: false,
    died: null,
    close: async () => {},
  }
}

function standsStill(target: URL): UserError {
  const problem =
    'a fake crew with a manual clock: no execution in it ends by itself; start it without ' +
    '--clock manual'
  return new UserError({ source: '--target', found: target.href, problem })
}

/**
 * The profile is read here first, so that its mistakes are reported with their places before a
 * process is started.
 */
async function startedFake(
  profile: string,
  options: PlaceOptions,
  plan: Pick<Plan, 'seed' | 'speed'>,
  env: Environment,
): Promise<OpenPlace> {
  const { loadProfile } = await import('../../../fake-crew/profiles.ts')
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
    crew: { kind: 'fake', profile: profileName(profile), target: baseText(target), own: true },
    isPaid: false,
    isOwn: true,
    died: process.died,
    close: async () => process.stop(),
  }
}

/** The crew at a target, which is asked whether it is a fake one. */
export async function askedCrew(target: URL, env: Environment): Promise<CrewPlace> {
  return foundCrew(target, await findFakeControl(target, adminTokenIn(env)))
}

function foundCrew(target: URL, fake: FakeControl | null): CrewPlace {
  const at = { target: baseText(target) }
  return fake === null
    ? { kind: 'deployment', ...at }
    : { kind: 'fake', profile: fake.profileName, ...at, own: false }
}
