/** Crews, healthy and broken, under shipped scenarios, and why the verdict on each is right. */

export interface Case {
  scenario: string
  profile: string
  /** As a profile writes it; null: the crew is as its profile says. */
  fault: string | null
  set: Readonly<Record<string, string>>
  why: string
}

const EVERY_ANSWER = 'operations: [kickoff, status], chance: 40%'
const EXECUTIONS = 'chance: 40%'

/** A long enough part of `steady` to decide its bounds on a crew that is far from them. */
const SHORT = { 'arrivals.for': '100m' }

export const CASES: readonly Case[] = [
  shipped('smoke', 'default', 'All five are served.'),
  shipped('smoke', 'fast', 'All five are served.'),
  shipped(
    'smoke',
    'cold-start',
    'The first waits for the crew to wake up; smoke promises no time.',
  ),
  shipped('smoke', 'rate-limited', 'Five executions are far below the limits.'),
  shipped('smoke', 'flaky', 'Retries get over the few errors of this profile.'),
  shipped('smoke', 'metastable', 'Without load this crew is healthy.'),
  shipped('smoke', 'chaos', 'One of five was not served, and smoke allows none.'),
  shipped('steady', 'default', 'The crew that the scenario is sized for.'),
  shipped('steady', 'fast', 'Faster than promised, and it never fails.'),
  shipped('steady', 'cold-start', 'At four a minute it never sleeps.'),
  shipped('steady', 'rate-limited', 'Far below the limits.'),
  shipped('steady', 'metastable', 'A sixtieth of the load that this crew carries.'),
  shipped(
    'steady',
    'flaky',
    '4 % of failures, and outages: so near to the bounds that four hours cannot tell.',
  ),
  shipped('steady', 'chaos', 'A fifth is not served, results are mixed up.'),
  faulty(
    'status',
    'status: { code: 500 }',
    'A kickoff answered 500 may have started and is not repeated.',
  ),
  faulty(
    'latency',
    'latency: 2s',
    'All are served, but two in five kickoffs take 2 s; the bound is 500 ms.',
  ),
  faulty('reset', 'reset: { at: before }', 'Two in five kickoffs have no answer.'),
  faulty('empty', 'empty: {}', 'Two in five kickoffs have no answer.'),
  faulty('hang', 'hang: {}', 'Two in five kickoffs time out.'),
  faulty('stall', 'stall: {}', 'Two in five kickoffs never end their answer.'),
  faulty('malformed', 'malformed: {}', 'Two in five kickoffs give no id that can be read.'),
  faulty(
    'drip',
    'drip: { pieces: 5, over: 2s }',
    'All are served, but two in five kickoffs take 2 s.',
  ),
  faulty(
    'content type',
    'contentType: text/html',
    'JSON under another name is read all the same, but the interface documents application/json.',
  ),
  faulty(
    'close idle',
    'closeIdle: { after: 1s }',
    'Kickoffs on stale connections may have started: some one in twelve is unknown.',
  ),
  broken(
    'not found',
    'notFound: { for: 1m }',
    'Two in five are 404 for longer than the grace: lost.',
  ),
  broken('no result', 'noResult: {}', 'Two in five completed answers have no result.'),
  broken('stuck', 'stuck: {}', 'Stuck ones keep their workers: soon nobody is served.'),
  broken('swap', 'swap: {}', 'Two in five have the result of somebody else.'),
  broken('never starts', 'neverStarts: {}', 'Two in five never begin.'),
]

function shipped(scenario: string, profile: string, why: string): Case {
  return { scenario, profile, fault: null, set: {}, why }
}

/** Two in five answers. */
function faulty(name: string, kind: string, why: string): Case {
  const fault = `{ name: ${name}, ${kind}, ${EVERY_ANSWER} }`
  return { scenario: 'steady', profile: 'default', fault, set: SHORT, why }
}

/** Two in five executions. */
function broken(name: string, kind: string, why: string): Case {
  const fault = `{ name: ${name}, ${kind}, ${EXECUTIONS} }`
  return { scenario: 'steady', profile: 'default', fault, set: SHORT, why }
}
