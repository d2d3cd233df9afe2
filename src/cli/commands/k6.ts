/** `crewload k6`: runs a scenario in more than one process and on more than one machine. */
import { metricLines } from '../../run/k6/bundle/variables.ts'
import type { MainCommand } from '../command.ts'
import { bundle } from './k6/bundle.ts'
import { manifest } from './k6/manifest.ts'
import { run } from './k6/run.ts'

const HELP = [
  'Metrics that --k6-out and --k6-metrics send to k6 outputs when an execution ends, with the',
  'tags of the scenario (warm-up arrivals contribute nothing; times are in milliseconds):',
  ...metricLines(),
  '',
].join('\n')

export const k6: MainCommand = {
  name: 'k6',
  group: 'Measure a crew',
  description: 'run a scenario in several k6 processes, or on Kubernetes',
  help: HELP,
  commands: [run, bundle, manifest],
}
