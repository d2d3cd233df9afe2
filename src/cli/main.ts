#!/usr/bin/env node
/** The `crewload` program. */
import { EXIT } from './exit-codes.ts'
import { crewload } from './program.ts'
import { processIo } from './process-io.ts'

// What nobody takes must end no run: its executions are paid for. A closed pipe downstream (`crewload ... | head`) is no error of ours.
process.stderr.on('error', () => {})
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') outputLost(error)
})
let isTold = false

/** Half a result must not pass for a whole one. */
function outputLost(error: Error): void {
  if (isTold) return
  isTold = true
  console.error(`crewload: the output could not be written: ${error.message}`)
  process.once('exit', () => {
    process.exitCode = EXIT.invalid
  })
}

try {
  process.exitCode = await crewload(processIo())
} catch (error) {
  // Not 1: that says "a threshold was missed", and a CI job must not take a bug for a regression.
  console.error('crewload: this is a bug in crewload; please report it\n', error)
  process.exitCode = EXIT.bug
}
