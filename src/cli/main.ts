#!/usr/bin/env node
/** The `crewload` program. */
import * as nodeModule from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { memoryProblem, openFilesProblem } from '../run/environment/shortages.ts'
import { EXIT } from './exit-codes.ts'
import { LastResort, tellFailure, processIo } from './io/process-io.ts'
import { crewload } from './program.ts'
import { guardSignals } from './io/signals.ts'

guardSignals(process.argv.slice(2))

// Node 22.8 and newer keep the program compiled in the system's temporary folder; Node 20 does not.
const { enableCompileCache } = nodeModule as { enableCompileCache?: () => void }
enableCompileCache?.()

// V8 may allocate objects that live briefly among those that live long, because many of their kind
// outlived one collection. By chance, the same simulation then took up to 1.5 times the time.
setFlagsFromString('--no-allocation-site-pretenuring')

// An uncaught error must not end a run whose executions are paid for. A closed pipe downstream
// (`crewload ... | head`) is not an error of ours.
process.stderr.on('error', () => {})
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') outputLost(error)
})
let isTold = false

/** A truncated result must not pass for a complete one. */
function outputLost(error: Error): void {
  if (isTold) return
  isTold = true
  console.error(`crewload: the output could not be written: ${error.message}`)
  process.once('exit', () => {
    process.exitCode = EXIT.invalid
  })
}

const lastResort = new LastResort()
lastResort.guard()
try {
  const code = await crewload(processIo(lastResort))
  process.exitCode = lastResort.happened ? EXIT.bug : code
} catch (error) {
  tellFailure(error, openFilesProblem(error) ?? memoryProblem(error))
  process.exitCode = EXIT.bug
}
