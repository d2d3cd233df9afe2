/**
 * The command lines of a run's k6 processes: one that begins by itself, or several as k6-operator
 * starts its pods.
 */
import { join } from 'node:path'
import { outputArguments, quietArguments, SCRIPT_FLAGS } from '../arguments.ts'
import { runnerArguments } from './operator.ts'

/** Matches the names of the console files. */
export const CONSOLE_FILE = /^k6-console(?:-\d+)?\.ndjson$/

export interface K6Command {
  /** The name in messages: `k6`, or `k6 process 2 of 4`. */
  name: string
  consoleFile: string
  /** The arguments of `k6`. */
  args: readonly string[]
}

export interface K6Commands {
  /** The name of the run: letters, digits and `-`. */
  name: string
  script: string
  /** The folder of the console files. */
  folder: string
  /**
   * Addresses of the REST interfaces, one per process; none for a single process, which needs no
   * release.
   */
  addresses: readonly string[]
  /** Outputs for k6's metrics, as its `--out` takes them. */
  outputs: readonly string[]
}

export function k6Commands(commands: K6Commands): K6Command[] {
  const { name, script, folder, addresses } = commands
  const outputs = outputArguments(commands.outputs)
  if (addresses.length === 0) {
    const consoleFile = join(folder, 'k6-console.ndjson')
    const args = ['run', ...quietArguments(consoleFile), ...outputs, script]
    return [{ name: 'k6', consoleFile, args }]
  }
  const instances = addresses.length
  return addresses.map((address, i) => {
    const instance = i + 1
    const consoleFile = join(folder, `k6-console-${instance}.ndjson`)
    const args = [...SCRIPT_FLAGS, `--console-output=${consoleFile}`, ...outputs]
    return {
      name: `k6 process ${instance} of ${instances}`,
      consoleFile,
      args: runnerArguments({ instance, instances, name, args, script, address }),
    }
  })
}
