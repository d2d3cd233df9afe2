/** What the doctor can find: a row for each code, with its state, its sentence and its remedy. */
import { z } from 'zod'
import { formatBytes, formatDuration } from '../../base/numbers.ts'
import type { ShapeFacts } from '../../result/sentence-tables.ts'
import type { DiagnosisOf } from './diagnosis.ts'
import { rowsOf } from './diagnosis.ts'
import { K6_REMEDY } from '../k6/binary.ts'
import { COMFORTABLE_FILES } from '../environment/shortages.ts'

const nodeVersion = rowsOf('Node.js', 'runs crewload and the fake crew')
const cores = rowsOf(
  'cores',
  'one for the generator; a fake crew on the same machine needs another',
)
const openFiles = rowsOf('open files', 'the number of connections that can be open at once')
const temporaryFiles = rowsOf('temporary files', 'scenarios are compiled into a temporary folder')
const freeDisk = rowsOf('free disk', 'a journal takes about 1 kB per execution')
const optionalK6 = rowsOf('k6', 'an optional load engine; the Node engine does not need it')
const timers = rowsOf('timers', 'how late a request may be sent on this machine')
const loopback = rowsOf(
  'loopback',
  'the floor of every latency measured against a target on this machine',
)

export const LEAST_NODE = [20, 19] as const
const MORE_FILES = `ulimit -n ${COMFORTABLE_FILES}`

const running = { version: z.string() }
const counted = { count: z.int() }
const limited = { limit: z.int().nullable() }
const written = { folder: z.string() }
const free = { bytes: z.int() }
const delays = { p50Ms: z.number(), p99Ms: z.number() }
export type DelayQuantiles = ShapeFacts<typeof delays>

const unusable = {
  problem: z.string(),
  /** Of the k6 that was found; null for none. */
  version: z.string().nullable(),
}

export const DOCTOR_DIAGNOSES = {
  'node-supported': nodeVersion('ok', running, ({ version }) => version),
  'node-too-old': nodeVersion(
    'problem',
    running,
    ({ version }) => version,
    `install Node.js ${LEAST_NODE.join('.')} or newer`,
  ),
  'cores-enough': cores('ok', counted, ({ count }) => String(count)),
  'cores-too-few': cores(
    'warning',
    counted,
    ({ count }) => String(count),
    'run the target elsewhere, or expect lateness',
  ),
  'files-enough': openFiles('ok', limited, fileWords),
  'files-few': openFiles('warning', limited, fileWords, MORE_FILES),
  'files-too-few': openFiles('problem', limited, fileWords, MORE_FILES),
  'temporary-folder-writable': temporaryFiles('ok', written, ({ folder }) => folder),
  'temporary-folder-unwritable': temporaryFiles(
    'problem',
    written,
    ({ folder }) => `${folder} cannot be written to`,
    'set TMPDIR to a folder that can be written to',
  ),
  'disk-enough': freeDisk('ok', free, ({ bytes }) => formatBytes(bytes)),
  'disk-low': freeDisk(
    'warning',
    free,
    ({ bytes }) => formatBytes(bytes),
    'free some space, or write elsewhere with --out',
  ),
  'k6-found': optionalK6(
    'ok',
    { version: z.string(), path: z.string() },
    ({ version, path }) => `${version} at ${path}`,
  ),
  'k6-absent': optionalK6('absent', unusable, unusableWords, K6_REMEDY),
  'k6-unusable': optionalK6('warning', unusable, unusableWords, K6_REMEDY),
  'timers-exact': timers('ok', delays, lateWords),
  'timers-late': timers(
    'warning',
    delays,
    lateWords,
    'close other programs, or use a machine with more cores',
  ),
  'loopback-quick': loopback('ok', delays, tripWords),
  'loopback-slow': loopback('warning', delays, tripWords, 'close other programs'),
}

export type DoctorDiagnosis = DiagnosisOf<typeof DOCTOR_DIAGNOSES>

function fileWords({ limit }: ShapeFacts<typeof limited>): string {
  return limit === null ? 'unlimited' : String(limit)
}

function unusableWords({ problem, version }: ShapeFacts<typeof unusable>): string {
  return version === null ? problem : `${problem} (${version})`
}

function lateWords({ p50Ms, p99Ms }: DelayQuantiles): string {
  return `late by p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}`
}

function tripWords({ p50Ms, p99Ms }: DelayQuantiles): string {
  return `round trip p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}`
}

function ms(value: number): string {
  return formatDuration(value * 1_000)
}
