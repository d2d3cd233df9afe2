/** What a test does with a crew, or with its own part of a crew that several tests share. */
import { UserError } from '../src/base/mistakes.ts'
import type { LedgerClock } from '../src/crew/fake/clock.ts'
import type { LedgerRow, LedgerRequest } from '../src/crew/ledger.ts'
import type { WrittenFault } from './model/faults/fault.ts'
import { TEST_HEADER } from './model/records/tests.ts'
import type { WrittenScript } from './model/work/scripts.ts'
import { checkFaults } from './profiles.ts'
import type { LiveModel, RequestFilter } from './server/live-model.ts'

/** A fault or a script that was added; `using` ends it with its block. */
export interface Added extends Disposable {
  /** The name of a fault in the ledger and in `requests()`. */
  name: string
  /** Ends it; a second call does nothing. */
  end(): void
}

export interface TestCrew {
  /** The base URL without a trailing slash. */
  url: string
  token: string
  userToken: string
  /** The true state of every execution up to now, in order of acceptance. */
  ledger(): LedgerRow[]
  /**
   * The requests that were answered, in that order: all, or those with the values of the filter. At
   * least the last 10,000 are kept, or 32 million characters of bodies.
   */
  requests(filter?: RequestFilter): LedgerRequest[]
  /** How many requests are no longer kept. */
  readonly requestsDropped: number
  /** The time on the crew's clock, on which the times of requests and executions are. */
  clock(): LedgerClock
  /** Adds a fault whose times count from now. Throws UserError for a mistake in it. */
  fault(fault: WrittenFault): Added
  /**
   * Says what becomes of executions that are kicked off from now on, before all scripts that were
   * there. Throws UserError with every mistake in it.
   */
  script(script: WrittenScript): Added
}

export interface TestPart extends TestCrew, Disposable {
  /** Your client must send it with every kickoff. */
  headers: { 'x-crewload-test': string }
  /** Ends its faults and scripts, and forgets its requests and executions. */
  end(): void
}

/** `test`: only for its requests; null for all. */
export function addFault(live: LiveModel, written: WrittenFault, test: string | null): Added {
  const [added] = live.addFaults(checkFaults([written], 'fault'), test)
  const { fault } = added!
  return ending(fault.name, () => void live.clearFaults(fault))
}

/** `test`: only for its kickoffs; null for all. */
export function addScript(live: LiveModel, written: WrittenScript, test: string | null): Added {
  const [added] = live.addScripts(written, test)
  return ending(added!.name, () => void live.scripts.clear(added))
}

function ending(name: string, end: () => void): Added {
  return { name, end, [Symbol.dispose]: end }
}

/** What may stand in a header, without a space at either end. */
const NAME = /^[!-~](?:[ -~]*[!-~])?$/

interface Part {
  name: string
  url: string
  token: string
  userToken: string
  /** Of the whole crew. */
  ledger: () => LedgerRow[]
}

/** Throws UserError for a name that no header can have. */
export function testPart(live: LiveModel, { name, ledger, ...place }: Part): TestPart {
  if (!NAME.test(name)) {
    const problem = 'expected a name of printable ASCII characters'
    throw new UserError({ source: 'forTest()', found: JSON.stringify(name), problem })
  }
  const end = (): void => live.forgetTest(name)
  return {
    ...place,
    headers: { [TEST_HEADER]: name },
    ledger: () => ledger().filter(({ test }) => test === name),
    requests: (filter) => live.requests({ ...filter, test: name }),
    get requestsDropped() {
      return live.model.journal?.dropped ?? 0
    },
    clock: () => live.ledgerClock(),
    fault: (fault) => addFault(live, fault, name),
    script: (script) => addScript(live, script, name),
    end,
    [Symbol.dispose]: end,
  }
}
