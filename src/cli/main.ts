#!/usr/bin/env node
/** The `crewload` program. */
import { EXIT } from './exit-codes.ts'
import { crewload } from './program.ts'
import { processIo } from './process-io.ts'

// A closed pipe downstream (`crewload ... | head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  process.exitCode = await crewload(processIo())
} catch (error) {
  // Not 1: that says "a threshold was missed", and a CI job must not take a bug for a regression.
  console.error('crewload: this is a bug in crewload; please report it\n', error)
  process.exitCode = EXIT.bug
}
