/** Kickoffs whose answer is whole HTTP and still no good. */
import * as act from '../acts.ts'
import type { Row } from '../row.ts'

/** A kickoff answer with this id is not usable: it may have started. */
function badId(name: string, id: unknown, kickoff: Row['kickoff'], ...rules: string[]): Row {
  return {
    name: `kickoff id ${name}`,
    behaviour: { kickoff: act.json({ kickoff_id: id }) },
    outcome: 'unknown',
    kickoff: kickoff ?? 'no-id',
    rules,
  }
}

export const KICKOFF_ROWS: Row[] = [
  badId('empty', '', 'no-id', 'kickoff-id-present', 'kickoff-id-sane'),
  badId('of 10 kB', 'a'.repeat(10_000), 'no-id', 'kickoff-id-present', 'kickoff-id-sane'),
  badId('a path', '..', 'no-id', 'kickoff-id-present', 'kickoff-id-sane'),
  badId('with half a character', 'a\u{d800}', 'no-id', 'kickoff-id-present', 'kickoff-id-sane'),
  {
    name: 'kickoff id a number, used as it is',
    behaviour: { kickoff: act.json({ kickoff_id: 7 }) },
    outcome: 'completed',
    rules: ['kickoff-id-is-string'],
  },
  {
    name: 'kickoff id with spaces and slashes, used as it is',
    behaviour: { kickoff: act.json({ kickoff_id: 'a b/../c?d=é' }) },
    outcome: 'completed',
    rules: ['kickoff-id-sane'],
  },
  {
    name: 'kickoff id with a line break, which splits no request',
    behaviour: { kickoff: act.json({ kickoff_id: 'a\r\nx: y' }) },
    outcome: 'completed',
    rules: ['kickoff-id-sane'],
  },
  {
    name: 'kickoff answered 204',
    behaviour: { kickoff: act.raw(act.head(204, {})) },
    outcome: 'unknown',
    kickoff: 'not-json',
    rules: ['kickoff-answers-200', 'kickoff-content-type-json', 'kickoff-id-present'],
  },
  {
    name: 'kickoff answered 200 with HTML',
    behaviour: {
      kickoff: act.answer('<html>Welcome</html>', 200, { 'content-type': 'text/html' }),
    },
    outcome: 'unknown',
    kickoff: 'not-json',
    rules: ['kickoff-content-type-json', 'kickoff-id-present'],
  },
  {
    name: 'kickoff answered with a status code of 999',
    behaviour: { kickoff: act.errorBody(999) },
    outcome: 'unknown',
    kickoff: 999,
  },
  {
    name: 'kickoff gives every execution the same id',
    behaviour: { kickoff: act.json({ kickoff_id: 'one-for-all' }) },
    plan: { arrivals: { kind: 'replay', offsetsMicros: [0, 20_000] } },
    outcome: 'completed',
    kickoffs: 2,
    rules: ['kickoff-id-unique'],
  },
  {
    name: 'kickoff fine, then the target refuses connections',
    behaviour: {
      kickoff: act.json({ kickoff_id: 'a' }, 200, { connection: 'close' }),
    },
    refusesAfterKickoff: true,
    outcome: 'unreadable',
    poll: 'refused',
    limit: 'deadline',
  },
]
