/**
 * Removes tokens from the texts of a target that are kept: it may echo what it received, and its
 * texts end up in journals and reports. What is measured (bodies, sizes, hashes) stays unchanged.
 */
import type { FindingLine, JournalLine } from '../execution/record/journal-lines.ts'
import type { ExecutionRecord, Violation } from '../execution/record/record.ts'

const BLANK = '***'

export function blank(text: string, tokens: readonly string[]): string {
  return tokens.reduce((rest, token) => rest.replaceAll(token, BLANK), text)
}

/** Returns the line itself if it contains no token, which is nearly always. */
export function withoutTokens(line: JournalLine, tokens: readonly string[]): JournalLine {
  const clean = (text: string): string => blank(text, tokens)
  switch (line.type) {
    case 'ended':
      return tellsToken(line.record, tokens)
        ? { ...line, record: cleaned(line.record, clean) }
        : line
    case 'accepted':
      return { ...line, kickoffId: clean(line.kickoffId) }
    case 'finding':
      return { ...line, finding: cleanFinding(line.finding, clean) }
    default:
      return line satisfies OwnLine
  }
}

/**
 * Lines and findings in which nothing comes from the target. Every other one must be cleaned: a new
 * one does not compile before it is in this list or has a case.
 */
type OwnLine = Extract<JournalLine, { type: 'run' | 'started' | 'resumed' | 'finished' }>
type OwnFinding = Extract<
  FindingLine['finding'],
  {
    kind:
      | 'confirmation'
      | 'requests-reserved'
      | 'time-reserved'
      | 'target-lost'
      | 'target-probed'
      | 'clock-step'
      | 'journal-error'
      | 'note'
  }
>

function cleanFinding(
  finding: FindingLine['finding'],
  clean: (text: string) => string,
): FindingLine['finding'] {
  return finding.kind === 'violation'
    ? { ...finding, violation: cleanViolation(finding.violation, clean) }
    : (finding satisfies OwnFinding)
}

/** Every text in a record that comes from the target. */
function* foreignTexts(record: ExecutionRecord): Iterable<string> {
  if (record.kickoffId !== null) yield record.kickoffId
  if (record.reason !== null) yield record.reason
  for (const { example } of record.violations) yield example
  for (const { task } of record.changes) if (task !== null) yield task
  for (const { taskId, agent = '' } of record.reported.tasks) {
    yield taskId
    yield agent
  }
  for (const result of Object.values(record.checks)) if (typeof result === 'string') yield result
}

function tellsToken(record: ExecutionRecord, tokens: readonly string[]): boolean {
  for (const text of foreignTexts(record)) {
    for (const token of tokens) if (text.includes(token)) return true
  }
  return false
}

function cleaned(record: ExecutionRecord, clean: (text: string) => string): ExecutionRecord {
  const orNull = (text: string | null): string | null => (text === null ? null : clean(text))
  const { reported } = record
  return {
    ...record,
    kickoffId: orNull(record.kickoffId),
    reason: orNull(record.reason),
    violations: record.violations.map((violation) => cleanViolation(violation, clean)),
    changes: record.changes.map((change) => ({ ...change, task: orNull(change.task) })),
    reported: {
      ...reported,
      tasks: reported.tasks.map(({ taskId, agent = '', executionTimeSeconds }) => ({
        taskId: clean(taskId),
        agent: clean(agent),
        executionTimeSeconds,
      })),
    },
    checks: Object.fromEntries(
      Object.entries(record.checks).map(([name, result]) => [
        name,
        typeof result === 'string' ? clean(result) : result,
      ]),
    ),
  }
}

function cleanViolation(violation: Violation, clean: (text: string) => string): Violation {
  return { ...violation, example: clean(violation.example) }
}
