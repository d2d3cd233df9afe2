/**
 * Crews that are broken in one way each, two fifths of it, under `steady`; and why the verdict on
 * them is right.
 */
import type { FaultKindName } from '../../fake-crew/model/faults/kinds/list.ts'

export interface BrokenCrew {
  /** What two fifths of it are. */
  what: string
  /** As a profile writes it, without its name. */
  fault: string
  why: string
}

/** One crew at least for every kind of fault. */
export const BROKEN: Readonly<Record<FaultKindName, readonly BrokenCrew[]>> = {
  status: [
    ofAnswers(
      'status: { code: 500 }',
      'A kickoff answered 500 may have started and is not repeated.',
    ),
    ofAnswers(
      'status: { code: 503 }',
      'Kickoffs answered 503 are repeated: one in forty is turned away all the same, and one ' +
        'in twenty waits for more than 2 s.',
    ),
    ofAnswers('status: { code: 404 }', 'Two in five kickoffs are turned away.'),
  ],
  latency: [
    ofAnswers(
      'latency: 2s',
      'All are served, but two in five kickoffs take 2 s; the bound is 500 ms.',
    ),
  ],
  reset: [
    ofAnswers('reset: { at: before }', 'Two in five kickoffs have no answer.'),
    ofAnswers(
      'reset: { at: after }',
      'Every answer came whole before the reset: the client misses nothing.',
    ),
  ],
  empty: [ofAnswers('empty: {}', 'Two in five kickoffs have no answer.')],
  truncate: [ofAnswers('truncate: {}', 'Two in five kickoffs have half an answer, without an id.')],
  malformed: [ofAnswers('malformed: {}', 'Two in five kickoffs give no id that can be read.')],
  contentType: [
    ofAnswers(
      'contentType: text/html',
      'JSON under another name is read all the same, but the interface documents application/json.',
    ),
  ],
  drip: [
    ofAnswers(
      'drip: { pieces: 5, over: 2s }',
      'All are served, but two in five kickoffs take 2 s.',
    ),
  ],
  hang: [ofAnswers('hang: {}', 'Two in five kickoffs time out.')],
  stall: [ofAnswers('stall: {}', 'Two in five kickoffs never end their answer.')],
  refuse: [
    ofTime(
      'refuse: {}, window: { for: 20s, every: 50s }',
      'Who comes within the 20 s is turned away, retries included; kickoffs stop where by ' +
        'chance nobody comes in between for long.',
    ),
    ofTime(
      'refuse: {}, window: { from: 15m, for: 4m, every: 10m }',
      'After 30 s without an answer kickoffs stop; who was there until then proves the miss.',
    ),
  ],
  closeIdle: [
    ofAnswers(
      'closeIdle: { after: 1s }',
      'Kickoffs on stale connections may have started: one in seven is unknown.',
    ),
  ],
  notFound: [
    ofExecutions('notFound: { for: 1m }', 'Two in five are 404 for longer than the grace: lost.'),
    ofExecutions(
      'notFound: { for: 2s }',
      'A 404 that ends within the grace of 10 s costs a poll and no execution.',
    ),
  ],
  stuck: [ofExecutions('stuck: {}', 'Stuck ones keep their workers: soon nobody is served.')],
  backwards: [
    ofAnswers(
      'backwards: {}',
      'Every result is right and in time. Progress that goes backwards is a problem that the ' +
        'page names.',
      'status',
    ),
  ],
  flip: [
    ofAnswers(
      'flip: {}',
      'Every result was right when it was read first. An end that does not last is a problem ' +
        'that the page names.',
      'status',
    ),
    ofAnswers(
      'flip: { to: failed }',
      'Every result was right when it was read first. An end that does not last is a problem ' +
        'that the page names.',
      'status',
    ),
  ],
  noResult: [ofAnswers('noResult: {}', 'Two in five completed answers have no result.', 'status')],
  swap: [
    ofAnswers(
      'swap: {}',
      'Two in five completed answers have the result of somebody else.',
      'status',
    ),
  ],
  neverStarts: [ofExecutions('neverStarts: {}', 'Two in five never begin.')],
  wrongId: [
    ofExecutions('wrongId: {}', 'Two in five are told an id that nobody has: lost.'),
    ofExecutions(
      'wrongId: { of: another }',
      'Two in five are told the id of the execution before, and read its result.',
    ),
  ],
  restart: [
    ofTime(
      'restart: { loses: running }, window: { for: 20s, every: 50s }',
      'No execution of a minute outlives a restart every 50 s.',
    ),
    ofTime(
      'restart: { loses: none }, window: { for: 20s, every: 50s }',
      'Nothing is forgotten, but who comes within the 20 s is turned away.',
    ),
    ofTime(
      'restart: { loses: all }, window: { from: 15m, for: 4m, every: 10m }',
      'After 30 s without an answer kickoffs stop; what was forgotten proves the miss.',
    ),
  ],
  denied: [
    ofAnswers('denied: {}', 'Two in five kickoffs are answered 401: turned away.'),
    ofTime(
      'denied: {}, operations: [kickoff, status], window: { from: 15m, for: 4m, every: 10m }',
      'After 30 s of 401 alone the token counts as revoked: nothing more can be measured with it.',
    ),
  ],
  clockSkew: [
    ofAnswers(
      'clockSkew: { behind: 90s }',
      'Only the header Date is wrong, and nobody goes by it: this interface tells no time of day.',
    ),
  ],
}

/** Of kickoffs and polls; `GET /inputs` is spared, so that a run can begin. */
function ofAnswers(fault: string, why: string, operations = 'kickoff, status'): BrokenCrew {
  return { what: 'answers', fault: `${fault}, operations: [${operations}], chance: 40%`, why }
}

function ofExecutions(fault: string, why: string): BrokenCrew {
  return { what: 'executions', fault: `${fault}, chance: 40%`, why }
}

/** By its window. */
function ofTime(fault: string, why: string): BrokenCrew {
  return { what: 'the time', fault, why }
}
