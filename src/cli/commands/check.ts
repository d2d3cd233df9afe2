/** `crewload check`: examines a target once, with at most one kickoff. */
import { formatDuration } from '../../base/numbers.ts'
import { yes } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { option } from '../../base/options/table.ts'
import { visibleJson } from '../../base/visible.ts'
import type { MainCommand } from '../command.ts'
import type { RunOptions } from '../../run/options.ts'
import { CHECK_WAITS, REACH, ways } from '../../run/options.ts'
import type { CheckResult } from '../../run/check/index.ts'
import type { ExitCode } from '../exit-codes.ts'
import { EXIT, exitHelp } from '../exit-codes.ts'
import { OUTPUT } from '../flags/output.ts'
import { listDiagnoses } from './doctor.ts'
import type { Io } from '../io/io.ts'

const CHECK = {
  kickoff: option('--no-kickoff', 'send no kickoff: check only inputs, auth and connection', yes, {
    default: true,
  }),
  ...CHECK_WAITS,
  ways: ways('the one kickoff'),
  run: REACH,
  yes: OUTPUT.yes,
  json: OUTPUT.json,
} satisfies OptionTable

type CheckFlags = Given<typeof CHECK>

export const check: MainCommand = {
  name: 'check',
  group: 'Measure a crew',
  description: 'probe a target once: dialect, inputs, auth, keep-alive, clock, contract',
  options: CHECK,
  help: exitHelp({
    passed: 'no problem found, and the one kickoff ended (or --no-kickoff)',
    failed: 'a problem was found: see the lines with BAD',
    invalid: null,
    inconclusive: 'the kickoff was not confirmed, or no end of it was seen within --wait',
    unreachable: 'the target was not reached, or refused the token',
    interrupted: 'interrupted',
  }),
  act: async (io, flags: CheckFlags) => probe(flags, io),
}

/** Of all diagnoses: those before and after the kickoff stand in the same columns. */
const LONGEST_NAME = 'inputs sent'

async function probe(flags: CheckFlags, io: Io): Promise<number> {
  const { check: probeTarget } = await import('../../run/check/index.ts')
  const { reached } = await import('../flags/reach.ts')
  const { openPlace } = await import('../../run/target/open-place.ts')
  const { Interruption } = await import('../io/interruption.ts')
  const options = await reached(flags.run, io)
  const tell = (words: string): void => io.stderr.write(`crewload: ${words}\n`)
  const place = await openPlace(
    { ...options, onTrouble: tell },
    { seed: 1, speed: 1 },
    io.env,
    'unasked',
  )
  for (const note of await notesOf(options)) tell(note)
  const interruption = new Interruption(io)
  try {
    const { diagnoses, kickoff } = await probeTarget({
      target: place.target,
      tokens: place.tokens,
      tokensFrom: options.tokensFrom,
      ...(options.tokenSource === undefined ? {} : { tokenSource: options.tokenSource }),
      headers: options.headers,
      tls: options.tls,
      env: io.env,
      wait: flags.wait,
      firstCall: flags.firstCall,
      ...flags.ways,
      inputs: flags.ways.inputs ?? null,
      onFree: ({ firstMicros, restMicros }) => {
        io.stderr.write(
          `crewload: waiting at most ${formatDuration(firstMicros)} for GET /inputs ` +
            `(--first-call), and ${formatDuration(restMicros)} for four more requests\n`,
        )
      },
      onStart: (control) => interruption.arm(control),
      onDiagnoses: (found) => {
        if (flags.json !== true) io.stdout.write(listDiagnoses(found, LONGEST_NAME))
      },
      confirmKickoff: flags.kickoff ? async () => confirmKickoff(flags, io) : null,
    })
    if (flags.json === true) io.stdout.write(`${visibleJson(diagnoses, 2)}\n`)
    return interruption.happened ? EXIT.interrupted : exitCode({ diagnoses, kickoff })
  } finally {
    interruption.disarm()
    await place.close()
  }
}

/** `check` shows no plan. */
async function notesOf(options: RunOptions): Promise<string[]> {
  const { placeFacts } = await import('../../run/target/chosen-place.ts')
  const { placeNotes } = await import('../../run/target/place-notes.ts')
  const facts = placeFacts(options)
  const proxy = facts.proxy === undefined ? [] : [`requests go through the proxy ${facts.proxy}`]
  return [...proxy, ...placeNotes(facts)]
}

function exitCode({ diagnoses, kickoff }: CheckResult): ExitCode {
  if (diagnoses.some(({ state }) => state === 'problem')) return EXIT.failed
  return kickoff === 'not-ended' || kickoff === 'declined' ? EXIT.inconclusive : EXIT.passed
}

/** The one kickoff is announced; for a real deployment it needs consent. */
async function confirmKickoff(flags: CheckFlags, io: Io): Promise<boolean> {
  io.stderr.write(
    `\nOne kickoff is sent, and polled for at most ${flags.wait} (--wait; --no-kickoff skips it).\n\n`,
  )
  const { askBefore } = await import('../shared/ask-before.ts')
  const { run, yes: isConfirmed } = flags
  return askBefore('Send it? It may cost money.', { target: run.target, yes: isConfirmed }, io)
}
