/** Distinguishes texts at a bounded cost. */
import { hashText } from './random.ts'

/** The length up to which the whole text counts. */
const SHORT = 512
const STRETCHES = 16
const STRETCH = SHORT / STRETCHES

/**
 * 32 bits as eight hex digits. For a text of up to 512 UTF-16 units, it is `hashText` of all of it;
 * for a longer one, that of its length and of 16 stretches of 32 units, including the first and the
 * last. It detects text that was regenerated, swapped or cut, but possibly not a changed word
 * inside a long text. In k6, a loop over a text of 64 kB would block the event loop for 100 ms.
 */
export function fingerprint(text: string): string {
  return digits(text.length <= SHORT ? hashText(text) : hashStretches(text))
}

function hashStretches(text: string): number {
  const step = (text.length - STRETCH) / (STRETCHES - 1)
  let hash = hashText(String(text.length))
  for (let i = 0; i < STRETCHES; i++) {
    const from = Math.floor(i * step)
    hash = hashText(text.slice(from, from + STRETCH), hash)
  }
  return hash
}

function digits(hash: number): string {
  return hash.toString(16).padStart(8, '0')
}
