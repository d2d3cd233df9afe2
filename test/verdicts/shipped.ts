/** Why the verdict of each shipped scenario on each shipped profile is right. */

export interface ShippedScenario {
  speed?: number
  /** What shortens it where its verdict stays the same. */
  set?: Readonly<Record<string, string>>
  /** How it was shortened or run otherwise, for whoever reads the table. */
  note?: string
  /** By profile. */
  why: Readonly<Record<string, string>>
}

const OTHER_INPUTS = {
  'slow-report':
    'This crew wants other inputs. One unpaid request shows it, and the message names them.',
  'travel-planner':
    'This crew wants other inputs. One unpaid request shows it, and the message names them.',
}

const TOO_SLOW_FOR_4_S =
  'Ten workers do 0.13 executions a second and get 4, so that the crew is buried, and nobody ' +
  'is served in time.'

const TOO_SLOW_FOR_CHAOS =
  'Executions take a minute, and this scenario gives up after 20 s: it is sized for executions ' +
  'of a second.'

export const SHIPPED: Readonly<Record<string, ShippedScenario>> = {
  chaos: {
    why: {
      ...OTHER_INPUTS,
      chaos:
        'A careful client still gets three in four results. Its promises allow the rest, and ' +
        'the page names what the crew mixed up and forgot.',
      'cold-start': TOO_SLOW_FOR_CHAOS,
      default: TOO_SLOW_FOR_CHAOS,
      fast: 'It has no faults at all.',
      flaky: TOO_SLOW_FOR_CHAOS,
      metastable: 'Executions take 10 s, and 5 s are promised.',
      'rate-limited': TOO_SLOW_FOR_CHAOS,
    },
  },
  closed: {
    why: {
      ...OTHER_INPUTS,
      chaos: 'A fifth of the executions is not served, and results are mixed up.',
      'cold-start': 'Eight clients never leave the crew idle for five minutes.',
      default: 'Eight clients at ten workers never wait.',
      fast: 'It is faster than promised, and never fails.',
      flaky: 'Truly 4 % fail, which is too near to the bound of 5 % for four hours to tell.',
      metastable: 'Eight clients are few for this crew.',
      'rate-limited': 'Eight clients are far below the limits.',
    },
  },
  demo: {
    speed: 120,
    note: 'At speed 120, as `crewload demo` runs it: latencies of HTTP keep their real time, and count 120-fold.',
    why: {
      ...OTHER_INPUTS,
      chaos: 'A quarter of the executions is not served, and results are mixed up.',
      'cold-start': 'At four a minute the crew never falls asleep.',
      default: 'The crew that the demonstration shows.',
      fast: 'It is faster than promised, and never fails.',
      flaky: 'Few kickoffs meet an outage, and they meet it together: 227 are too few to tell.',
      metastable:
        'A kickoff takes 300 ms of real time and a poll 40 ms: in this time-lapse the four ' +
        'HTTP servers are congested, and the end is known late.',
      'rate-limited':
        'The windows of the limits are shortened like everything else: nothing is refused.',
    },
  },
  ramp: {
    why: {
      ...OTHER_INPUTS,
      chaos:
        'One in eleven is lost, and no one may be; the run stops as soon as the p95 is missed ' +
        'for certain.',
      'cold-start': 'After the first execution it never sleeps, and then it is the default crew.',
      default:
        'Only the last half hour lies above the eight a minute that ten workers can do, and ' +
        'queues stay below half an hour.',
      fast: 'Ten a minute are nothing for this crew.',
      flaky:
        'Retries get over its outages, no execution is lost, and 5 % of failures are within ' +
        'the default promise of 10 %.',
      metastable: 'Ten a minute are a twenty-fourth of what this crew carries.',
      'rate-limited': 'Ten a minute are far below the limits, and its 2,000 workers never queue.',
    },
  },
  'rate-limit': {
    set: {
      'arrivals.steps[0].for': '1m',
      'arrivals.steps[1].for': '2m',
      'arrivals.steps[2].for': '1m',
    },
    note: 'With steps of one, two and one minutes in place of five each.',
    why: {
      ...OTHER_INPUTS,
      chaos: 'A fifth is not served, and results are mixed up.',
      'cold-start': TOO_SLOW_FOR_4_S,
      default: TOO_SLOW_FOR_4_S,
      fast: 'It has no limits, and ends at once.',
      flaky: TOO_SLOW_FOR_4_S,
      metastable:
        'Nine a second are as much as its HTTP servers can answer; it falls behind for the ' +
        'middle stretch, and catches up.',
      'rate-limited':
        'Polls above the limit are refused, and repeated when it says so: that costs time, and ' +
        'no execution.',
    },
  },
  recovery: {
    set: { 'arrivals.for': '4m' },
    note: 'For four minutes in place of ten.',
    why: {
      ...OTHER_INPUTS,
      chaos: 'One in nine is not served, and kickoffs that are repeated start twice.',
      'cold-start': TOO_SLOW_FOR_4_S,
      default: TOO_SLOW_FOR_4_S,
      fast: 'Everybody is served at the first poll.',
      flaky: TOO_SLOW_FOR_4_S,
      metastable:
        'Undisturbed it carries this load with half of its means; `crewload recovery` disturbs it.',
      'rate-limited':
        'Half of its executions take more than a minute, and this scenario gives up after 40 s.',
    },
  },
  'retry-storm': {
    set: { 'arrivals.for': '4m' },
    note: 'For four minutes in place of ten.',
    why: {
      ...OTHER_INPUTS,
      chaos: 'One in nine is not served, and kickoffs that are repeated start twice.',
      'cold-start': TOO_SLOW_FOR_4_S,
      default: TOO_SLOW_FOR_4_S,
      fast: 'Everybody is served at the first poll.',
      flaky: TOO_SLOW_FOR_4_S,
      metastable:
        'In good times nobody sees the careless retries: only `crewload recovery` brings the trouble that sets them off.',
      'rate-limited':
        'Half of its executions take more than a minute, and this scenario gives up after 40 s.',
    },
  },
  smoke: {
    why: {
      ...OTHER_INPUTS,
      chaos: 'One of five was not served, and none may be.',
      'cold-start': 'The first waits for the crew to wake up; smoke promises no time.',
      default: 'All five are served.',
      fast: 'All five are served.',
      flaky: 'Retries get over the few errors of this profile.',
      metastable: 'Without load this crew is healthy.',
      'rate-limited': 'Five executions are far below the limits.',
    },
  },
  soak: {
    why: {
      ...OTHER_INPUTS,
      chaos: 'A fifth is not served, and results are mixed up.',
      'cold-start': 'At four a minute it never sleeps.',
      default: 'The crew that the scenario is sized for.',
      fast: 'Nothing went wrong, but executions of a second need one poll each: 1,925 polls without an error do not prove less than 0.1 %.',
      flaky: 'One poll in thirty fails, and one in a thousand may.',
      metastable:
        'Four a minute are a sixtieth of what this crew carries, but its kickoffs take close to the bound.',
      'rate-limited': 'Four a minute are far below the limits.',
    },
  },
  spike: {
    why: {
      ...OTHER_INPUTS,
      chaos: 'One in eleven is lost, and no one may be.',
      'cold-start': 'The base keeps it awake, and then it is the default crew.',
      default:
        'Who comes with the spike waits some minutes, and the queue is gone long before the end.',
      fast: 'The spike is nothing for this crew.',
      flaky:
        'The spike loses nobody and delays nobody too long, which is all that this scenario ' +
        'asks; 5 % of failures are within the default promise of 10 %.',
      metastable: 'The spike is a twelfth of what this crew carries.',
      'rate-limited': 'The spike is far below the limits, and its 2,000 workers never queue.',
    },
  },
  steady: {
    why: {
      ...OTHER_INPUTS,
      chaos: 'A fifth is not served, and results are mixed up.',
      'cold-start': 'At four a minute it never sleeps.',
      default: 'The crew that the scenario is sized for.',
      fast: 'It is faster than promised, and never fails.',
      flaky: '4 % of failures, and outages: so near to the bounds that four hours cannot tell.',
      metastable:
        'Four a minute are a sixtieth of what this crew carries, but its kickoffs take close to the bound.',
      'rate-limited': 'Four a minute are far below the limits.',
    },
  },
}
