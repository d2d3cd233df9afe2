/** `crewload recovery`. */
import type { RecoveryDocument } from '../../study/recovery/document.ts'
import { formatMs, plural } from '../../analysis/metrics/format-metric.ts'
import {
  renderRecovery,
  renderRecoveryPlan,
  renderTrialLine,
} from '../../study/recovery/report/terminal.ts'
import type { RecoveryOptions, RecoveryTestOutcome } from '../../study/recovery/conduct/index.ts'
import { designRecovery, testRecovery } from '../../study/recovery/conduct/index.ts'
import { visibleJson, visibleLine } from '../../base/visible.ts'
import { askBefore } from '../shown/ask-before.ts'
import type { ExitCode } from '../exit-codes.ts'
import { EXIT } from '../exit-codes.ts'
import { Interruption } from '../io/interruption.ts'
import type { Io } from '../io/io.ts'
import { listAbandoned } from '../shown/left-behind.ts'
import { wantsColor } from '../io/io.ts'
import type { PlanFlags } from '../flags/options.ts'
import type { ReachFlags } from '../flags/reach-options.ts'
import { defined, reachOptionsOf } from '../flags/reach-options.ts'
import { commandWords, planOptionsOf } from '../flags/run-options.ts'
import { tellUnwritten } from '../io/unwritten.ts'

export interface RecoveryFlags extends ReachFlags, PlanFlags {
  trigger?: string
  for: string
  triggerCommand?: string
  undoCommand?: string
  before: string
  observe: string
  within?: string
  seeds?: number
  control?: boolean
  bisect?: boolean
  engine?: 'virtual' | 'node'
  network?: string
  out: string
  yes?: boolean
  json?: boolean
  quiet?: boolean
}

const QUESTION = 'Start? Each kickoff may cost money, and the trigger disturbs the target.'

export async function recoveryCommand(
  scenario: string,
  flags: RecoveryFlags,
  io: Io,
): Promise<number> {
  const options = await optionsOf(flags, io)
  if (flags.dryRun === true) {
    const { facts } = await designRecovery(scenario, options)
    const text =
      flags.json === true ? `${JSON.stringify(facts, null, 2)}\n` : renderRecoveryPlan(facts)
    io.stdout.write(text)
    return EXIT.passed
  }
  const tell = (line: string): void => {
    if (flags.quiet !== true) io.stderr.write(`${line}\n`)
  }
  const interruption = new Interruption(io)
  const told = new Set<string>()
  try {
    const outcome = await testRecovery(scenario, {
      ...options,
      confirm: async (plan) => askBefore(QUESTION, flags, io, renderRecoveryPlan(plan)),
      onNote: (note) => {
        if (!told.has(note)) tell(`note: ${visibleLine(note)}`)
        told.add(note)
      },
      onStart: (control) => interruption.arm(control),
      onTrial: (trial) => tell(renderTrialLine(trial)),
      onSize: (sizeMs, trials) =>
        tell(` trigger of ${formatMs(sizeMs)}: ${plural(trials, 'trial')}`),
    })
    print(outcome, flags, io)
    return outcome.unwritten === null ? exitCode(outcome.document) : EXIT.invalid
  } finally {
    interruption.disarm()
  }
}

async function optionsOf(flags: RecoveryFlags, io: Io): Promise<RecoveryOptions> {
  const given = defined<RecoveryOptions>({
    trigger: flags.trigger,
    triggerCommand: flags.triggerCommand,
    undoCommand: flags.undoCommand,
    for: flags.for,
    before: flags.before,
    observe: flags.observe,
    within: flags.within,
    seeds: flags.seeds,
    control: flags.control,
    bisect: flags.bisect,
    engine: flags.engine,
    network: flags.network,
    out: flags.out,
    command: commandWords(io.args),
  })
  return { ...planOptionsOf(flags), ...(await reachOptionsOf(flags, io)), ...given }
}

function print(outcome: RecoveryTestOutcome, flags: RecoveryFlags, io: Io): void {
  const { document, folder, leftBehind, unwritten } = outcome
  const reportPath = folder === null || unwritten !== null ? null : `${folder}/report.html`
  if (flags.json === true) io.stdout.write(`${visibleJson(document)}\n`)
  else if (flags.quiet !== true) {
    const color = wantsColor(io, io.stdout)
    io.stdout.write(renderRecovery(document, { color, width: io.stdout.width, reportPath }))
  }
  tellUnwritten(folder, unwritten, io)
  for (const own of leftBehind) listAbandoned(own.abandoned, own.folder, io)
}

const EXITS = {
  recovers: EXIT.passed,
  'does-not-recover': EXIT.failed,
  inconclusive: EXIT.inconclusive,
  invalid: EXIT.invalid,
} as const

function exitCode({ run, verdict: { outcome } }: RecoveryDocument): ExitCode {
  if (run.ended === 'interrupted') return EXIT.interrupted
  if (outcome === 'recovers-slowly') return run.withinAsked ? EXIT.failed : EXIT.passed
  return EXITS[outcome]
}
