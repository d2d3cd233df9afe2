/** Maps the stack of what a scenario's functions throw from the bundle to the author's files. */
import { isRecord } from '../../scenario/author/inputs.ts'

/**
 * Maps a place in the bundle to the author's; null when there is none. Lines and columns count from
 * 1.
 */
export type Origins = (
  line: number,
  column: number,
) => { source: string; line: number; column: number } | null

/** The exported scenario with its functions wrapped. */
export function withOrigins(scenario: unknown, origins: Origins): unknown {
  if (!isRecord(scenario)) return scenario
  const wrapped = (key: string): Record<string, unknown> =>
    key in scenario ? { [key]: withOrigin(scenario[key], origins) } : {}
  const { checks } = scenario
  return {
    ...scenario,
    ...wrapped('inputs'),
    ...wrapped('tags'),
    ...(isRecord(checks)
      ? {
          checks: Object.fromEntries(
            Object.entries(checks).map(([name, check]) => [name, withOrigin(check, origins)]),
          ),
        }
      : {}),
  }
}

function withOrigin(value: unknown, origins: Origins): unknown {
  if (typeof value !== 'function') return value
  return function called(this: unknown, ...args: unknown[]): unknown {
    try {
      return Reflect.apply(value, this, args)
    } catch (error) {
      relocate(error, origins)
      throw error
    }
  }
}

const PLACE = /(?<![^\s()])(?:file:\/\/)?[^\s()]*scenario\.mjs:(\d+):(\d+)/g

function relocate(error: unknown, origins: Origins): void {
  if (!(error instanceof Error) || error.stack === undefined) return
  const stack = error.stack.replaceAll(PLACE, (place, line: string, column: string) => {
    const origin = origins(Number(line), Number(column))
    return origin === null ? place : `${origin.source}:${origin.line}:${origin.column}`
  })
  // A frozen error keeps its stack.
  Reflect.set(error, 'stack', stack)
}
