/** `crewload k6`: makes what k6 runs without crewload, on other machines. */
import { metricLines } from '../../host/k6/help.ts'
import type { MainCommand } from '../command.ts'
import { bundle } from './k6/bundle.ts'
import { manifest } from './k6/manifest.ts'

const HELP = [
  'Metrics that --k6-out and --k6-metrics send to k6 outputs when an execution ends, with the',
  'tags of the scenario (warm-up arrivals contribute nothing; times are in milliseconds):',
  ...metricLines(),
  '',
].join('\n')

export const k6: MainCommand = {
  name: 'k6',
  group: 'Measure a crew',
  description: 'make a script for any k6, or a manifest for Kubernetes',
  help: HELP,
  commands: [bundle, manifest],
}
