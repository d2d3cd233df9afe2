/** `crewload saturate`. */
import type { SaturatedEndpoint, SaturationDocument } from '../../study/saturation/document.ts'
import {
  renderRungLine,
  renderSaturation,
  renderSaturationPlan,
} from '../../study/saturation/report/terminal.ts'
import type { SaturateOptions, SaturateOutcome } from '../../study/saturation/conduct/index.ts'
import { planSaturation, saturate } from '../../study/saturation/conduct/index.ts'
import { visibleJson, visibleLine } from '../../base/visible.ts'
import { askBefore } from '../ask-before.ts'
import type { ExitCode } from '../exit-codes.ts'
import { EXIT } from '../exit-codes.ts'
import { parseInputs } from '../inputs.ts'
import type { Io } from '../io.ts'
import { wantsColor } from '../io.ts'
import type { ReachFlags } from '../reach-options.ts'
import { defined, reachOptionsOf } from '../reach-options.ts'
import { commandWords } from '../run-options.ts'
import { tellUnwritten } from '../unwritten.ts'

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

const QUESTION = 'Start? It will be asked as fast as it answers.'

export async function saturateCommand(
  endpoint: SaturatedEndpoint,
  flags: SaturateFlags,
  io: Io,
): Promise<number> {
  const options = await optionsOf(endpoint, flags, io)
  if (flags.dryRun === true) {
    const plan = planSaturation(options)
    io.stdout.write(flags.json ? `${JSON.stringify(plan, null, 2)}\n` : renderSaturationPlan(plan))
    return EXIT.passed
  }
  const stop = new AbortController()
  const off = io.onInterrupt(() => {
    if (!stop.signal.aborted) {
      io.stderr.write('crewload: the ladder ends here; the rungs that are done are reported\n')
    }
    stop.abort()
  })
  const offFailure = io.onFailure(() => stop.abort())
  try {
    const outcome = await saturate({
      ...options,
      signal: stop.signal,
      confirm: async (plan) => askBefore(QUESTION, flags, io, renderSaturationPlan(plan)),
      onNote: (note) => {
        if (flags.quiet !== true) io.stderr.write(`note: ${visibleLine(note)}\n`)
      },
      onRung: (rung) => {
        if (flags.quiet !== true) io.stderr.write(`${renderRungLine(rung)}\n`)
      },
    })
    print(outcome, flags, io)
    return outcome.unwritten === null ? exitCode(outcome.document) : EXIT.invalid
  } finally {
    off()
    offFailure()
  }
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

function print(outcome: SaturateOutcome, flags: SaturateFlags, io: Io): void {
  const { document, folder, unwritten } = outcome
  const reportPath = folder === null || unwritten !== null ? null : `${folder}/report.html`
  if (flags.json === true) io.stdout.write(`${visibleJson(document)}\n`)
  else if (flags.quiet !== true) {
    const color = wantsColor(io, io.stdout)
    io.stdout.write(renderSaturation(document, { color, width: io.stdout.width, reportPath }))
  }
  tellUnwritten(folder, unwritten, io)
}

const EXITS = {
  measured: EXIT.passed,
  inconclusive: EXIT.inconclusive,
  invalid: EXIT.invalid,
} as const

function exitCode({ run, verdict }: SaturationDocument): ExitCode {
  return run.ended === 'interrupted' ? EXIT.interrupted : EXITS[verdict.outcome]
}
