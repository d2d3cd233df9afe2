/** Finds error texts of failed executions that speak of a quota: what the crew says, not a fact. */
import type { CapacityDocument } from '../../document.ts'
import type { Learned } from '../learn/learn.ts'

type QuotaTexts = NonNullable<CapacityDocument['quotaTexts']>

/** The words that providers of language models use when they refuse a call. */
const SPEAKS_OF_QUOTA =
  /\b429\b|\brate[ _-]?limit|too many requests|\bquota|resource[ _]exhausted|(tokens|requests) per (minute|day)/i

/** Null if no failed execution says so. */
export function quotaTextsOf({ loads }: Pick<Learned, 'loads'>): QuotaTexts | null {
  const failed = loads
    .flatMap(({ seen }) => seen.executions)
    .filter(({ outcome }) => outcome === 'failed')
  const texts = failed.flatMap(({ failure }) =>
    failure !== undefined && SPEAKS_OF_QUOTA.test(failure) ? failure : [],
  )
  const text = mostFrequent(texts)
  return text === null ? null : { executions: texts.length, failed: failed.length, text }
}

/** Texts that differ only in numbers and ids count as one; the first of them is returned. */
function mostFrequent(texts: readonly string[]): string | null {
  const groups = new Map<string, string[]>()
  for (const text of texts) {
    const shape = text.replaceAll(/\S+/g, (word) => (/\d/.test(word) ? '#' : word))
    groups.set(shape, [...(groups.get(shape) ?? []), text])
  }
  return [...groups.values()].toSorted((a, b) => b.length - a.length)[0]?.[0] ?? null
}
