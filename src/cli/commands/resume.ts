/** `crewload resume`: follow what a run left in flight to its end. */
import { resume } from '../../run/resume/index.ts'
import type { ResumeOptions } from '../../run/resume/options.ts'
import type { Io } from '../io/io.ts'
import { listUnheard } from '../shown/left-behind.ts'
import type { ReachFlags } from '../flags/reach-options.ts'
import { connectionOptionsOf, defined } from '../flags/reach-options.ts'
import { readTokens } from '../flags/tokens.ts'
import { watched } from '../shown/watched.ts'

export interface ResumeFlags extends Pick<
  ReachFlags,
  'target' | 'tokenFile' | 'header' | 'ca' | 'insecure'
> {
  scenario?: string
  json?: boolean
  quiet?: boolean
}

export async function resumeCommand(folder: string, flags: ResumeFlags, io: Io): Promise<number> {
  const { target, scenario, quiet = false, json = false } = flags
  const tokens = await readTokens(flags.tokenFile, io.env)
  const options: ResumeOptions = {
    ...(await connectionOptionsOf(flags, tokens, io)),
    ...defined<ResumeOptions>({ target, scenario }),
  }
  let unheard: readonly string[] = []
  const code = await watched({ quiet, json }, io, async (watching) => {
    const outcome = await resume(folder, { ...options, ...watching })
    unheard = outcome.unheard
    return outcome
  })
  listUnheard(unheard, io)
  return code
}
