/** `crewload saturate`. */
import type { SaturatedEndpoint } from '../../study/saturation/document.ts'
import { saturate } from '../../study/saturation/conduct/conduct.ts'
import type { SaturateOptions } from '../../study/saturation/plan/options.ts'
import { planSaturation } from '../../study/saturation/plan/plan.ts'
import { rungLine } from '../../study/saturation/report/words.ts'
import { saturation } from '../../study/saturation/study.ts'
import { parseInputs } from '../flags/inputs.ts'
import type { Io } from '../io/io.ts'
import type { ReachFlags } from '../flags/reach-options.ts'
import { defined, reachOptionsOf } from '../flags/reach-options.ts'
import { commandWords } from '../flags/to-run-options.ts'
import { runStudy } from '../shown/study.ts'

export interface SaturateFlags extends ReachFlags {
  connections?: string
  duration?: string
  warmUp?: string
  timeout?: string
  polling?: string
  kickoffId?: string
  inputs?: string
  maxKickoffs?: number
  maxRequests?: number
  out: string
  yes?: boolean
  json?: boolean
  quiet?: boolean
}

export async function saturateCommand(
  endpoint: SaturatedEndpoint,
  flags: SaturateFlags,
  io: Io,
): Promise<number> {
  const options = await optionsOf(endpoint, flags, io)
  return runStudy(
    {
      study: saturation,
      question: 'Start? It will be asked as fast as it answers.',
      whenInterrupted: 'the ladder ends here; the rungs that are done are reported',
      plan: () => planSaturation(options),
      start: async ({ tell, ...hooks }) =>
        saturate({ ...options, ...hooks, onRung: (rung) => tell(rungLine(rung)) }),
    },
    flags,
    io,
  )
}

async function optionsOf(
  endpoint: SaturatedEndpoint,
  flags: SaturateFlags,
  io: Io,
): Promise<SaturateOptions> {
  const { connections, duration, warmUp, timeout, polling, kickoffId, inputs } = flags
  const given = defined<SaturateOptions>({
    endpoint,
    connections,
    duration,
    warmUp,
    timeout,
    polling,
    kickoffId,
    inputs: inputs === undefined ? undefined : parseInputs(inputs),
    maxKickoffs: flags.maxKickoffs,
    maxRequests: flags.maxRequests,
    out: flags.out,
    command: commandWords(io.args),
  })
  return { ...given, ...(await reachOptionsOf(flags, io)) }
}
