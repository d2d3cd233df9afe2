/** How k6 is started: its command line and its environment. */
import { VARIABLES } from '../../host/k6/settings.ts'
import type { Environment } from './binary.ts'

/**
 * Flags that leave the console lines alone: no thresholds, no summary and no usage report, which keeps memory flat, too, since k6 then keeps no samples.
 */
export const SCRIPT_FLAGS: readonly string[] = [
  '--no-color',
  '--no-thresholds',
  '--summary-mode=disabled',
  '--no-usage-report',
  '--log-format=raw',
]

/** `consoleFile` takes the lines; k6 appends. */
export function quietArguments(consoleFile: string): string[] {
  return ['--quiet', ...SCRIPT_FLAGS, `--console-output=${consoleFile}`]
}

export type Told = Partial<Record<keyof typeof VARIABLES, string>>

/** Of the user's environment all but what would change the load: `K6_` options, and what crewload is told itself. */
export function k6Environment(
  own: Environment,
  told: Told,
  authorities: string | null,
): Record<string, string> {
  const kept = Object.entries(own).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(K6_|CREWLOAD_)/.test(entry[0]),
  )
  const variables = Object.entries(told).map(([key, value]) => [
    VARIABLES[key as keyof typeof VARIABLES],
    value,
  ])
  return {
    ...Object.fromEntries(kept),
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
    // HTTP/1.1, as every other engine of crewload speaks it.
    GODEBUG: [own['GODEBUG'], 'http2client=0'].filter((part) => part !== undefined).join(','),
    ...(authorities === null ? {} : { SSL_CERT_FILE: authorities }),
    ...Object.fromEntries(variables),
  }
}
