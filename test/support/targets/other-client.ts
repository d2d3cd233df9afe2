/**
 * Another client of the same crew, with the same token: it uses part of the rate that a study
 * measures.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** Requests the inputs again `everyMs` after each answer, until the signal aborts. */
export async function askBeside(
  { url, token }: { url: string; token: string },
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(`${url}/inputs`, { headers: { authorization: `Bearer ${token}` } })
    await answer.text()
    await sleep(everyMs)
  }
}
