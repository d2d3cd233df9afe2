/** The command line of `crewload resume`. */
import type { Command } from 'commander'
import type { Io } from './io/io.ts'
import { connectionOptions } from './flags/options.ts'

const RESUME_HELP = `
A run: it costs requests and no kickoffs, so that nothing is asked (no --yes). The token comes from CREWLOAD_TOKEN or --token-file,
as for the run. Deadlines count on from the kickoff, but each execution is polled once at least. Kickoffs that nobody heard
the answer of end as aborted and are listed with their x-correlation-id; arrivals that were never sent are not reached.
The result tells that the run was cut: it never passes (exit code 4 at best), but misses that are proven stand. It may be
cut, and resumed, again.

A study (crewload recovery): the trials that are missing are made, at the same place and with the same seeds, and it ends as if it had
not been cut. The scenario and the profile must be what they were. A test of a deployment has one trial and is begun anew.
`

export function addResume(program: Command, io: Io, done: (code: number) => void): void {
  const command = program
    .command('resume')
    .description('go on after a cut: what a run left in flight, or the trials that a study misses')
    .argument('<folder>', 'of the run or the study')
    .option('--target <url>', 'where the crew is now (default: where the run found it)')
    .option('--scenario <file>', 'the scenario as it was run, if it is not where it was')
  connectionOptions(command)
    .option('--json', 'print the result as JSON on stdout')
    .option('--quiet', 'print nothing but errors')
    .addHelpText('after', RESUME_HELP)
    .action(async (folder: string, options) => {
      const { resumeCommand } = await import('./commands/resume.ts')
      done(await resumeCommand(folder, options, io))
    })
}
