/** Writes a profile as YAML, with comments above the keys that they explain. */
import type { Pair, Scalar } from 'yaml'
import { Document, isCollection, isMap, isScalar, visit } from 'yaml'
import { wrap } from '../../../../base/text.ts'
import type { WrittenTwin } from './profile.ts'

/** The keys whose values are written on one line. */
const ON_ONE_LINE = new Set([
  'duration',
  'failure',
  'output',
  'overLimit',
  'delay',
  'workers',
  'quota',
  'slowdown',
  'kickoff',
  'status',
  'operations',
  'refusal',
  'tokenBucket',
  'leakyBucket',
  'fixedWindow',
  'slidingLog',
  'slidingCounter',
  'concurrency',
])

/** Of comments; how far they are indented is not known. */
const COLUMNS = 90

/** `comments`: by path, such as `capacity.workers` or `tasks.0.duration`. */
export function yamlOf(
  profile: WrittenTwin,
  comments: ReadonlyMap<string, string>,
  head: readonly string[],
): string {
  const document = new Document(profile)
  document.commentBefore = head.map(commentOf).join('\n')
  visit(document, {
    Pair(_, { key, value }: Pair) {
      if (isScalar(key) && isCollection(value)) value.flow = ON_ONE_LINE.has(String(key.value))
    },
  })
  const root = document.contents
  for (const { key, value } of (isMap(root) ? root.items : []).slice(1)) {
    if (isCollection(value) && value.flow !== true) (key as Scalar).spaceBefore = true
  }
  for (const [path, text] of comments) {
    const keys = path.split('.')
    const around = document.getIn(keys.slice(0, -1), true)
    const pair = isMap(around)
      ? around.items.find(({ key }) => isScalar(key) && key.value === keys.at(-1))
      : undefined
    const node = pair?.key ?? document.getIn(keys, true)
    if (isScalar(node) || isCollection(node)) node.commentBefore = commentOf(text)
  }
  return document.toString({ lineWidth: 0 })
}

function commentOf(text: string): string {
  return wrap(text.replaceAll(/\s+/g, ' '), COLUMNS, ' ', ' ').join('\n')
}
