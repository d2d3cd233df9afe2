import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { saturationJsonSchema } from '../../../src/study/saturation/schema.ts'
import {
  collapsingSaturation,
  emptySaturation,
  openSaturation,
} from './report/sample-saturations.ts'

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
addFormats.default(ajv)
const validate = ajv.compile(saturationJsonSchema())

test.each([collapsingSaturation, emptySaturation, openSaturation])(
  'the document of %o follows the published schema',
  (create) => {
    validate(JSON.parse(JSON.stringify(create())))
    expect(validate.errors).toBeNull()
  },
)

test('a document that says less does not', () => {
  const { ended: _, ...run } = openSaturation().run
  validate({ ...openSaturation(), run })
  expect(validate.errors).toMatchObject([{ instancePath: '/run', keyword: 'required' }])
})

test('schemas/saturation.schema.json is what `crewload schema saturation` prints', async () => {
  const text = `${JSON.stringify(saturationJsonSchema(), null, 2)}\n`
  await expect(text).toMatchFileSnapshot('../../../schemas/saturation.schema.json')
})
