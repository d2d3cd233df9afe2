/** Crews that are broken in one way each, two fifths of it, under `steady`. */
import type { FaultKindName } from '../../fake-crew/model/faults/kinds/list.ts'

export interface BrokenCrew {
  /** What two fifths of it are. */
  what: string
  /** As a profile writes it, without its name. */
  fault: string
}

/** One crew at least for every kind of fault. */
export const BROKEN: Readonly<Record<FaultKindName, readonly BrokenCrew[]>> = {
  status: [
    ofAnswers('status: { code: 500 }'),
    ofAnswers('status: { code: 503 }'),
    ofAnswers('status: { code: 404 }'),
  ],
  latency: [ofAnswers('latency: 2s')],
  reset: [ofAnswers('reset: { at: before }'), ofAnswers('reset: { at: after }')],
  empty: [ofAnswers('empty: {}')],
  truncate: [ofAnswers('truncate: {}')],
  malformed: [ofAnswers('malformed: {}')],
  contentType: [ofAnswers('contentType: text/html')],
  drip: [ofAnswers('drip: { pieces: 5, over: 2s }')],
  hang: [ofAnswers('hang: {}')],
  stall: [ofAnswers('stall: {}')],
  refuse: [
    ofTime('refuse: {}, window: { for: 20s, every: 50s }'),
    ofTime('refuse: {}, window: { from: 15m, for: 4m, every: 10m }'),
  ],
  closeIdle: [ofAnswers('closeIdle: { after: 1s }')],
  notFound: [ofExecutions('notFound: { for: 1m }'), ofExecutions('notFound: { for: 2s }')],
  stuck: [ofExecutions('stuck: {}')],
  backwards: [ofAnswers('backwards: {}', 'status')],
  flip: [ofAnswers('flip: {}', 'status'), ofAnswers('flip: { to: failed }', 'status')],
  noResult: [ofAnswers('noResult: {}', 'status')],
  swap: [ofAnswers('swap: {}', 'status')],
  neverStarts: [ofExecutions('neverStarts: {}')],
  wrongId: [ofExecutions('wrongId: {}'), ofExecutions('wrongId: { of: another }')],
  restart: [
    ofTime('restart: { loses: running }, window: { for: 20s, every: 50s }'),
    ofTime('restart: { loses: none }, window: { for: 20s, every: 50s }'),
    ofTime('restart: { loses: all }, window: { from: 15m, for: 4m, every: 10m }'),
  ],
  denied: [
    ofAnswers('denied: {}'),
    ofTime('denied: {}, operations: [kickoff, status], window: { from: 15m, for: 4m, every: 10m }'),
  ],
  clockSkew: [ofAnswers('clockSkew: { behind: 90s }')],
}

/** Of kickoffs and polls; `GET /inputs` is spared, so that a run can begin. */
function ofAnswers(fault: string, operations = 'kickoff, status'): BrokenCrew {
  return { what: 'answers', fault: `${fault}, operations: [${operations}], chance: 40%` }
}

function ofExecutions(fault: string): BrokenCrew {
  return { what: 'executions', fault: `${fault}, chance: 40%` }
}

/** By its window. */
function ofTime(fault: string): BrokenCrew {
  return { what: 'the time', fault }
}
