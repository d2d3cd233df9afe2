/** `crewload lab`: writes a page in which sliders move a load and a fake crew. */
import { file, profileName, text } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { option } from '../../base/options/table.ts'
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io/io.ts'
import { printOrWrite } from '../io/print-or-write.ts'

const LAB = {
  run: option('[run]', 'a run folder: its load, polling and fake crew are the start', text),
  profile: option('--profile <name|file>', 'the crew, such as the profile of a twin', profileName, {
    otherwise: 'of the run, or default',
  }),
  out: option('--out <file>', 'page to write', file, { default: 'lab.html' }),
} satisfies OptionTable

const HELP = `The page needs no network and no crewload: the engine and the fake crew's model run in it. Its
address keeps the sliders. It saves a scenario and a profile that give the same numbers in a run.
`

export const lab: MainCommand = {
  name: 'lab',
  group: 'Simulate a crew',
  description: 'write a page in which sliders change a load and a fake crew',
  options: LAB,
  help: HELP,
  act: async (io, given: Given<typeof LAB>) => writeLab(given, io),
}

async function writeLab({ run, profile, out }: Given<typeof LAB>, io: Io): Promise<number> {
  const { labPage } = await import('../../run/lab/lab.ts')
  await printOrWrite(await labPage({ run, profile }), out, io)
  return EXIT.passed
}
