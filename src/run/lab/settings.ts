/**
 * What the sliders of the laboratory set, and the scenario and the profile that it means: the same
 * files that a run takes.
 */
import { toDigits } from '../../base/numbers.ts'
import { durationText, MICROS_PER_MS } from '../../base/units.ts'
/** What it reads and replaces in a profile as its author wrote it. */
export interface LabProfile {
  tasks: readonly { duration: unknown; failure?: object }[]
  inputs?: readonly (string | { name: string })[]
  capacity?: object
  limits?: { rules?: readonly object[] }
}

/** Times are in seconds. */
export interface LabSettings {
  seed: number
  perMinute: number
  minutes: number
  deadline: number
  workers: number
  /** Multiplies the times of the tasks. */
  taskTimes: number
  /** The share of executions that fail, 0 to 1; null keeps what the profile says. */
  failed: number | null
  /** Requests a minute that are let in; 0 adds no limit to those of the profile. */
  statusLimit: number
  kickoffLimit: number
  firstPoll: number
  pollFactor: number
  longestPoll: number
  /** Of one kickoff, in any money. */
  price: number
}

export interface LabOrder {
  settings: LabSettings
  written: LabProfile
}

export type LabAnswer =
  | { kind: 'result'; numbers: LabNumbers; verdict: string; page: string }
  | { kind: 'mistakes'; mistakes: string[] }

export interface LabNumbers {
  /** Milliseconds; null for what never ended. */
  p50: number | null
  p95: number | null
  arrivals: number
  completed: number
  failed: number
  unserved: number
  /** Accepted, and not ended, when the last arrival came; at most. */
  backlog: number
  polls: number | null
  refused: number
  kickoffs: number
}

export const USUAL: LabSettings = {
  seed: 42,
  perMinute: 6,
  minutes: 60,
  deadline: 1_800,
  workers: 10,
  taskTimes: 1,
  failed: null,
  statusLimit: 0,
  kickoffLimit: 0,
  firstPoll: 2,
  pollFactor: 1.5,
  longestPoll: 15,
  price: 0.1,
}

/** A scenario as a file holds it. */
export function labScenario(settings: LabSettings, crew: LabProfile): Record<string, unknown> {
  const { seed, perMinute, minutes, deadline, firstPoll, pollFactor, longestPoll } = settings
  const inputs = Object.fromEntries(inputNames(crew).map((name) => [name, 'any']))
  return {
    name: 'lab',
    description: 'Made in the laboratory.',
    seed,
    arrivals: { rate: `${perMinute}/m`, for: `${minutes}m`, process: 'poisson' },
    inputs,
    polling: {
      exponential: {
        initial: seconds(firstPoll),
        factor: pollFactor,
        max: seconds(Math.max(firstPoll, longestPoll)),
      },
    },
    deadline: seconds(deadline),
  }
}

function seconds(value: number): string {
  return durationText(Math.round(value * 1_000) * MICROS_PER_MS)
}

function inputNames({ inputs = [] }: LabProfile): string[] {
  return inputs.map((input) => (typeof input === 'string' ? input : input.name))
}

/** `written` with what the sliders change. */
export function labProfile(written: LabProfile, settings: LabSettings): LabProfile {
  const { workers, taskTimes, failed, statusLimit, kickoffLimit } = settings
  const chance = failed === null ? null : 1 - (1 - failed) ** (1 / written.tasks.length)
  const tasks = written.tasks.map((task) => {
    const duration = scaled(task.duration, taskTimes)
    if (chance === null) return { ...task, duration }
    const failure = { message: 'the task failed', ...task.failure, chance: round(chance) }
    return { ...task, duration, failure }
  })
  const rules = [...limitRule('status', statusLimit), ...limitRule('kickoff', kickoffLimit)]
  const { limits } = written
  return {
    ...written,
    tasks,
    capacity: { ...written.capacity, workers },
    ...(rules.length === 0
      ? {}
      : { limits: { ...limits, rules: [...(limits?.rules ?? []), ...rules] } }),
  }
}

function limitRule(operation: 'status' | 'kickoff', perMinute: number): object[] {
  if (perMinute === 0) return []
  const capacity = Math.max(1, Math.ceil(perMinute / 6))
  const tokenBucket = { rate: `${perMinute}/m`, capacity }
  return [{ name: `lab ${operation}`, operations: [operation], tokenBucket }]
}

const DURATION = /^(\d+(?:\.\d+)?)(us|ms|s|m|h)$/

/** Every duration in a distribution, multiplied. */
function scaled(value: unknown, factor: number): unknown {
  if (factor === 1) return value
  if (typeof value === 'string') {
    const [, number, unit] = DURATION.exec(value) ?? []
    return number === undefined ? value : `${round(Number(number) * factor)}${unit}`
  }
  if (Array.isArray(value)) return value.map((each) => scaled(each, factor))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, scaled(each, factor)]),
  )
}

function round(value: number): number {
  return toDigits(value, 6)
}
