/** What a kickoff carries, and where it is sent, in the flags of commands without a scenario. */
import type { Command } from 'commander'
import { UserError } from '../../base/mistakes.ts'
import type { InputRecord } from '../../scenario/inputs.ts'
import type { WayOptions } from '../../run/target/ways.ts'

export interface KickoffFlags extends WayOptions {
  inputs?: InputRecord
}

/** `kickoffs`: those of the command, in its help. */
export function kickoffOptions(command: Command, kickoffs: string): Command {
  return command
    .option(
      '--inputs <json>',
      `inputs of ${kickoffs} (default: sample values for the crew's names)`,
      parsedAs('--inputs', '{"topic":"AI"}'),
    )
    .option(
      '--paths <json>',
      'where the interface is: {"status":"/{id}/status"}',
      parsedAs('--paths', '{"status":"/{id}/status"}'),
    )
    .option(
      '--members <json>',
      'what a kickoff carries beside inputs: {"meta":{}}',
      parsedAs('--members', '{"meta":{}}'),
    )
}

/** Throws UserError for text that is not a JSON object. */
function parsedAs(source: string, example: string): (text: string) => InputRecord {
  return (text) => {
    try {
      const value: unknown = JSON.parse(text)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        return value as InputRecord
      }
    } catch {
      // reported below, like any other text that is not an object
    }
    const problem = `expected a JSON object like ${example}`
    // Members may hold the token of a webhook.
    const found = source === '--members' ? {} : { found: text.slice(0, 80) }
    throw new UserError({ source, path: '', ...found, problem })
  }
}
