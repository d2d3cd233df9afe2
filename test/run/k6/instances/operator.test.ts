/** Processes of this machine are started as k6-operator 1.6.0 starts its pods. */
import { describe, expect, test } from 'vitest'
import { runnerArguments } from '../../../../src/run/k6/instances/operator.ts'

const common = {
  name: 'steady',
  args: ['--no-thresholds', '--log-format=raw'],
  script: '/test/script.js',
  address: '0.0.0.0:6565',
}
const tags = (instance: number): string[] => [
  '--tag',
  `instance_id=${instance}`,
  '--tag',
  'testrun_name=steady',
]
const sequence = '--execution-segment-sequence=0,1/4,2/4,3/4,1'

describe('runnerArguments', () => {
  test.each([
    [1, '--execution-segment=0:1/4'],
    [2, '--execution-segment=1/4:2/4'],
    [4, '--execution-segment=3/4:1'],
  ])('gives instance %i of four its segment', (instance, segment) => {
    expect(runnerArguments({ ...common, instance, instances: 4 })).toEqual([
      'run',
      '--quiet',
      segment,
      sequence,
      '--no-thresholds',
      '--log-format=raw',
      '/test/script.js',
      '--address=0.0.0.0:6565',
      '--paused',
      ...tags(instance),
    ])
  })

  test('gives one instance no segment', () => {
    expect(runnerArguments({ ...common, instance: 1, instances: 1 })).toEqual([
      'run',
      '--quiet',
      '--no-thresholds',
      '--log-format=raw',
      '/test/script.js',
      '--address=0.0.0.0:6565',
      '--paused',
      ...tags(1),
    ])
  })
})
