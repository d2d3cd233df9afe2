import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { studyJsonSchema } from '../../../src/study/frame/json-schema.ts'
import { saturation } from '../../../src/study/saturation/study.ts'
import { collapsingSaturation, emptySaturation, openSaturation } from './sample-saturations.ts'

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
addFormats.default(ajv)
const schema = studyJsonSchema(saturation)
const validate = ajv.compile(schema)

test.each([collapsingSaturation, emptySaturation, openSaturation])(
  'the document of %o follows the published schema',
  (create) => {
    validate(JSON.parse(JSON.stringify(create())))
    expect(validate.errors).toBeNull()
  },
)

test('a document that says less does not', () => {
  const { ladder: _, ...plan } = openSaturation().plan
  validate({ ...openSaturation(), plan })
  expect(validate.errors).toMatchObject([{ instancePath: '/plan', keyword: 'required' }])
})
