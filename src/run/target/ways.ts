/**
 * How requests get into a crew where no scenario says it: the paths of its interface, and what a
 * kickoff carries beside its inputs.
 */
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import type { OptionsOf } from '../../base/options/table.ts'
import type { CrewPaths } from '../../crew/crew-request.ts'
import { DOCUMENTED_PATHS } from '../../crew/crew-request.ts'
import type { InputRecord } from '../../scenario/inputs.ts'
import type { ways } from '../options.ts'
import { planScenario } from '../../scenario/schema/index.ts'

export type WayOptions = Pick<OptionsOf<ReturnType<typeof ways>>, 'paths' | 'members'>

export interface Ways {
  paths: CrewPaths
  members: InputRecord
}

/** By the rules of a scenario. Throws UserError with every mistake. */
export function waysOf({ paths, members }: WayOptions): Ways {
  const given = {
    ...(paths === undefined ? {} : { paths }),
    ...(members === undefined ? {} : { kickoff: members }),
  }
  const { paths: checked = DOCUMENTED_PATHS } = demanded(given)
  return { paths: checked, members: members ?? {} }
}

/** The options that differ from the document, as plans show them: of members, the names alone. */
export function wayFacts(options: WayOptions): { paths?: CrewPaths; members?: string[] } {
  const { paths, members } = waysOf(options)
  return {
    ...(options.paths === undefined ? {} : { paths }),
    ...(options.members === undefined ? {} : { members: Object.keys(members) }),
  }
}

const ONE_KICKOFF = { name: 'ways', arrivals: { clients: 1, iterations: 1 }, inputs: {} }

function demanded(given: { paths?: unknown; kickoff?: unknown }) {
  try {
    return planScenario({ ...ONE_KICKOFF, ...given }, { source: 'ways' })
  } catch (error) {
    if (error instanceof UserError) throw new UserError(error.mistakes.map(ofFlag))
    throw error
  }
}

/** A mistake of a scenario's option, as one of the flag that stands for it. */
function ofFlag({ path = '', ...mistake }: Mistake): Mistake {
  const [option = '', ...rest] = path.split('.')
  return { ...mistake, source: option === 'paths' ? '--paths' : '--members', path: rest.join('.') }
}
