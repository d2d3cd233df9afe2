import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { studyJsonSchema } from '../../../src/study/frame/json-schema.ts'
import { recovery } from '../../../src/study/recovery/study.ts'
import { disagreeing, empty, recovering, tipping, untriggered } from './sample-recoveries.ts'

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
addFormats.default(ajv)
const schema = studyJsonSchema(recovery)
const validate = ajv.compile(schema)

test.each([recovering, tipping, disagreeing, untriggered, empty])(
  'the document of %o follows the published schema',
  (create) => {
    validate(JSON.parse(JSON.stringify(create())))
    expect(validate.errors).toBeNull()
  },
)

test('a document that says less does not', () => {
  const { tipped: _, ...verdict } = recovering().verdict
  validate({ ...recovering(), verdict })
  expect(validate.errors).toMatchObject([{ instancePath: '/verdict', keyword: 'required' }])
})
