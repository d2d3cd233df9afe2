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
  test('is a ConfigMap with the script, byte for byte, and a TestRun over it', async () => {
    const text = manifestSteps(OPTIONS, FACTS) + manifest(OPTIONS)
    await expect(text).toMatchFileSnapshot('../../golden/k6/manifest.yaml')
    // The steps lead from the Secret to the merged result, and are skipped by who reads this.
    const read = parseAllDocuments(text).map((document) => document.toJS() as unknown)
    expect(read).toEqual(documents(OPTIONS))
    expect(read[0]).toMatchObject({ kind: 'ConfigMap', data: { 'crewload.js': SCRIPT } })
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
})
