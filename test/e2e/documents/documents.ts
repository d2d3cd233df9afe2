/** The documents that people read: which they are, their texts, and their blocks of code. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Written by `npm run generate`. */
const GENERATED = new Set(['agents.md', 'reference.md'])
export const IN_DOCS = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
/** Hand-written documents of `docs`, and the README. */
export const WRITTEN = [
  'README.md',
  ...IN_DOCS.filter((name) => !GENERATED.has(name)).map((name) => `docs/${name}`),
  'docs/ci/README.md',
]

export interface Block {
  document: string
  language: string
  text: string
  /** What its first line names: `// crew.ts`. */
  file: string | null
}

export const BLOCKS = WRITTEN.flatMap((document) =>
  [...read(document).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', text = '']): Block => {
      const [first = ''] = text.split('\n', 1)
      const file = /^(?:\/\/|#) (\S+\.\w+)$/.exec(first)?.[1] ?? null
      return { document, language, text, file }
    },
  ),
)

export const READ_BY_PEOPLE = [
  ...WRITTEN,
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'reports/README.md',
  'bench/README.md',
  'bench/results/README.md',
]

/** With one space between words. */
export function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** The text of a file of the repository. */
export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}
