/**
 * Failures inside the fake crew itself: the client gets a 500, and each place in the code is
 * reported once on standard error.
 */
import process from 'node:process'

/**
 * The most places that are reported; each bug is reported once, however many requests run into it.
 */
const MOST_PLACES = 100
const written = new Set<string>()

/** Writes a bug to standard error, with its stack. */
export function tellBug(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const place = /^ +at .*$/m.exec(text)?.[0] ?? text
  if (written.has(place) || written.size >= MOST_PLACES) return
  written.add(place)
  process.emitWarning(
    `a request was answered with 500, which is a bug in crewload: ${text}`,
    'FakeCrew',
  )
}
