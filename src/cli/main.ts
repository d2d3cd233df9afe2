#!/usr/bin/env node
/** The `crewload` program. */
import { crewload } from './program.ts'
import { processIo } from './process-io.ts'

// A closed pipe downstream (`crewload ... | head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

process.exitCode = await crewload(processIo())
