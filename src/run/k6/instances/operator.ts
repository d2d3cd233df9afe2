/** How k6-operator starts its pods, so that processes on this machine start in the same way. */

/**
 * One pod of a TestRun, as k6-operator 1.6.0 makes it: `pkg/segmentation/segmentation.go` and
 * `NewRunnerJob` in `pkg/resources/jobs/runner.go`.
 */
export interface Runner {
  /** Counts from 1 to `instances`. */
  instance: number
  instances: number
  /** The name of the TestRun: letters, digits and `-`. */
  name: string
  /** The value of `spec.args`. */
  args: readonly string[]
  script: string
  /** The address of the REST interface: `0.0.0.0:6565` in a pod. */
  address: string
}

/**
 * The arguments of `k6`, in the operator's own order. A single instance gets no segment because it
 * is the whole run.
 */
export function runnerArguments(runner: Runner): string[] {
  const { instance, instances, name, args, script, address } = runner
  return [
    'run',
    '--quiet',
    ...(instances > 1 ? segmentArguments(instance, instances) : []),
    ...args,
    script,
    `--address=${address}`,
    '--paused',
    '--tag',
    `instance_id=${instance}`,
    '--tag',
    `testrun_name=${name}`,
  ]
}

/**
 * `--execution-segment=1/4:2/4` for the second of four. The sequence is the same for all, so k6 can
 * number VUs over all of them.
 */
function segmentArguments(instance: number, instances: number): string[] {
  const cuts = Array.from({ length: instances + 1 }, (_, i) => cut(i, instances))
  return [
    `--execution-segment=${cuts[instance - 1]}:${cuts[instance]}`,
    `--execution-segment-sequence=${cuts.join(',')}`,
  ]
}

function cut(i: number, instances: number): string {
  if (i === 0) return '0'
  return i === instances ? '1' : `${i}/${instances}`
}

/**
 * The body that the operator's starter sends to `/v1/status` of every pod when all of them answer.
 */
export const RELEASE = {
  method: 'PATCH',
  path: '/v1/status',
  body: JSON.stringify({
    data: { attributes: { paused: false }, id: 'default', type: 'status' },
  }),
} as const
