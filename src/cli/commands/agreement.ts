/** `crewload run` with several engines: one seed under each, and whether they tell the same story. */
import { visibleJson, visibleLine } from '../../base/visible.ts'
import { join } from 'node:path'
import { renderAgreement } from '../../study/agreement/report/terminal.ts'
import { renderPlan } from '../../report/run/terminal/plan.ts'
import { listed } from '../../study/agreement/analyse/verdict.ts'
import type { AgreementOutcome } from '../../study/agreement/conduct.ts'
import {
  agree,
  AGREEMENT_PAGE,
  demandProfile,
  optionsUnderEach,
} from '../../study/agreement/conduct.ts'
import type { RunOptions } from '../../run/index.ts'
import { planOnly } from '../../run/plan/plan-only.ts'
import { EXIT } from '../exit-codes.ts'
import type { ExitCode } from '../exit-codes.ts'
import { Interruption } from '../interruption.ts'
import type { Io } from '../io.ts'
import { wantsColor } from '../io.ts'
import type { LoadOptions } from '../options.ts'
import { createProgress } from '../progress.ts'
import { commandWords, runOptionsOf } from '../run-options.ts'
import { tellUnwritten } from '../unwritten.ts'

export async function agreementCommand(
  scenario: string,
  flags: LoadOptions,
  io: Io,
): Promise<number> {
  const options = await runOptionsOf(flags, io)
  demandProfile(options)
  if (flags.dryRun === true) return dryRun(scenario, flags, options, io)
  const progress = createProgress(io, flags.quiet === true)
  const interruption = new Interruption(io)
  const tell = (text: string): void => {
    progress.clear()
    if (flags.quiet !== true) io.stderr.write(text)
  }
  try {
    const outcome = await agree(scenario, flags.engine, {
      ...options,
      out: flags.out,
      command: commandWords(io.args),
      ...(flags.agreeWithin === undefined ? {} : { agreeWithin: flags.agreeWithin }),
      onNote: (note) => tell(`note: ${visibleLine(note)}\n`),
      onRun: ({ name, number, runs }) => tell(`engine ${number} of ${runs}: ${name}\n`),
      onStart: (control) => interruption.arm(control),
      onProgress: (live) => progress.show(live),
    })
    progress.clear()
    print(outcome, flags, io)
    return interruption.happened ? EXIT.interrupted : exitCodeOf(outcome)
  } finally {
    interruption.disarm()
  }
}

async function dryRun(
  scenario: string,
  flags: LoadOptions,
  options: RunOptions,
  io: Io,
): Promise<number> {
  const each = optionsUnderEach(flags.engine, options)
  const [first] = await Promise.all(each.map(async (own) => planOnly(scenario, own)))
  const { facts, plan, notes } = first!
  const engine = `${listed(flags.engine.map(({ name }) => name))}, one after another`
  const several = [...notes, `kickoffs, requests and duration are those of each engine`]
  if (flags.json === true) {
    const document = { facts: { ...facts, engine }, plan, notes: several }
    io.stdout.write(`${visibleJson(document, 2)}\n`)
  } else {
    const told = several.map((note) => `  note: ${note}\n`).join('')
    io.stdout.write(renderPlan({ ...facts, engine }) + told)
  }
  return EXIT.passed
}

function print(outcome: AgreementOutcome, flags: LoadOptions, io: Io): void {
  const { document, folder, runs, unwritten } = outcome
  if (flags.json === true) {
    const told = { runs: runs.map((run) => run.document), agreement: document }
    io.stdout.write(`${visibleJson(told)}\n`)
  } else if (flags.quiet !== true) {
    const reportPath = unwritten === null ? join(folder, AGREEMENT_PAGE) : null
    const color = wantsColor(io, io.stdout)
    io.stdout.write(renderAgreement(document, { color, width: io.stdout.width, reportPath }))
  }
  tellUnwritten(folder, unwritten, io)
}

/** What cannot be trusted comes first, but for a target that was lost; then what differs or failed; then what is not known. */
function exitCodeOf({ document, runs, unwritten }: AgreementOutcome): ExitCode {
  const verdicts = new Set(runs.map((run) => run.document.verdict.outcome))
  const agreed = document.verdict.outcome
  if (unwritten === null && verdicts.has('unreachable')) return EXIT.unreachable
  if (unwritten !== null || agreed === 'invalid') return EXIT.invalid
  if (agreed === 'differ' || verdicts.has('failed')) return EXIT.failed
  if (agreed === 'inconclusive' || verdicts.has('inconclusive')) return EXIT.inconclusive
  return EXIT.passed
}
