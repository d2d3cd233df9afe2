/** `crewload check`. */
import { loadProfile } from '../../../fake-crew/profiles.ts'
import { check } from '../../run/check/index.ts'
import { startFakeProcess } from '../../run/fake/process.ts'
import { onePlace } from '../../run/target/place.ts'
import { visibleJson } from '../../base/visible.ts'
import { askBefore } from '../shown/ask-before.ts'
import { Interruption } from '../io/interruption.ts'
import { listDiagnoses } from '../shown/diagnoses.ts'
import { EXIT } from '../exit-codes.ts'
import { parseInputs } from '../flags/inputs.ts'
import type { Io } from '../io/io.ts'
import type { LoadOptions } from '../flags/options.ts'
import { runOptionsOf } from '../flags/to-run-options.ts'

interface CheckFlags extends LoadOptions {
  kickoff: boolean
  wait: string
  inputs?: string
}

export async function checkCommand(flags: CheckFlags, io: Io): Promise<number> {
  const options = await runOptionsOf(flags, io)
  const inputs = flags.inputs === undefined ? null : parseInputs(flags.inputs)
  const place = await openPlace(flags, options.tokens ?? [], io)
  const interruption = new Interruption(io)
  try {
    const { free, paid } = await check({
      target: place.target,
      tokens: place.tokens,
      headers: flags.header,
      tls: options.tls ?? {},
      env: io.env,
      wait: flags.wait,
      inputs,
      onStart: (control) => interruption.arm(control),
      confirmKickoff: async (findings) => {
        if (flags.json !== true) io.stdout.write(listDiagnoses(findings))
        return flags.kickoff && (await confirmKickoff(flags, io))
      },
    })
    const findings = [...free, ...paid]
    if (flags.json === true) io.stdout.write(`${visibleJson(findings, 2)}\n`)
    else if (paid.length > 0) io.stdout.write(listDiagnoses(paid))
    return findings.some(({ state }) => state === 'problem') ? EXIT.failed : EXIT.passed
  } finally {
    interruption.disarm()
    await place.close()
  }
}

async function openPlace(flags: CheckFlags, tokens: readonly string[], io: Io) {
  const place = onePlace(flags)
  if (place.kind === 'target') return { target: place.target, tokens, close: async () => {} }
  const fake = await startFakeProcess({
    profile: place.profile,
    speed: loadProfile(place.profile).speed,
    seed: 1,
    dialect: flags.dialect ?? null,
    env: io.env,
    onComplaint: (words) => io.stderr.write(`crewload: ${words}\n`),
  })
  return { target: new URL(fake.url), tokens: [fake.token], close: async () => fake.stop() }
}

/** The one kickoff is announced; at a real deployment it is asked about. */
async function confirmKickoff(flags: CheckFlags, io: Io): Promise<boolean> {
  io.stderr.write(`\nOne kickoff follows, for at most ${flags.wait} (--no-kickoff sends none).\n\n`)
  return askBefore('Send it? It may cost money.', flags, io)
}
