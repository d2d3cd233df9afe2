/** What no reader should meet: faults of a page, and words that hide who does what. */

/**
 * Words that hide who does what: people who write long sentences grow fond of them; no text that a
 * user reads has any.
 */
export const DIALECT =
  /\b(?:told|tells|that of|those of|of which|held against|by turns|mend|befalls|wish|limit of status|each of its own)\b|(?:^|[.:] )(?:Of an?|Where) /

/** Everything wrong with the words and the structure of a page; empty for a good one. */
export function pageFaults(page: string): string[] {
  const body = page.replaceAll(/<(script|style)>.*?<\/\1>/gs, '')
  return [...structureFaults(body), ...wordFaults(visibleText(body))]
}

function structureFaults(body: string): string[] {
  const levels = [...body.matchAll(/<h([1-6])\b/g)].map(([, level]) => Number(level))
  const jumps = levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)
  const names = [
    ...body.matchAll(/<nav aria-label="([^"]*)"|role="region"[^>]*label="([^"]*)"/g),
  ].map(([, nav, region]) => nav ?? region ?? '')
  return [
    ...jumps.map((level) => `heading of level ${level} below none of level ${level - 1}`),
    ...found(body, /<th\b[^>]*>\s*<\/th>/g),
    ...found(body, /<pre\b(?![^>]*tabindex="0")[^>]*>/g),
    ...names.filter((name, at) => name === '' || names.indexOf(name) !== at),
  ]
}

/** Code keeps its own signs; what is inside a line of text stays in it. */
function visibleText(body: string): string {
  return body
    .replaceAll(/<(pre|code)\b.*?<\/\1>/gs, '\n')
    .replaceAll(/<td class="code">.*?<\/td>/gs, '\n')
    .replaceAll(/<\/?(?:span|b|em|strong)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, '\n')
    .replaceAll('\u00A0', ' ')
}

function wordFaults(text: string): string[] {
  return [
    ...found(text, /.*`.*/g),
    ...found(text, /\b[a-z]+[.:;][A-Z][a-z]+ .*/g),
    ...found(text, /\b[a-z]+\([a-z]+ .*/g),
    ...found(text, ONE_OF_MANY),
    ...found(text, /\b\d{4,} of \d.*/g),
  ]
}

/** `1 clients`: these nouns follow counts. */
const ONE_OF_MANY =
  /(?<![\d.,:-])1 (?:more |other )?(?:arrival|answer|client|connection|execution|finding|instance|kickoff|poll|record|request|row|run|threshold|trial|violation|worker)s\b.*/g

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([whole]) => whole)
}
