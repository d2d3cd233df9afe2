/** Status bodies that are no JSON, or JSON with surprises. */
import * as act from '../acts.ts'
import type { Row } from '../row.ts'

/** A status answer of this text, for ever: it cannot be read, and the deadline ends it. */
function unreadable(
  name: string,
  body: string | Buffer,
  poll: Row['poll'],
  ...rules: string[]
): Row {
  return {
    name: `status ${name}`,
    behaviour: { status: act.answer(body) },
    outcome: 'unreadable',
    ...(poll === undefined ? {} : { poll }),
    rules,
    limit: 'deadline',
  }
}

/** A status answer of this text that ends the execution as completed. */
function readable(name: string, body: string | Buffer, ...rules: string[]): Row {
  return {
    name: `status ${name}`,
    behaviour: { status: act.answer(body) },
    outcome: 'completed',
    rules,
  }
}

const RESULT = '"result":{"output":"done","tasks":[]}'

export const BODY_ROWS: Row[] = [
  unreadable('with bad JSON', '{"status": "running",}', 'not-json', 'body-is-json'),
  unreadable('with an unknown word', '{"status":"pondering"}', 'unknown-state', 'state-is-known'),
  unreadable(
    'in UTF-16',
    Buffer.from(`\u{feff}${act.completedText}`, 'utf16le'),
    'not-json',
    'body-is-json',
  ),
  unreadable('nested 100,000 deep', '{"a":'.repeat(100_000), 'wrong-shape', 'body-is-json'),
  {
    name: 'status with HTML and 200',
    behaviour: {
      status: act.answer('<html>Please log in</html>', 200, { 'content-type': 'text/html' }),
    },
    outcome: 'unreadable',
    poll: 'not-json',
    rules: ['body-is-json', 'content-type-json'],
    limit: 'deadline',
  },
  readable('with a byte order mark', `\u{feff}${act.completedText}`),
  readable(
    'with bytes that are not UTF-8',
    Buffer.concat([
      Buffer.from('{"status":"completed","execution_time":1,"result":{"tasks":[],"output":"'),
      Buffer.from([0xff, 0xfe, 0xc3]),
      Buffer.from('"}}'),
    ]),
  ),
  readable(
    'with duplicate keys, the last of which counts',
    `{"status":"running","status":"completed",${RESULT},"execution_time":1}`,
  ),
  readable(
    'with keys of prototypes',
    `{"__proto__":{"status":"error"},"constructor":1,"status":"completed",${RESULT},"execution_time":1}`,
  ),
  readable(
    'with an output of the wrong type',
    '{"status":"completed","result":{"output":{"a":1},"tasks":{}},"execution_time":1}',
    'result-has-output',
    'result-has-tasks',
  ),
  readable(
    'with an output of 900 kB',
    JSON.stringify({
      status: 'completed',
      result: { output: 'x'.repeat(900_000), tasks: [] },
      execution_time: 1,
    }),
  ),
]
