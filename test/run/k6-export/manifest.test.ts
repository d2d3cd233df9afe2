/** The manifest says to k6-operator what it needs, and nothing that is secret. */
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { StepFacts, ManifestOptions } from '../../../src/run/k6-export/manifest.ts'
import { manifestSteps, manifest, manifestName } from '../../../src/run/k6-export/manifest.ts'
import { mistakesOf } from '../../support/mistakes.ts'

const SCRIPT = '// crewload\nconst text = `${1}: "two"`\n\n  \ttabbed\t\nlast line without an end'

const OPTIONS: ManifestOptions = {
  name: 'steady',
  namespace: 'load',
  instances: 4,
  vus: 8,
  image: 'grafana/k6:2.2.0',
  script: { text: SCRIPT },
  args: ['--no-thresholds', '--log-format=raw'],
  env: { CREWLOAD_TARGET: 'https://crew.example.com', K6_NO_USAGE_REPORT: 'true' },
  tokenSecret: 'crew-token',
  cpu: '1',
  memory: '512Mi',
  separate: true,
}

/** In the namespace of kubectl's context. */
const { namespace: _, ...HERE } = OPTIONS

const FACTS: StepFacts = { file: 'steady.yaml', headers: [], measures: false }

function documents(options: ManifestOptions): unknown[] {
  return parseAllDocuments(manifest(options)).map((document) => document.toJS() as unknown)
}

function refused(changes: Partial<ManifestOptions>): string[] {
  return mistakesOf(() => manifest({ ...OPTIONS, ...changes })).map(({ source }) => source)
}

/** Mostly of two bytes a character. */
function scriptOf(bytes: number): ManifestOptions['script'] {
  const text = `${'é'.repeat(Math.floor(bytes / 2))}${bytes % 2 === 1 ? 'x' : ''}`
  return { text }
}

describe('manifest', () => {
  test('is a ConfigMap with the script, byte for byte, and a TestRun over it', () => {
    const env = [
      { name: 'CREWLOAD_TARGET', value: 'https://crew.example.com' },
      { name: 'K6_NO_USAGE_REPORT', value: 'true' },
    ]
    const pod = {
      image: 'grafana/k6:2.2.0',
      automountServiceAccountToken: 'false',
      env,
      resources: { requests: { cpu: '1', memory: '512Mi' }, limits: { memory: '512Mi' } },
    }
    const probe = {
      httpGet: { path: '/v1/status', port: 6565, scheme: 'HTTP' },
      periodSeconds: 10,
      timeoutSeconds: 10,
      failureThreshold: 30,
    }
    expect(documents(OPTIONS)).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'steady', namespace: 'load' },
        data: { 'crewload.js': SCRIPT },
      },
      {
        apiVersion: 'k6.io/v1alpha1',
        kind: 'TestRun',
        metadata: { name: 'steady', namespace: 'load' },
        spec: {
          parallelism: 4,
          separate: true,
          script: { configMap: { name: 'steady', file: 'crewload.js' } },
          args: ['--no-thresholds', '--log-format=raw'],
          initializer: pod,
          runner: {
            ...pod,
            envFrom: [{ secretRef: { name: 'crew-token' } }],
            metadata: {
              annotations: {
                'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
                'karpenter.sh/do-not-disrupt': 'true',
              },
            },
            livenessProbe: probe,
            readinessProbe: probe,
          },
          starter: {
            automountServiceAccountToken: 'false',
            resources: { requests: { cpu: '50m', memory: '32Mi' }, limits: { memory: '128Mi' } },
          },
        },
      },
    ])
  })

  test('names a claim instead of a ConfigMap, and no namespace where none is given', () => {
    const script = { claim: 'scripts', file: 'crews/crewload.js' }
    const [testRun, ...others] = documents({ ...HERE, script })
    expect(others).toEqual([])
    expect(testRun).toMatchObject({
      metadata: { name: 'steady' },
      spec: {
        script: { volumeClaim: { name: 'scripts', file: 'crews/crewload.js', readOnly: true } },
      },
    })
    expect(testRun).not.toHaveProperty('metadata.namespace')
  })

  test('writes every value out: no anchors, which not every reader of manifests follows', () => {
    expect(manifest(OPTIONS)).not.toMatch(/[&*]a\d/)
  })

  test('takes the largest script that a ConfigMap can hold, and no byte more', () => {
    const most = 1_048_576 - 'crewload.js'.length
    expect(refused({ script: scriptOf(most) })).toEqual([])
    expect(refused({ script: scriptOf(most + 1) })).toEqual(['--volume-claim'])
  })

  test('tells all mistakes at once', () => {
    const wrong = { name: 'Über', namespace: '-', vus: 6, cpu: 'one', memory: '1 GB' }
    expect(refused(wrong)).toEqual(['--name', '--namespace', '--k6-vus', '--cpu', '--memory'])
    expect(refused({ name: 'a'.repeat(50), tokenSecret: 'a b' })).toEqual([
      '--name',
      '--token-secret',
    ])
  })

  test.each(['grafana/k6', 'grafana/k6:latest', 'host:5000/k6', 'k6:2.2.0 --x'])(
    'takes no image that may change between pods: %s',
    (image) => {
      expect(refused({ image })).toEqual(['--image'])
    },
  )

  test.each(['k6:2', 'host:5000/team/k6:v2.2.0-x', `grafana/k6@sha256:${'0a'.repeat(32)}`])(
    'takes a pinned image: %s',
    (image) => {
      expect(refused({ image })).toEqual([])
    },
  )

  test.each([
    ['scripts', ''],
    ['scripts', '/absolute.js'],
    ['Scripts', 'crewload.js'],
    ['scripts', "it's.js"],
  ])('takes no script at %s/%s', (claim, file) => {
    expect(refused({ script: { claim, file } })).toEqual(['--volume-claim'])
  })
})

describe('manifestName', () => {
  test.each([
    ['steady', 'steady'],
    ['My_crew.v2', 'my-crew-v2'],
    ['2024-load-', 'crew-2024-load'],
    ['x'.repeat(60), 'x'.repeat(49)],
  ])('makes of %s the name %s', (scenario, name) => {
    expect(manifestName(scenario)).toBe(name)
    expect(refused({ name })).toEqual([])
  })
})

describe('manifestSteps', () => {
  test('is a comment that leads from the Secret to the merged result', () => {
    expect(manifestSteps(OPTIONS, FACTS)).toMatchInlineSnapshot(`
      "# Needs k6-operator 1.6 or newer in the cluster. The token is read from a file, one token per line:
      #   kubectl -n load create secret generic crew-token --from-file=CREWLOAD_TOKEN=tokens.txt
      # Use server-side apply: client-side apply keeps a copy in an annotation, which is limited to 256 KiB:
      #   kubectl -n load apply --server-side -f steady.yaml
      #   kubectl -n load wait --for=create job/steady-4 --timeout=10m
      # The pods begin together, at the next half or whole minute after the operator has released them; each apply is a separate run.
      # Follow the logs from the start: afterwards kubectl shows only the newest file of each, 10 MiB, and a lost line makes the result INVALID.
      #   for i in $(seq 4); do
      #     kubectl -n load logs --follow --pod-running-timeout=10m job/steady-$i > pod-$i.log &
      #   done; wait
      #   crewload report merge --logs pod-*.log
      # A pod that is deleted or evicted ends immediately: k6 does not wait for executions in flight, which continue on the target. The merged result counts them, and is INVALID.
      # Cleanup is up to you: it removes the pods, and their logs with them.
      #   kubectl -n load delete -f steady.yaml
      "
    `)
  })

  test('tells how a script comes on to a claim', () => {
    const script = { claim: 'scripts', file: 'crewload.js' }
    expect(manifestSteps({ ...HERE, script }, FACTS)).toContain(
      'k6 bundle SCENARIO --out crewload.js && kubectl cp crewload.js POD:/PATH/crewload.js',
    )
    const measuring = manifestSteps({ ...OPTIONS, script }, { ...FACTS, measures: true })
    expect(measuring).toContain('k6 bundle SCENARIO --k6-metrics --out crewload.js')
  })

  test('asks for the values of headers, which are no part of the script', () => {
    const steps = manifestSteps(OPTIONS, { ...FACTS, headers: ['x-api-key'] })
    expect(steps).toContain('"x-api-key: ..."')
    expect(steps).toContain('--from-file=CREWLOAD_HEADERS=headers.txt')
  })

  test('is skipped by whoever reads the manifest', () => {
    const text = manifestSteps(OPTIONS, FACTS) + manifest(OPTIONS)
    expect(parseAllDocuments(text).map((document) => document.toJS() as unknown)).toEqual(
      documents(OPTIONS),
    )
  })
})
