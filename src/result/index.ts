/** The result room: journal, recorder, histograms, run folder and merge. */
export type { Recorder } from './recorder.ts'
export { createRecorder } from './recorder.ts'
export type { Journal } from './journal.ts'
export { openJournal } from './journal.ts'
export type { RunFolder } from './folder.ts'
export { createRunFolder, readRun, writeArtefacts } from './folder.ts'
export { mergeRuns } from './merge.ts'
export { histogramLog } from './histogram-log.ts'
