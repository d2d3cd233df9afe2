/** The values of labels: they are few, whatever a target answers. */

/**
 * The codes of the IANA registry, and those that proxies and content networks are known to use: 499
 * (nginx), 520 to 526 (Cloudflare), 529 and 598.
 */
const KNOWN = new Set<number>([
  ...range(100, 103),
  ...range(200, 208),
  226,
  ...range(300, 305),
  307,
  308,
  ...range(400, 418),
  ...range(421, 426),
  428,
  429,
  431,
  451,
  499,
  ...range(500, 508),
  510,
  511,
  ...range(520, 526),
  529,
  598,
])

/**
 * RFC 9110, section 15: a client treats an unrecognised code as the x00 of its class, and a code
 * outside 100 to 599 as a server error.
 */
export function statusLabel(code: number): number {
  if (KNOWN.has(code)) return code
  return code >= 100 && code <= 599 ? Math.floor(code / 100) * 100 : 500
}

/** A status code, folded, or the class of a failure. */
export function answerLabel(answer: number | string): string {
  return typeof answer === 'number' ? String(statusLabel(answer)) : answer
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}
