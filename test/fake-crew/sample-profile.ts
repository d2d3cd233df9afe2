/**
 * A plain profile for tests: two tasks of one and two seconds, no failures, no limits, no latency.
 */
import { parse } from 'yaml'
import type { Profile, WrittenProfile } from '../../fake-crew/model/profile.ts'

/** What stands in a YAML file. */
export function written(text: string): WrittenProfile {
  return parse(text) as WrittenProfile
}

/** `sampleProfile` as its author writes it. */
export const SAMPLE = written(`
name: sample
inputs: [topic, audience]
tasks:
  - { id: research, agent: research agent, duration: 1s, output: 300B }
  - { id: writing, agent: writing agent, duration: 2s, output: 300B }
capacity: { workers: unlimited, overLimit: { retryAfter: 7s } }
tokens: { user: { kickoff: false } }
limits: { body: 1000 }
`)

export const SECOND = 1_000_000

export function sampleProfile(changes: Partial<Profile> = {}): Profile {
  return {
    name: 'sample',
    description: '',
    seed: 1,
    speed: 1,
    dialect: 'interface',
    inputs: ['topic', 'audience'],
    tasks: [sampleTask('research', SECOND), sampleTask('writing', 2 * SECOND)],
    overhead: { kind: 'constant', value: 0 },
    stuckChance: 0,
    capacity: {
      workers: null,
      queueLimit: null,
      overLimit: { status: 503, retryAfterSeconds: 7 },
      coldStart: null,
    },
    http: {
      latency: { inputs: constant(0), kickoff: constant(0), status: constant(0) },
      pool: null,
    },
    retentionMicros: null,
    tokens: { user: { inputs: true, kickoff: false, status: true, resume: true } },
    limits: { bodyBytes: 1_000, headers: 'none', rules: [] },
    faults: [],
    ...changes,
  }
}

export function sampleTask(id: string, durationMicros: number): Profile['tasks'][number] {
  return {
    id,
    agent: `${id} agent`,
    duration: constant(durationMicros),
    failure: { chance: 0, message: `${id} went wrong` },
    output: constant(300),
  }
}

export function constant(value: number): { kind: 'constant'; value: number } {
  return { kind: 'constant', value }
}
